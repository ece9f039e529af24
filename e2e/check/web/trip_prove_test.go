package web

import (
	"testing"

	"verdetto/e2e/fixture"
	"verdetto/shared/fare"
)

func TestProveTrips(t *testing.T) {
	b := openBrowser(t)
	words := map[string]map[string]string{
		"it": {"day": "Voli come questo di solito costano", "around": "più economico di questi giorni",
			"month": "più economico del mese che conosciamo", "seen": "Il tuo prezzo.", "nonstop": "diretto",
			"wait": "Conviene aspettare?", "far": "un anno in anticipo", "near": "I giorni più vicini con un prezzo"},
		"en": {"day": "Flights like this usually cost", "around": "cheapest of these days",
			"month": "cheapest of the month that we know", "seen": "Your price.", "nonstop": "non-stop",
			"wait": "Does waiting pay?", "far": "up to a year ahead", "near": "Nearest days with a fare"},
	}
	today := fare.DayOf(fixture.Today)
	for i, s := range apart {
		language := []string{"it", "en"}[i%2]
		say := words[language]
		t.Run(s.name+"-"+language, func(t *testing.T) {
			base, _ := site(t)
			w := b.open(t, s)
			w.name += "-trip-" + language
			w.language(language)
			arrives := func() {
				t.Helper()
				w.wait(`document.querySelector('article h1')`)
			}

			w.visit(base + "/")
			day := (today + 42).String()
			w.do(typeIn("#da", "milano"), typeIn("#a", "bucarest"))
			evaluate[string](w, `quando.value = '`+day+`'`)
			w.do(click("form.ask button"))
			arrives()
			query := evaluate[string](w, `location.search`)
			if want := "?da=milano&a=bucarest&quando=" + day; w.scripted && query != want {
				t.Errorf("the question is at %s, want %s", query, want)
			}
			w.reads(say["day"], say["wait"])
			w.check("day")
			w.charts("", "range")
			w.light("the answer", base, "/"+query)

			w.unfold()
			evaluate[string](w, `flessibile.value = '3'`)
			w.do(click("form.ask button"))
			w.wait(`location.search.includes('flessibile=3')`)
			arrives()
			w.reads(say["around"], "± 3")
			w.check("around")

			w.unfold()
			w.do(typeIn("#visto", "45"), click("#diretto"),
				click("form.ask button"))
			w.wait(`location.search.includes('visto=45') && document.querySelector('article h1')`)
			w.check("stops")
			w.visit(base + "/?da=Milano&a=Bucarest&visto=45&quando=" + day)
			w.reads(say["seen"], say["day"])
			w.check("seen")

			w.unfold()
			w.do(click("#months a[href*=mese]"))
			w.wait(`location.search.includes('mese=') && document.querySelector('article h1')`)
			w.visit(base + "/?da=Milano&a=Parigi&diretto=si&mese=" + day[:len("2006-01")])
			w.reads(say["month"], say["nonstop"])
			w.check("month")

			if status, _ := w.visit(base + "/?da=Milano&a=Bucarest&visto=0&quando=" +
				(today + 400).String()); status != 400 {
				t.Errorf("a day too far ahead: %d", status)
			}
			w.reads(say["far"])
			w.check("faults")
			none := (today + 360).String()
			if status, _ := w.visit(base + "/?da=Milano&a=Bucarest&quando=" + none); status != 404 {
				t.Errorf("a day without a fare: %d", status)
			}
			w.reads(say["near"])
			w.check("none")
			w.do(click("#notice .places a"))
			w.wait(`!location.search.includes('` + none +
				`') && document.querySelector('article.verdict.buono, article.verdict.caro, article.verdict.normale, article.verdict.ottimo')`)
			w.visit(base + "/?da=Milano&a=Bucarest&quando=" + day + "&ritorno=" + (today + 50).String())
			w.check("return")
			w.quiet("the server responded with a status of 40")
		})
	}
}
