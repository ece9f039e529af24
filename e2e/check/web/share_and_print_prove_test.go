package web

import (
	"strings"
	"testing"

	permissions "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

func TestProveSharing(t *testing.T) {
	b := openBrowser(t)
	base, _ := site(t)
	for _, name := range []string{"clipboard-read", "clipboard-write"} {
		permission := &permissions.PermissionDescriptor{Name: name, AllowWithoutSanitization: true}
		_, err := chromedp.Call(b.ctx, permissions.SetPermission, permissions.SetPermissionParams{Origin: base,
			Setting: "granted", Permission: permission})
		if err != nil {
			t.Fatal(err)
		}
	}
	w := b.open(t, screens[2])
	w.visit(base + "/?da=Milano&a=Bucarest&lang=en&valuta=USD")
	w.wait(`document.querySelector('.verdict h1')`)
	if evaluate[bool](w, `'share' in navigator`) {
		t.Skip("this browser has a share sheet")
	}
	requests := func() (n int) { // assets are not counted, because an asset may load late
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, r := range w.requests {
			if !strings.Contains(r.url, "/assets/") {
				n++
			}
		}
		return n
	}
	before := requests()
	w.do(click("[data-share]"))
	w.wait(`document.querySelector('[data-share]').nextElementSibling.textContent === 'The link is copied.'`)
	copied := evaluate[string](w, `navigator.clipboard.readText()`)
	if !strings.HasPrefix(copied, base+"/?") || !strings.Contains(copied, "a=Bucharest") ||
		!strings.Contains(copied, "valuta=USD") {
		t.Errorf("copied %q", copied)
	}
	if after := requests(); after != before {
		t.Errorf("copying the link sent %d requests", after-before)
	}
	evaluate[bool](w, `(navigator.clipboard.writeText =
		async () => { throw new DOMException('', 'NotAllowedError') }, true)`)
	w.do(click("[data-share]"))
	w.wait(`document.querySelector('[data-share]').nextElementSibling.textContent === 'Copy this address:'`)
	if field := evaluate[string](w, `document.activeElement.value.slice(document.activeElement.selectionStart,
		document.activeElement.selectionEnd)`); field != copied {
		t.Errorf("the field with the address has %q selected, want %q", field, copied)
	}
	if status, _ := w.visit(copied); status != 200 {
		t.Errorf("the copied link answers %d", status)
	}
	w.quiet()
}

func TestProvePrinting(t *testing.T) {
	b := openBrowser(t)
	base, _ := site(t)
	w := b.open(t, screens[2])
	media := func(kind string) {
		t.Helper()
		_, err := chromedp.Call(w.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: kind,
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, target := range []string{"/?da=Milano&a=Bucarest&lang=en", "/?da=Milano&lang=en"} {
		w.visit(base + target)
		w.wait(`document.querySelector('article h1')`)
		media("print")
		w.picture("printed")
		for selector, want := range map[string]bool{"article h1": true, "article .facts": true, "form.ask": false,
			"form.alert": false, ".notify": false, "footer": false, ".languages": false,
			".verdict figure svg": strings.Contains(target, "&a="), ".change": false, "#months td": false,
			".calendar": false} {
			shown := evaluate[bool](w, `document.querySelector('`+selector+`')?.checkVisibility() ?? false`)
			if shown != want {
				t.Errorf("%s: %s is printed: %t", target, selector, shown)
			}
		}
		if ink := evaluate[string](w, `getComputedStyle(document.body).color`); ink != "rgb(29, 27, 24)" {
			t.Errorf("%s: on a dark screen the text is printed in %s", target, ink)
		}
		media("screen")
		if !evaluate[bool](w, `document.querySelector('.change').checkVisibility()`) {
			t.Errorf("%s: the form is hidden on the screen too", target)
		}
	}
	w.quiet()
}
