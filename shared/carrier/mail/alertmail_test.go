package mail

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"verdetto/shared/text/i18n"
)

func anAlert(t *testing.T) Alert {
	t.Helper()
	picture, err := os.ReadFile(filepath.Join("..", "..", "notify", "testdata", "lows.png"))
	if err != nil {
		t.Fatal(err)
	}
	return Alert{
		ID: "20160301-MIL-BUH-abc", To: "ada@example.com", Lang: "it", Origin: "Milano", Destination: "Bucarest",
		Subject: "Milano–Bucarest: ora 14,99\u00a0€, prima 21,99\u00a0€",
		Price:   1499, Depart: 16890, Found: time.Date(2016, 3, 1, 3, 12, 0, 0, time.UTC), Day: 16861,
		Level: "ottimo", Reliability: "media", Sample: 267, Median: 5250, Minimum: 1299,
		Picture: Picture{picture, 560, 160, 26},
		Page:    "https://verdetto.example/?da=MIL&a=BUH&lang=it",
		Unsubscribe: "https://verdetto.example/v1/alerts/unsubscribe?t=" + strings.Repeat("a", 22) + ".MIL-BUH." +
			strings.Repeat("b", 22),
		Snooze: "https://verdetto.example/v1/alerts/manage?t=" + strings.Repeat("a", 22) + ".MIL-BUH." +
			strings.Repeat("d", 22),
		Manage: "https://verdetto.example/v1/alerts/manage?t=" + strings.Repeat("a", 22) + ".." +
			strings.Repeat("c", 22),
	}
}

