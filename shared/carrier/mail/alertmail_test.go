package mail

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func anAlert(t *testing.T) Alert {
	t.Helper()
	picture, err := os.ReadFile(filepath.Join("..", "..", "notify", "testdata", "lows.png"))
	if err != nil {
		t.Fatal(err)
	}
	return Alert{
		ID: "20160301-MIL-BUH-abc", To: "ada@example.com", Lang: "it", Origin: "Milano", Destination: "Bucarest",
		Price: 1499, Depart: 16890, Found: time.Date(2016, 3, 1, 3, 12, 0, 0, time.UTC),
		Level: "ottimo", Reliability: "media", Percentile: 4, Sample: 267, Median: 5250, Minimum: 1299,
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
		name    string
		change  func(*Alert)
		subject string
		says    []string
	}{
		{"alert-it", func(*Alert) {}, "Milano–Bucarest: 14,99\u00a0€, ottimo",
			[]string{"14,99\u00a0€", "52,50\u00a0€", "media", "mercoledì 30 marzo 2016",
				"1º marzo 2016, ore 03:12 UTC", "Il 4 %", "267 giorni"}},
		{"alert-de", func(a *Alert) { a.Lang, a.Origin, a.Destination = "de", "Mailand", "Bukarest" },
			"Mailand–Bukarest: 14,99\u00a0€, sehr gut",
			[]string{"52,50\u00a0€", "mittel", "Mittwoch, 30. März 2016", "1. März 2016, 03:12\u00a0Uhr UTC",
				"An 4\u00a0%", "267 Tage"}},
		{"alert-fr", func(a *Alert) { a.Lang, a.Origin, a.Destination = "fr", "Milan", "Bucarest" },
			"Milan–Bucarest\u00a0: 14,99\u00a0€, excellent",
			[]string{"52,50\u00a0€", "moyenne", "mercredi 30 mars 2016", "1er mars 2016 à 03:12 UTC",
				"4\u202f% des jours", "267 jours"}},
		{"alert-en", func(a *Alert) { a.Lang, a.Origin, a.Destination = "en", "Milan", "Bucharest" },
			"Milan–Bucharest: €14.99, great",
			[]string{"€14.99", "€52.50", "medium", "Wednesday 30 March 2016", "1 March 2016, 03:12 UTC",
				"4% of the days", "267 days"}},
		{"alert-waits-it", func(a *Alert) {
			a.RequestDay = 16800
			a.Departure = []string{"Partenze simili costano di solito fra 50 e 70\u00a0€ con questo anticipo."}
			a.Waits = []string{"Finora aspettare non ha reso in modo chiaro: non te lo consigliamo.",
				"Entro 7 giorni: probabilità di un calo del 5% o più 12\u00a0%."}
		}, "Milano–Bucarest: 14,99\u00a0€, ottimo",
			[]string{"Chiesto da te: 31 dicembre 2015", "simili costano di solito", "non te lo consigliamo",
				"Entro 7 giorni"}},
		{"alert-threshold-it", func(a *Alert) {
			a.Threshold, a.Price, a.Level, a.Percentile = 130000, 123456, "caro", 91
			a.Destination = "Santiago de Compostela"
		}, "Milano–Santiago de Compostela: 1.234,56\u00a0€, caro", []string{"1.300,00\u00a0€", "Il 91 %"}},
		{"alert-threshold-en", func(a *Alert) {
			a.Lang, a.Threshold, a.Percentile = "en", 2000, 0
		}, "Milano–Bucarest: €14.99, great", []string{"€20.00 or less", "Less than 1%"}},
		{"alert-return-en", func(a *Alert) {
			a.Lang, a.Destination, a.Picture.PNG = "en", "Bucharest", nil
			a.Trip, a.Return, a.When = "departure: 30 March 2016, return, 4-7 nights away", 16895,
				"when the fare falls by <strong>10%</strong> or more"
			a.Since, a.Compared = "€5.00 less (25%) than in our message of 20 February 2016: then it was €19.99.",
				"Of 100 comparable fares, about 4 were lower."
		}, "Milano–Bucharest: €14.99, great", []string{"a return in economy", "Returning", "€5.00 less (25%)", "267 fares",
			"about 4 were lower", "falls by 10% or more"}},
		{"alert-trip-it", func(a *Alert) {
			a.Trip, a.When = "partenza: 30 marzo 2016",
				"quando il prezzo è più basso che negli ultimi <strong>30 giorni</strong>"
			a.Since, a.Compared = "Il più basso da 30 giorni: finora era stato 21,99\u00a0€.",
				"Di 100 tariffe simili, circa 4 erano più basse."
			a.Departure = []string{"Partenze simili costano di solito fra 50 e 70\u00a0€ con questo anticipo.",
				a.Compared}
		}, "Milano–Bucarest: 14,99\u00a0€, ottimo",
			[]string{"per questo viaggio, solo andata", "finora era stato", "267 prezzi", "simili costano di solito",
				"negli ultimi 30 giorni"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := anAlert(t)
			c.change(&a)
			got, err := AlertMail(a)
			if err != nil {
				t.Fatal(err)
			}
			says := append(c.says, a.Unsubscribe, a.Snooze, a.Manage)
			// No other links than the service's own.
			wanted{Message{ID: a.ID, To: a.To, Tag: AlertTag, Unsubscribe: a.Unsubscribe, Subject: c.subject}, says,
				4}.hold(t, c.name, got)
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
		"line break in a city":     func(a *Alert) { a.Destination = "Bucarest\r\nBcc: bob@example.com" },
		"id with a path in it":     func(a *Alert) { a.ID = "../a" },
	})
}

// TestPythonReadsAnAlert: an independent parser reads the mail as intended.
func TestPythonReadsAnAlert(t *testing.T) {
	a := anAlert(t)
	m, err := AlertMail(a)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := composer(t, "Verdetto <v@verdetto.example>").Compose(m)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes", len(raw))
	id, name := "<"+lowsID+">", "verdetto.png"
	picture := "base64:" + base64.StdEncoding.EncodeToString(a.Picture.PNG)
	want := pythonMessage{
		Headers: [][2]string{
			{"Date", "Sun, 01 Mar 2026 07:05:00 +0000"}, {"From", "Verdetto <v@verdetto.example>"}, {"To", a.To},
			{"Subject", m.Subject}, {"Message-Id", "<" + a.ID + "@verdetto.example>"},
			{"List-Unsubscribe", "<" + a.Unsubscribe + ">"}, {"List-Unsubscribe-Post", "List-Unsubscribe=One-Click"},
			{"Auto-Submitted", "auto-generated"}, {"Mime-Version", "1.0"},
		},
		From: [][2]string{{"Verdetto", "v@verdetto.example"}}, To: [][2]string{{"", a.To}},
		Date: "2026-03-01T07:05:00+00:00", Preferred: "text/html", Defects: []string{},
		Parts: []pythonPart{{Type: "multipart/related"}, {Type: "multipart/alternative"},
			{Type: "text/plain", Content: &m.Text}, {Type: "text/html", Content: &m.HTML},
			{Type: "image/png", ID: &id, Name: &name, Content: &picture}},
	}
	if diff := cmp.Diff(want, readByPython(t, raw)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func BenchmarkAlertMail(b *testing.B) {
	a := Alert{ID: "a", To: "ada@example.com", Lang: "it", Origin: "Milano", Destination: "Bucarest", Price: 1499,
		Depart: 16891,
		Found:  time.Unix(1456800000, 0), Level: "ottimo", Reliability: "media", Percentile: 4, Sample: 267,
		Median: 5250, Minimum: 1299,
		Picture: Picture{[]byte("png"), 560, 160, 26}, Page: "https://a.example/", Unsubscribe: "https://a.example/u",
		Snooze: "https://a.example/s", Manage: "https://a.example/m"}
	for b.Loop() {
		if _, err := AlertMail(a); err != nil {
			b.Fatal(err)
		}
	}
}
