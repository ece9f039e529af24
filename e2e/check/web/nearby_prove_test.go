package web

import (
	"strings"
	"testing"

	"verdetto/e2e/fixture"
	"verdetto/shared/fare"
)

func TestProveAirports(t *testing.T) {
	b := openBrowser(t)
	day := (fare.DayOf(fixture.Today) + 42).String()
	type texts = map[string]string
	for i, language := range []string{"it", "en", "de"} {
		say := []texts{
			{"near": "Luoghi vicini", "same": "stessa città",
				"all": "Tutti gli aeroporti delle due città", "ask": "Luoghi vicini",
				"none": "da o per i luoghi vicini"},
			{"near": "Places nearby", "same": "same city",
				"all": "All airports of both cities", "ask": "Places nearby",
				"none": "no current fare from or to a place nearby"},
			{"near": "Orte in der Nähe", "same": "dieselbe Stadt",
				"all": "Alle Flughäfen beider Städte", "ask": "Orte in der Nähe",
				"none": "Orten in der Nähe kennen wir keinen aktuellen Preis"},
		}[i]
		s := apart[i]
		t.Run(language+"-"+s.name, func(t *testing.T) {
			base, _ := site(t)
			w := b.open(t, s)
			w.name += "-airports-" + language
			w.language(language)
			for _, q := range []struct {
				name, query string
				status      int64
				reads       []string
			}{
				{"pair", "da=LIN&a=Gatwick", 200, []string{"Linate", "Gatwick"}},
				{"one", "da=Linate&a=Londra", 200, []string{"Linate"}},
				{"unused", "da=BGY&a=STN", 404, []string{"Bergamo", "Stansted", say["all"], say["ask"]}},
				{"day", "da=Malpensa&a=Bucarest&quando=" + day, 200, []string{"Malpensa"}},
				{"city", "da=Milano&a=Londra", 200, []string{"MXP"}},
				{"nearby", "da=Milano&a=Londra&vicini=si", 200, []string{say["near"]}},
				{"nearby-airport", "da=BGY&a=LON&vicini=si", 404, []string{say["near"], "Linate"}},
				{"former", "da=PMF&a=Londra", 200, []string{"PMF"}},
				{"same", "da=BGY&a=MXP", 400, []string{say["same"]}},
				{"nearby-day", "da=Malpensa&a=BUH&vicini=si&quando=" + day, 200, []string{say["none"]}},
			} {
				status, _ := w.visit(base + "/?" + q.query)
				if status != q.status {
					t.Errorf("%s: %d", q.name, status)
				}
				w.reads(q.reads...)
				w.check(q.name)
				w.quiet("the server responded with a status of 40")
			}

			w.visit(base + "/?da=Milano&a=Londra")
			w.do(click(`a[href*="vicini=si"]`))
			w.wait(`location.hash === '#vicini' && document.querySelector('#vicini')`)
			if text := evaluate[string](w, `vicini.querySelector('b').textContent`); !strings.HasSuffix(text, ".") {
				t.Errorf("the line of places nearby: %q", text)
			}
			w.check("followed")
		})
	}
}
