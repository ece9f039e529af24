package web

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"verdetto/e2e/fixture"
	"verdetto/shared/fare"
)

// TestProveAirports asks ten questions with airports, on a phone and on a desk, in three languages. An
// airport in the question is in the headline's route, places nearby open by a link without a script, and
// a faulty airport gets an explanation. No page is wider than its screen.
func TestProveAirports(t *testing.T) {
	b := openBrowser(t)
	day := (fare.DayOf(fixture.Today) + 42).String()
	type texts = map[string]string
	for i, language := range []string{"it", "en", "de"} {
		say := []texts{
			{"near": "luoghi vicini", "closed": "non ha voli di linea", "same": "stessa città"},
			{"near": "nearby", "closed": "No scheduled flights", "same": "same city"},
			{"near": "in der Nähe", "closed": "keine Linienflüge", "same": "dieselbe Stadt"},
		}[i]
		for _, s := range []screen{screens[i%2], screens[2+i%2], everyScreen[5]} {
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
					{"pair", "da=BGY&a=Stansted", 200, []string{"Bergamo", "Stansted"}},
					{"one", "da=Bergamo&a=Londra", 200, []string{"Bergamo"}},
					{"arrival", "da=Milano&a=STN", 200, []string{"Stansted"}},
					{"day", "da=Malpensa&a=Bucarest&quando=" + day, 200, []string{"Malpensa"}},
					{"city", "da=Milano&a=Londra", 200, []string{"MXP"}},
					{"nearby", "da=Milano&a=Londra&vicini=si", 200, []string{say["near"]}},
					{"nearby-airport", "da=BGY&a=LON&vicini=si", 200, []string{say["near"]}},
					{"closed", "da=PMF&a=Londra", 400, []string{say["closed"], "Malpensa"}},
					{"same", "da=BGY&a=MXP", 400, []string{say["same"]}},
					{"unused", "da=LIN&a=Bucarest&vicini=si", 0, nil},
				} {
					status, _ := w.visit(base + "/?" + q.query)
					if q.status != 0 && status != q.status {
						t.Errorf("%s: %d", q.name, status)
					}
					evaluate[int](w, `[...document.querySelectorAll('#vicini details')].map(d => d.open = true).length`)
					w.reads(q.reads...)
					w.check(q.name)
					w.quiet("the server responded with a status of 40")
				}

				// The reader follows the link to the places nearby.
				w.visit(base + "/?da=Milano&a=Londra")
				w.do(chromedp.Click(`a[href*="vicini=si"]`))
				w.wait(`location.hash === '#vicini' && document.querySelector('#vicini')`)
				if text := evaluate[string](w, `vicini.querySelector('p').textContent`); !strings.HasSuffix(text, ".") {
					t.Errorf("the line of places nearby: %q", text)
				}
				w.check("followed")
			})
		}
	}
}
