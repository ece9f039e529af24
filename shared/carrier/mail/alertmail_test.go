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
		Market: "ottimo", Judged: Judged{Level: "ottimo", Reliability: "media", Sample: 267, Usual: 5250},
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
		{"alert-it", func(*Alert) {}, []string{"14,99\u00a0€", "costano circa 53\u00a0€: sono 38\u00a0€ in meno", "media",
			"mercoledì 30 marzo 2016", "Visto oggi, martedì 1º marzo 2016.", "267 prezzi", "i prezzi sono molto bassi"}},
		{"alert-de", func(a *Alert) { a.Lang, a.Origin, a.Destination = "de", "Mailand", "Bukarest" },
			[]string{"Das sind 38\u00a0€ weniger", "sehr gut", "sehr niedrig", "mittel", "Mittwoch, 30. März 2016",
				"Gesehen heute, Dienstag, 1. März 2016.", "267 Preise"}},
		{"alert-fr", func(a *Alert) { a.Lang, a.Origin, a.Destination, a.Day = "fr", "Milan", "Bucarest", 16862 },
			[]string{"c’est 38\u00a0€ de moins", "excellent", "très bas", "moyenne", "mercredi 30 mars 2016",
				"Vu hier, mardi 1er mars 2016.", "267 prix"}},
		{"alert-en", func(a *Alert) {
			a.Lang, a.Origin, a.Destination, a.Day = "en", "Milan", "Bucharest", 16864
		}, []string{"€14.99", "about €53: this is €38 less", "Fares are very low right now.", "medium", "Wednesday 30 March 2016",
			"Seen 3 days ago, Tuesday 1 March 2016.", "267 fares"}},
		{"alert-es", func(a *Alert) { a.Lang, a.Origin, a.Destination = "es", "Milán", "Bucarest" },
			[]string{"son 38\u00a0€ menos", "muy bajos", "excelente", "Visto hoy, martes 1 de marzo de 2016."}},
		{"alert-pt", func(a *Alert) { a.Lang, a.Origin, a.Destination = "pt", "Milão", "Bucareste" },
			[]string{"são 38\u00a0€ a menos", "muito baixos", "ótimo", "Visto hoje, terça-feira, 1 de março de 2016."}},
		{"alert-waits-it", func(a *Alert) {
			a.RequestDay = 16800
			a.Departure = []string{"Partenze simili costano di solito fra 50 e 70\u00a0€ con questo anticipo."}
			a.Waits = []string{"Finora aspettare non ha reso in modo chiaro: non te lo consigliamo.",
				"Entro 7 giorni: probabilità di un calo del 5% o più 12\u00a0%."}
		}, []string{"Data della richiesta: giovedì 31 dicembre 2015", "simili costano di solito", "non te lo " +
			"consigliamo",
			"Entro 7 giorni"}},
		{"alert-threshold-it", func(a *Alert) {
			a.Threshold, a.Price, a.Market, a.Usual = 130000, 123456, "caro", 0
			a.Destination = "Santiago de Compostela"
		}, []string{"1.300,00\u00a0€", "i prezzi sono alti", "267 giorni"}},
		{"alert-threshold-en", func(a *Alert) {
			a.Lang, a.Threshold, a.Price, a.Level, a.Usual = "en", 2000, 1499, "normale", 1510
		}, []string{"€20.00 or less", "about the usual price"}},
		{"alert-return-en", func(a *Alert) {
			a.Lang, a.Destination, a.Picture.PNG, a.Market = "en", "Bucharest", nil, ""
			a.Trip, a.Return, a.When = "departure: Wednesday 30 March 2016, return, 4-7 nights away", 16895,
				"when the fare falls by <strong>10%</strong> or more"
			a.Since = "€5.00 less (25%) than in our message of Saturday 20 February 2016: then it was €19.99."
		}, []string{"a return", "Returning", "€5.00 less (25%)", "267 fares",
			"this is €38 less", "falls by 10% or more"}},
		{"alert-booked-fr", func(a *Alert) { // the trip is paid for: the saving first, no level
			a.Lang, a.Origin, a.Destination, a.Booked, a.Market = "fr", "Milan", "Bucarest", true, ""
			a.Since = "30,00\u00a0€ de moins que les 44,99\u00a0€ que vous avez payés."
		}, []string{"30,00\u00a0€ de moins que"}},
		{"alert-trip-it", func(a *Alert) {
			a.Market = ""
			a.Trip, a.When = "partenza: mercoledì 30 marzo 2016",
				"quando il prezzo è più basso che negli ultimi <strong>30 giorni</strong>"
			a.Since = "Il più basso da 30 giorni: finora era stato 21,99\u00a0€."
			a.Departure = []string{"Partenze simili costano di solito fra 50 e 70\u00a0€ con questo anticipo."}
		}, []string{"per questo viaggio, solo andata", "finora era stato", "267 prezzi", "simili costano di solito",
			"di solito costano", "negli ultimi 30 giorni"}},
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
				if n := len(regexp.MustCompile(`[>:] ?`+word+`(<|\n)`).FindAllString(one, -1)); (n == 1) == (a.Booked || a.Usual == 0) {
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