func TestAlertMails(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Alert)
		says   []string
	}{
		{"alert-it", func(*Alert) {}, []string{"14,99\u00a0€", "38\u00a0€ in meno del solito", "52,50\u00a0€", "media",
			"mercoledì 30 marzo 2016", "Visto oggi, martedì 1º marzo 2016.", "267 giorni"}},
		{"alert-de", func(a *Alert) { a.Lang, a.Origin, a.Destination = "de", "Mailand", "Bukarest" },
			[]string{"38\u00a0€ weniger als üblich", "sehr gut", "mittel", "Mittwoch, 30. März 2016",
				"Gesehen heute, Dienstag, 1. März 2016.", "267 Tage"}},
		{"alert-fr", func(a *Alert) { a.Lang, a.Origin, a.Destination, a.Day = "fr", "Milan", "Bucarest", 16862 },
			[]string{"38\u00a0€ de moins que d’habitude", "excellent", "moyenne", "mercredi 30 mars 2016",
				"Vu hier, mardi 1er mars 2016.", "267 jours"}},
		{"alert-en", func(a *Alert) {
			a.Lang, a.Origin, a.Destination, a.Day = "en", "Milan", "Bucharest", 16864
		}, []string{"€14.99", "About €38 less than usual", "€52.50", "medium", "Wednesday 30 March 2016",
			"Seen 3 days ago, Tuesday 1 March 2016.", "267 days"}},
		{"alert-es", func(a *Alert) { a.Lang, a.Origin, a.Destination = "es", "Milán", "Bucarest" },
			[]string{"38\u00a0€ menos de lo habitual", "excelente", "Visto hoy, martes 1 de marzo de 2016."}},
		{"alert-pt", func(a *Alert) { a.Lang, a.Origin, a.Destination = "pt", "Milão", "Bucareste" },
			[]string{"38\u00a0€ a menos do que o habitual", "ótimo", "Visto hoje, terça-feira, 1 de março de 2016."}},
		{"alert-waits-it", func(a *Alert) {
			a.RequestDay = 16800
			a.Departure = []string{"Partenze simili costano di solito fra 50 e 70\u00a0€ con questo anticipo."}
			a.Waits = []string{"Finora aspettare non ha reso in modo chiaro: non te lo consigliamo.",
				"Entro 7 giorni: probabilità di un calo del 5% o più 12\u00a0%."}
		}, []string{"Data della richiesta: giovedì 31 dicembre 2015", "simili costano di solito", "non te lo " +
			"consigliamo",
			"Entro 7 giorni"}},
		{"alert-threshold-it", func(a *Alert) {
			a.Threshold, a.Price, a.Level = 130000, 123456, "caro"
			a.Destination = "Santiago de Compostela"
		}, []string{"1.300,00\u00a0€", "1.182\u00a0€ in più del solito"}},
		{"alert-threshold-en", func(a *Alert) {
			a.Lang, a.Threshold, a.Price, a.Median = "en", 2000, 1499, 1510
		}, []string{"€20.00 or less", "About as usual"}},
		{"alert-return-en", func(a *Alert) {
			a.Lang, a.Destination, a.Picture.PNG, a.Dated = "en", "Bucharest", nil, true
			a.Trip, a.Return, a.When = "departure: Wednesday 30 March 2016, return, 4-7 nights away", 16895,
				"when the fare falls by <strong>10%</strong> or more"
			a.Since = "€5.00 less (25%) than in our message of Saturday 20 February 2016: then it was €19.99."
		}, []string{"a return", "Returning", "€5.00 less (25%)", "267 fares",
			"a trip like this usually costs €52.50", "falls by 10% or more"}},
		{"alert-booked-fr", func(a *Alert) { // the trip is paid for: the saving first, no level
			a.Lang, a.Origin, a.Destination, a.Booked, a.Dated = "fr", "Milan", "Bucarest", true, true
			a.Since = "30,00\u00a0€ de moins que les 44,99\u00a0€ que vous avez payés."
		}, []string{"30,00\u00a0€ de moins que"}},
		{"alert-trip-it", func(a *Alert) {
			a.Dated = true
			a.Trip, a.When = "partenza: mercoledì 30 marzo 2016",
				"quando il prezzo è più basso che negli ultimi <strong>30 giorni</strong>"
			a.Since = "Il più basso da 30 giorni: finora era stato 21,99\u00a0€."
			a.Departure = []string{"Partenze simili costano di solito fra 50 e 70\u00a0€ con questo anticipo."}
		}, []string{"per questo viaggio, solo andata", "finora era stato", "267 prezzi", "simili costano di solito",
			"un viaggio così costa di solito", "negli ultimi 30 giorni"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := anAlert(t)
			c.change(&a)
			l := i18n.ForCode(a.Lang)
			a.Subject = l.Text("mail.alert.subject.was", "Route", a.Origin+"–"+a.Destination,
				"Price", l.Amount(1499), "Other", l.Amount(2199))
			got, err := AlertMail(a)
			if err != nil {
				t.Fatal(err)
			}
			says := append(c.says, a.Unsubscribe, a.Snooze, a.Manage)
			// There are no links except to the service.
			wanted{Message{ID: a.ID, To: a.To, Tag: AlertTag, Unsubscribe: a.Unsubscribe, Subject: a.Subject}, says,
				4}.hold(t, c.name, got)
			if len(regexp.MustCompile(`[0-9]\s?%`).FindAllString(got.Text, -1)) > 2 {
				t.Errorf("two shares of the same mail:\n%s", got.Text)
			}
			for _, one := range []string{got.Text, got.HTML} {
				word := l.Text("level." + a.Level)
				if n := len(regexp.MustCompile(`[>:] ?`+word+`(<|\n)`).FindAllString(one, -1)); (n == 1) == a.Booked {
					t.Errorf("%d times the level %q", n, word)
				}
				if strings.Contains(one, "UTC") {
					t.Error("a time in UTC")
				}
			}
			if len(got.Inline) != min(len(a.Picture.PNG), 1) {
				t.Errorf("%d pictures", len(got.Inline))
			}
		})
	}
}

func TestAlertMailRefuses(t *testing.T) {
	refuses(t, func() Alert { return anAlert(t) }, AlertMail, map[string]func(*Alert){
		"no address":               func(a *Alert) { a.To = "" },
		"language":                 func(a *Alert) { a.Lang = "" },
		"no verdict":               func(a *Alert) { a.Level = "dati-insufficienti" },
		"no reliability":           func(a *Alert) { a.Reliability = "" },
		"no city":                  func(a *Alert) { a.Origin = "" },
		"no price":                 func(a *Alert) { a.Price = 0 },
		"no page":                  func(a *Alert) { a.Page = "" },
		"page that is no https":    func(a *Alert) { a.Page = "http://verdetto.example/" },
		"no way out":               func(a *Alert) { a.Unsubscribe = "" },
		"no pause":                 func(a *Alert) { a.Snooze = "" },
		"way out that is no https": func(a *Alert) { a.Unsubscribe = "http://verdetto.example/" },
		"link that runs a script":  func(a *Alert) { a.Manage = "javascript:alert(1)" },
		"line break in a subject":  func(a *Alert) { a.Subject = "Bucarest\r\nBcc: bob@example.com" },
		"id with a path in it":     func(a *Alert) { a.ID = "../a" },
	})
}
