package web

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"verdetto/e2e/fixture"
	"verdetto/shared/fare"
)

// TestProveCalendar goes, on every screen, in both languages, with and without a
// script, from a city to where it is cheap now, by month and up to an amount, to an
// alert; and from a verdict by the keyboard through its calendar to the verdict of a
// day, where the fare's moves are.
func TestProveCalendar(t *testing.T) {
	b := openBrowser(t)
	words := map[string]map[string]string{
		"it": {"cheap": "Dove conviene volare adesso da Milano", "moves": "Com'è cambiato questo prezzo", "inside": "Si parte fra", "narrow": "Restringi"},
		"en": {"cheap": "Where it is cheap to fly from Milan now", "moves": "How this fare has moved", "inside": "It leaves in", "narrow": "Narrow it down"},
	}
	today := fare.DayOf(fixture.Today)
	for i, s := range append(screens, screen{"noscript", 1280, 800, "light"}, screen{"noscript-phone", 360, 740, "dark"}) {
		language := []string{"it", "en"}[(i+i/2)%2] // on each kind of screen both
		say := words[language]
		t.Run(s.name+"-"+language, func(t *testing.T) {
			base, mails := site(t)
			w := b.open(t, s)
			w.name += "-calendar-" + language
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
			arrives := func(where string) {
				t.Helper()
				w.wait(`location.href.includes('` + where + `') && document.querySelector('article h1')`)
			}
			light := func(what, address string) {
				t.Helper()
				status, html := w.visit(base + address)
				if weight := w.weigh(base, html); status != 200 || weight > maxKilobytes {
					t.Errorf("%s weighs %.1f kB, status %d", what, weight, status)
				} else {
					t.Logf("%s weighs %.1f kB in %d requests", what, weight, len(w.requests))
				}
			}
			text := func(selector string) string {
				return evaluate[string](w, `document.querySelector('`+selector+`').textContent`)
			}

			// Without a destination: where it is cheap now.
			w.visit(base + "/")
			if scripted { // cities that there are fares from are offered before anything is typed
				w.do(chromedp.Click("#da"))
				w.wait(`document.querySelectorAll('#da-list li').length === 2`)
				if n := evaluate[int](w, `document.querySelectorAll('#da-list .unwatched').length`); n != 0 {
					t.Errorf("%d cities are offered that nothing is known of", n)
				}
				look("nearby")
			}
			w.do(chromedp.SendKeys("#da", "milano"), chromedp.Click("form.ask button"))
			arrives("da=milano")
			if h := text("article h1"); h != say["cheap"] {
				t.Errorf("without a destination: %q", h)
			}
			look("cheap")
			light("where it is cheap now", "/?da=Milano")

			// In a month, up to an amount; the first one leads to its verdict and to the form of its alert.
			month := (today + 42).String()[:len("2006-01")]
			evaluate[string](w, `mese.value = '`+month+`'`)
			w.do(chromedp.SendKeys("#massimo", "60"), chromedp.Click("form.ask button"))
			arrives("massimo=60")
			rows := evaluate[int](w, `document.querySelectorAll('table.places tbody tr').length`)
			if dear := evaluate[int](w, `[...document.querySelectorAll('table.places tbody td:nth-child(2)')].filter(c => parseInt(c.firstChild.textContent.replace(/[^0-9.,]/g, '').replace(',', '.')) > 60).length`); rows < 3 || dear > 0 {
				t.Errorf("%d destinations, %d above 60", rows, dear)
			}
			look("cheap-month")
			first, level := text("table.places tbody a"), evaluate[string](w, `document.querySelector('table.places tbody .level').className.split(' ')[1]`)
			w.do(chromedp.Click("table.places tbody small a"))
			arrives("#alert-title")
			if at := text("article .route"); !strings.Contains(at, first) {
				t.Errorf("the alert of %s is on the page of %q", first, at)
			}
			if shown := evaluate[bool](w, `document.querySelector('article.verdict').classList.contains('`+level+`')`); !shown {
				t.Errorf("%s is %s in the list, and not on its page", first, level)
			}
			w.do(chromedp.SendKeys("#email", "ada@example.com"), chromedp.Click("form.alert button"))
			w.wait(`(document.querySelector('.status.good') || location.pathname.includes('alerts'))`)
			mailed(t, mails, regexp.MustCompile(`/alerts/confirm\S*`))

			// The calendar by the keyboard: from day to day, and into one.
			light("a verdict with its calendar", "/?da=Milano&a=Bucarest")
			look("verdict")
			w.do(chromedp.Focus(".calendar summary"))
			for range 60 { // the first day of the month that is open
				if evaluate[bool](w, `document.activeElement.matches('.calendar td a')`) {
					break
				}
				w.do(chromedp.KeyEvent(kb.Tab))
			}
			before := evaluate[string](w, `document.activeElement.href`)
			if scripted {
				w.do(chromedp.KeyEvent(kb.ArrowRight))
			} else {
				w.do(chromedp.KeyEvent(kb.Tab))
			}
			day := evaluate[string](w, `document.activeElement.href`)
			if !strings.Contains(before, "quando=") || !strings.Contains(day, "quando=") || day <= before {
				t.Fatalf("from %s to %s", before, day)
			}
			level = evaluate[string](w, `document.activeElement.parentElement.className.split(' ')[0]`)
			w.do(chromedp.KeyEvent(kb.Enter))
			arrives(day[strings.Index(day, "quando="):])
			if !evaluate[bool](w, `document.querySelector('article.verdict').classList.contains('`+level+`')`) {
				t.Errorf("%s is %s in the calendar, and not on its page", day, level)
			}
			if marked := evaluate[string](w, `document.querySelector('.calendar [aria-current]').href`); marked != day {
				t.Errorf("of %s the calendar marks %s", day, marked)
			}
			if main := text("main"); !strings.Contains(main, say["moves"]) || !strings.Contains(main, say["inside"]) {
				t.Errorf("of a day it is not told how its fare has moved, or where it lies in the window: %.900s", main)
			}
			for _, chart := range []string{"moves", "window"} {
				if n := evaluate[int](w, `[...document.querySelectorAll('svg.`+chart+`')].filter(c => c.getBoundingClientRect().height > 40 && c.querySelector('circle')).length`); n != 1 {
					t.Errorf("%d charts of %s show the departure", n, chart)
				}
			}
			look("day")
			light("the verdict of a day", day[len(base):])

			// A bar of "when to fly" opens its month of the calendar.
			bar := evaluate[string](w, `(() => {
				const all = [...document.querySelectorAll('svg.months a')].filter(a => a.getBoundingClientRect().height > 0);
				const closed = all.find(a => a.getAttribute('href').startsWith('#') && !document.querySelector(a.getAttribute('href')).closest('details').open);
				closed.focus();
				return closed.getAttribute('href');
			})()`)
			w.do(chromedp.KeyEvent(kb.Enter))
			w.wait(fmt.Sprintf(`location.hash === '%s' && document.querySelector('%s').closest('details').open`, bar, bar))
			look("bar")
			w.quiet()
		})
	}
}
