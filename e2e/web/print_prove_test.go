package web

import (
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// TestProvePrint: paper holds the answer. A closed fold is left out, except a month of the calendar,
// whose line is an answer. No line has the mark of a fold, and no link leads to a form.
func TestProvePrint(t *testing.T) {
	b := openBrowser(t)
	base, _ := site(t)
	w := b.open(t, screen{"print", 760, 1000, "light"})
	for _, c := range []struct {
		path   string
		months bool
	}{
		{"/?da=Milano&a=Bucarest", true}, {"/?da=Milano&a=Bucarest&quando=2016-04-12", true}, {"/?da=Milano", false},
		{"/?da=Milano&a=Berlino&soggiorno=weekend", false},
	} {
		w.visit(base + c.path)
		_, err := chromedp.Call(w.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
		if err != nil {
			t.Fatal(err)
		}
		w.picture("page")
		const visible = `.filter(e => e.getClientRects().length > 0 && getComputedStyle(e).display !== 'none')`
		months := evaluate[int](w, `[...document.querySelectorAll('.calendar details:not([open]) summary')]`+
			visible+`.length`)
		if (months > 0) != c.months {
			t.Errorf("%s: %d closed months are printed", c.path, months)
		}
		if dead := evaluate[[]string](w, `[...document.querySelectorAll('details:not([open]):not(.calendar details) summary, `+
			`form, a[href$="#alert-title"], button')]`+visible+`.map(e => e.textContent)`); len(dead) > 0 {
			t.Errorf("%s: printed, but dead on paper: %q", c.path, dead)
		}
		if marked := evaluate[[]string](w, `[...document.querySelectorAll('summary')]`+visible+
			`.filter(e => getComputedStyle(e).listStyleType !== 'none').map(e => e.textContent)`); len(marked) > 0 {
			t.Errorf("%s: printed with the mark of a fold: %q", c.path, marked)
		}
	}
}
