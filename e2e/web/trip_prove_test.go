package web

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"verdetto/e2e/fixture"
	"verdetto/shared/fare"
)

// TestProveTrips asks about trips as travellers do, on every screen, in both
// languages, with and without a script: a day, a month, a return, non-stop, a
// fare seen elsewhere; and meets what cannot be answered.
func TestProveTrips(t *testing.T) {
	b := openBrowser(t)
	words := map[string]map[string]string{
		"it": {"day": "costano di solito fra", "around": "Il più basso di questi giorni", "month": "il prezzo più basso di un mese", "seen": "L'hai visto a 45", "nonstop": "diretto", "wait": "E se aspetti?", "past": "È già passato", "near": "Partenze vicine"},
		"en": {"day": "usually cost between", "around": "The lowest of these days", "month": "The lowest fare of a month", "seen": "You have seen it for €45", "nonstop": "non-stop", "wait": "And if you wait?", "past": "That has passed", "near": "Departures close to it"},
	}
	today := fare.DayOf(fixture.Today)
	for i, s := range append(screens, screen{"noscript", 1280, 800, "light"}, screen{"noscript-phone", 360, 740, "dark"}) {
		language := []string{"it", "en"}[i%2]
		say := words[language]
		t.Run(s.name+"-"+language, func(t *testing.T) {
			base, _ := site(t) // of its own: the questions of a day are counted
			w := b.open(t, s)
			w.name += "-trip-" + language
			w.language(language)
			scripted := !strings.HasPrefix(s.name, "noscript")
			if !scripted {
				if _, err := chromedp.Call(w.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
					t.Fatal(err)
				}
			}
			look := func(what string) {
				t.Helper()
				if scripted {
					w.check(what)
				} else {
					w.picture(what)
				}
			}
			reads := func(texts ...string) {
				t.Helper()
				main := evaluate[string](w, `document.querySelector('main').textContent`)
				for _, text := range texts {
					if !strings.Contains(strings.ReplaceAll(main, "\u00a0", " "), text) {
						t.Errorf("does not say %q: %.600s", text, main)
					}
				}
			}
			arrives := func() {
				t.Helper()
				w.wait(`document.querySelector('article h1')`)
			}

			// From the first page to a day, by the form.
			w.visit(base + "/")
			day := (today + 42).String() // on which there is a fare
			w.do(chromedp.SendKeys("#da", "milano"), chromedp.SendKeys("#a", "bucarest"))
			evaluate[string](w, `quando.value = '`+day+`'`)
			w.do(chromedp.Click("form.ask button"))
			arrives()
			query := evaluate[string](w, `location.search`)
			if want := "?da=milano&a=bucarest&quando=" + day; scripted && query != want {
				t.Errorf("the question is at %s, want %s", query, want)
			}
			reads(say["day"], say["wait"])
			look("day")
			for _, chart := range []string{"range", "months", "window"} {
				if n := evaluate[int](w, `[...document.querySelectorAll('svg.`+chart+`')].filter(c => c.getBoundingClientRect().height > 40).length`); n != 1 {
					t.Errorf("%d charts of %s are seen", n, chart)
				}
			}
			status, html := w.visit(base + "/" + query)
			if weight := w.weigh(base, html); status != 200 || weight > maxKilobytes {
				t.Errorf("the answer weighs %.1f kB, status %d", weight, status)
			} else {
				t.Logf("the answer weighs %.1f kB in %d requests", weight, len(w.requests))
			}

			// And to the days around it.
			evaluate[string](w, `flessibile.value = '3'`)
			w.do(chromedp.Click("form.ask button"))
			w.wait(`location.search.includes('flessibile=3')`)
			arrives()
			reads(say["around"], "± 3")
			look("around")

			// A fare that was seen elsewhere: the form has kept the day, and is opened for it.
			w.do(chromedp.Click("details.trip summary"), chromedp.SendKeys("#visto", "45"), chromedp.Click("#diretto"), chromedp.Click("form.ask button"))
			w.wait(`location.search.includes('visto=45') && document.querySelector('article h1')`)
			look("stops")
			w.visit(base + "/?da=Milano&a=Bucarest&visto=45&quando=" + day)
			reads(say["seen"], say["day"])
			look("seen")

			// A month by its row among the numbers.
			w.do(chromedp.Click("section[aria-labelledby=months-title] summary"), chromedp.Click("section[aria-labelledby=months-title] tbody a"))
			w.wait(`location.search.includes('mese=') && document.querySelector('article h1')`)
			w.visit(base + "/?da=Milano&a=Parigi&diretto=si&mese=" + day[:len("2006-01")])
			reads(say["month"], say["nonstop"])
			look("month")

			// What cannot be asked is told beside its field; a day without a fare leads to those that have one.
			if status, _ := w.visit(base + "/?da=Milano&a=Bucarest&visto=0&quando=" + (today - 1).String()); status != 400 {
				t.Errorf("a day that has been: %d", status)
			}
			reads(say["past"])
			look("faults")
			none := (today + 360).String()
			if status, _ := w.visit(base + "/?da=Milano&a=Bucarest&quando=" + none); status != 404 {
				t.Errorf("a day without a fare: %d", status)
			}
			reads(say["near"])
			look("none")
			w.do(chromedp.Click("#notice .links a"))
			w.wait(`!location.search.includes('` + none + `') && document.querySelector('article.verdict.buono, article.verdict.caro, article.verdict.normale, article.verdict.ottimo')`)
			w.visit(base + "/?da=Milano&a=Bucarest&quando=" + day + "&ritorno=" + (today + 50).String())
			look("return")
			w.quiet("the server responded with a status of 40") // which is what was asked for
		})
	}
}
