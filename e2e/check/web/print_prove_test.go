package web

import (
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

func TestProvePrint(t *testing.T) {
	b := openBrowser(t)
	base, _ := site(t)
	w := b.open(t, screen{"print", 760, 1000, "light"})
	for _, path := range []string{"/?da=Milano&a=Bucarest", "/?da=Milano&a=Bucarest&quando=2016-04-12", "/?da=Milano",
		"/?da=Milano&a=Berlino&soggiorno=weekend"} {
		w.visit(base + path)
		_, err := chromedp.Call(w.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
		if err != nil {
			t.Fatal(err)
		}
		w.picture("page")
		const visible = `.filter(e => e.getClientRects().length > 0 && getComputedStyle(e).display !== 'none')`
		if dead := evaluate[[]string](w, `[...document.querySelectorAll('details:not([open], .fold, .sure) > summary, `+
			`form, a[href$="#alert-title"], button')]`+visible+`.map(e => e.textContent)`); len(dead) > 0 {
			t.Errorf("%s: printed, but dead on paper: %q", path, dead)
		}
		if marked := evaluate[[]string](w, `[...document.querySelectorAll('summary')]`+visible+
			`.filter(e => getComputedStyle(e).listStyleType !== 'none').map(e => e.textContent)`); len(marked) > 0 {
			t.Errorf("%s: printed with the mark of a fold: %q", path, marked)
		}
	}
}
