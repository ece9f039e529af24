package web

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"verdetto/e2e/fixture"
	"verdetto/shared/fare"
)

func TestProveCalendar(t *testing.T) {
	b := openBrowser(t)
	words := map[string]map[string]string{
		"it": {"cheap": "I prezzi più bassi da Milano per qualsiasi destinazione", "moves": "Il passato di questo volo"},
		"en": {"cheap": "Lowest fares from Milan to anywhere", "moves": "This flight's own past"},
	}
	for i, s := range apart {
		language := []string{"it", "en"}[i%2]
		say := words[language]
		t.Run(s.name+"-"+language, func(t *testing.T) {
			v := openShop(t)
			w := b.open(t, s)
			w.name += "-calendar-" + language
			w.language(language)
			cheapNow(t, v, w, say)
			dayByKeyboard(t, v.base, w, say)
			w.quiet()
		})
	}
}

func (w *tab) arrives(where string) {
	w.t.Helper()
	w.wait(`location.href.includes('` + where + `') && document.querySelector('article h1')`)
}

func cheapNow(t *testing.T, v shop, w *tab, say map[string]string) {
	t.Helper()
	w.visit(v.base + "/")
	if w.scripted {
		w.do(click("#da"))
		w.wait(`document.querySelectorAll('#da-list li').length === 2`)
		if n := evaluate[int](w, `document.querySelectorAll('#da-list .unwatched').length`); n != 0 {
			t.Errorf("%d cities are offered that nothing is known of", n)
		}
		w.check("nearby")
	}
	w.do(typeIn("#da", "milano"), click("form.ask button"))
	w.arrives("da=milano")
	if h := w.text("article h1"); h != say["cheap"] {
		t.Errorf("without a destination: %q", h)
	}
	w.check("cheap")
	w.light("where it is cheap now", v.base, "/?da=Milano")

	month := (fare.DayOf(fixture.Today) + 42).String()[:len("2006-01")]
	evaluate[string](w, `mese.value = '`+month+`'`)
	w.unfold()
	w.do(typeIn("#massimo", "60"), click("form.ask button"))
	w.arrives("massimo=60")
	rows := evaluate[int](w, `document.querySelectorAll('table.places tbody tr').length`)
	if dear := evaluate[int](w,
		`[...document.querySelectorAll('table.places tbody td:nth-child(2)')].filter(c => parseInt(c.firstChild.textContent.replace(/[^0-9.,]/g, '').replace(',', '.')) > 60).length`); rows < 3 || dear > 0 {
		t.Errorf("%d destinations, %d above 60", rows, dear)
	}
	w.check("cheap-month")
	first, level := w.text("table.places tbody a"), evaluate[string](w,
		`document.querySelector('table.places tbody .level').className.split(' ')[1]`)
	w.do(click("table.places tbody a"))
	w.wait(`document.querySelector('article .route')`)
	w.unfold()
	if at := w.text("article .route"); !strings.Contains(at, first) {
		t.Errorf("the alert of %s is on the page of %q", first, at)
	}
	if shown := evaluate[bool](w, `document.querySelector('article.verdict').classList.contains('`+level+`')`); !shown {
		t.Errorf("%s is %s in the list, and not on its page", first, level)
	}
	w.do(typeIn("#email", "ada@example.com"), click("form.alert button"))
	w.wait(`(document.querySelector('.status.good') || location.pathname.includes('alerts'))`)
	mailed(t, v.mails, regexp.MustCompile(`/alerts/confirm\S*`))
}

func dayByKeyboard(t *testing.T, base string, w *tab, say map[string]string) {
	t.Helper()
	w.light("a verdict with its calendar", base, "/?da=Milano&a=Bucarest")
	w.check("verdict")
	w.unfold()
	w.do(chromedp.Focus(chromedp.CSS(".calendar summary")))
	for range 60 {
		if evaluate[bool](w, `document.activeElement.matches('.calendar td a')`) {
			break
		}
		w.do(chromedp.KeyEvent(kb.Tab))
	}
	before := evaluate[string](w, `document.activeElement.href`)
	if w.scripted {
		w.do(chromedp.KeyEvent(kb.ArrowRight))
	} else {
		w.do(chromedp.KeyEvent(kb.Tab))
	}
	day := evaluate[string](w, `document.activeElement.href`)
	if !strings.Contains(before, "quando=") || !strings.Contains(day, "quando=") || day <= before {
		t.Fatalf("from %s to %s", before, day)
	}
	if levels := evaluate[int](w, `document.querySelectorAll('.calendar .ottimo, .calendar .caro').length`); levels > 0 {
		t.Errorf("%d days have levels on the page of another question", levels)
	}
	w.do(chromedp.KeyEvent(kb.Enter))
	w.arrives(day[strings.Index(day, "quando="):])
	if marked := evaluate[string](w, `document.querySelector('.calendar [aria-current]').href`); marked != day {
		t.Errorf("of %s the calendar marks %s", day, marked)
	}
	apart := evaluate[string](w,
		`document.querySelector('.calendar td:has([aria-current]) i').textContent.replace(/[^0-9]/g, '')`)
	if headline := w.text("article .facts"); apart != "0" && !strings.Contains(headline, apart) {
		t.Errorf("%s differs by %s in the calendar, and not in %q", day, apart, headline)
	}
	w.reads(say["moves"])
	w.check("day")
	w.light("the verdict of a day", base, day[len(base):])

	bar := evaluate[string](w, `(() => {
		const all = [...document.querySelectorAll('#months a')];
		months.open = true;
		const closed = all.find(a => a.getAttribute('href').startsWith('#') && !document.querySelector(a.getAttribute('href')).closest('details').open);
		closed.focus();
		return closed.getAttribute('href');
	})()`)
	w.do(chromedp.KeyEvent(kb.Enter))
	w.wait(fmt.Sprintf(`location.hash === '%s' && document.querySelector('%s').closest('details').open`, bar, bar))
	w.check("bar")
}
