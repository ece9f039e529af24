package web

import (
	"strings"
	"testing"

	"verdetto/e2e/fixture"
	"verdetto/shared/fare"
	"verdetto/shared/text/i18n"
)

func TestProveEveryLanguageFits(t *testing.T) {
	b := openBrowser(t)
	today := fare.DayOf(fixture.Today)
	day, back := (today + 42).String(), (today + 49).String()
	for i, l := range i18n.Languages() {
		base, _ := site(t) // a separate service, because questions count against the daily quota
		var w *tab
		scheme := []string{"light", "dark"}[i%2]
		// A screen of 195 px stands for a phone of 390 px whose reader doubles the size of the font.
		for _, size := range []screen{{"doubled-" + l.Code, 195, 422, scheme}, {"fits-" + l.Code, 320, 640, scheme}} {
			w = b.open(t, size)
			for _, p := range []struct {
				name, path string
				status     int64
			}{
				{"home", "/?", 200}, {"verdict", "/?da=Milano&a=Bucarest&", 200}, {"destinations", "/?da=Milano&", 200},
				{"cheap in a month", "/?da=Milano&mese=" + day[:7] + "&", 200},
				{"nothing so cheap", "/?da=Milano&massimo=1&diretto=si&", 404},
				{"departure", "/?da=Malpensa&a=Bucarest&quando=" + day + "&", 200},
				{"return", "/?da=Milano&a=Bucarest&quando=" + day + "&ritorno=" + back + "&visto=45&diretto=si&", 404},
				{"unknown", "/?da=Milano&a=Bukarestt&", 404}, {"offer", "/v1/pro?", 200}, {"usdc", "/v1/pro/cripta?", 200},
				{"manage", "/v1/pro/gestione?", 200}, {"terms", "/v1/termini?", 200}, {"privacy", "/v1/privacy?", 200},
				{"imprint", "/v1/note-legali?", 200},
			} {
				doubled := size.width < 320
				status, html := w.visit(base + p.path + "lang=" + l.Code)
				if status != p.status || !strings.Contains(html, `<html lang="`+l.Code+`"`) {
					t.Errorf("%s in %s: %d", p.name, l.Code, status)
				}
				w.picture(p.name)
				evaluate[int](w, `[...document.querySelectorAll('main details')].map(d => d.open = true).length`)
				if over := evaluate[int](w, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
					t.Errorf("%s on %s: with open folds %d px too wide", p.name, w.name, over)
				}
				if over := evaluate[[]string](w,
					`(() => { const m = document.querySelector('main'), end = m.getBoundingClientRect().right - parseFloat(getComputedStyle(m).paddingRight) + 1
					return [...m.querySelectorAll('table, summary, button, h1, h2, p')].filter(e => e.getBoundingClientRect().right > end).map(e => e.outerHTML.slice(0, 90)) })()`); !doubled && len(over) > 0 {
					t.Errorf("%s on %s: beyond the column: %q", p.name, w.name, over)
				}
			}
		}
		next := i18n.Languages()[(i+1)%len(i18n.Languages())]
		w.visit(base + "/?da=Milano&a=Bucarest&lang=" + l.Code)
		w.do(click(".languages summary"))
		w.wait(`document.querySelector('.languages li:last-child a').getBoundingClientRect().bottom > 0`)
		w.check("menu")
		if over := evaluate[bool](w, `[...document.querySelectorAll('.languages a')].some(a => {
			const r = a.getBoundingClientRect(); return r.left < 0 || r.right > innerWidth || r.height < 24 })`); over {
			t.Errorf("%s: a language is off the screen, or too small to tap", l.Code)
		}
		w.do(click(`.languages a[hreflang=` + next.Code + `]`))
		w.wait(`document.documentElement.lang === '` + next.Code + `' && document.querySelector('.verdict h1')`)
		w.visit(base + "/?lang=" + l.Code)
		w.do(typeIn("#da", "Dubai"), typeIn("#a", "Sing"))
		for _, other := range []string{next.Code, l.Code} {
			w.do(click(".languages summary"), click(`.languages a[hreflang=`+other+`]`))
			w.wait(`document.documentElement.lang === '` + other + `' && document.readyState === 'complete'`)
			if typed := evaluate[string](w, `da.value + ' ' + a.value + ' ' + document.querySelector('#notice')`); typed != "Dubai Sing null" {
				t.Errorf("%s to %s: the form has %s", l.Code, other, typed)
			}
		}
		w.quiet("the server responded with a status of 404")
	}
}
