// Package web holds end-to-end tests of the pages in a browser, Chromium.
package web

import (
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/shared/carrier/mail/maildir"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/upstream/sample"
	"verdetto/shared/web/httpapi"
)

func site(t *testing.T) (base, mails string) {
	t.Helper()
	w := openShop(t)
	return w.base, w.mails
}

type shop struct {
	*onemachine.Service
	base, mails string
	later       *atomic.Int64 // nanoseconds after fixture.Today
}

func openShop(t *testing.T) shop {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := shop{base: "http://" + listener.Addr().String(), mails: t.TempDir(), later: new(atomic.Int64)}
	now := func() time.Time { return fixture.Today.Add(time.Duration(s.later.Load())) }
	o := onemachine.Options{
		Table: refreshed(t, now), Source: sample.New(), Now: now, Log: slog.New(slog.DiscardHandler),
		Pepper: []byte(fixture.Pepper), Mail: s.mails, BaseURL: s.base, LocalURL: s.base,
	}
	s.Service = fixture.New(t, o)
	go s.Service.Work(t.Context())
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: fixture.Described(t, s.Service.API),
		ReadHeaderTimeout: 10 * time.Second}}
	server.Start()
	t.Cleanup(server.Close)
	return s
}

// seeded is a folder with a store of invented fares, or empty until the first test has made the
// store.
var seeded string

func refreshed(t *testing.T, now func() time.Time) store.Table {
	t.Helper()
	if seeded == "" {
		folder, err := os.MkdirTemp("", "seeded-*")
		if err != nil {
			t.Fatal(err)
		}
		seeded = folder
		table, err := boltstore.Open(filepath.Join(seeded, "fares.db"), now)
		if err != nil {
			t.Fatal(err)
		}
		o := onemachine.Options{Table: table, Source: sample.New(), Now: now, Log: slog.New(slog.DiscardHandler)}
		if _, err := o.Refresh(t.Context(), nil, "MIL", "TRN"); err != nil {
			t.Fatal(err)
		}
		fixture.Learn(t, table, fare.DayOf(now()))
		if err := table.Close(); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(seeded)); err != nil {
		t.Fatal(err)
	}
	table, err := boltstore.Open(filepath.Join(dir, "fares.db"), now, boltstore.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { table.Close() })
	return table
}

func mailed(t *testing.T, mails string, link *regexp.Regexp) (found string) {
	t.Helper()
	fixture.Mail(t, mails, func(m maildir.Mail) bool {
		found = link.FindString(m.Text)
		return found != ""
	})
	return found
}

var screens = []screen{
	{"phone-light", 360, 740, "light"},
	{"phone-dark", 360, 740, "dark"},
	{"desktop-light", 1280, 800, "light"},
	{"desktop-dark", 1280, 800, "dark"},
}

var apart = []screen{screens[0], screens[3], {"noscript-phone", 360, 740, "dark"}}

// maxKilobytes limits a page together with its files.
const maxKilobytes = 100

func TestProveJourney(t *testing.T) {
	b := openBrowser(t)
	t.Run(screens[0].name, func(t *testing.T) { journey(t, b, screens[0]) })
	for _, s := range screens[1:] {
		t.Run(s.name, func(t *testing.T) {
			base, _ := site(t)
			w := b.open(t, s)
			if status, _ := w.visit(base + "/"); status != 200 {
				t.Errorf("status %d", status)
			}
			w.check("home")
			w.visit(base + "/?da=Milano&a=Bucarest")
			w.wait(`document.querySelector('.verdict h1').textContent.startsWith('In questo momento i prezzi sono nella norma')`)
			w.check("verdict")
			w.unfold()
			if seen := w.contrast("verdict"); seen < 10 {
				t.Errorf("only %d texts and marks of charts", seen)
			}
			w.quiet()
		})
	}
}

func journey(t *testing.T, b browser, s screen) {
	t.Helper()
	base, mails := site(t)
	w := b.open(t, s)
	w.light("the first view", base, "/")
	w.check("home")

	w.do(typeIn("#da", "mila"))
	w.wait(`document.querySelectorAll('#da-list li').length > 0 && document.querySelector('#da').getAttribute('aria-expanded') === 'true'`)
	w.do(chromedp.KeyEvent(kb.ArrowDown))
	w.check("choosing")
	if marked := evaluate[string](w,
		`document.getElementById(document.querySelector('#da').getAttribute('aria-activedescendant')).textContent`); !strings.HasPrefix(marked, "Milano ") {
		t.Errorf("%q is marked", marked)
	}
	// After a city is chosen, a late search result must not open the list again.
	if open := evaluate[string](w, `new Promise(done => {
		da.value = 'milan';
		da.dispatchEvent(new Event('input'));
		da.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter' }));
		setTimeout(() => done(da.getAttribute('aria-expanded')), 400);
	})`); open != "false" {
		t.Errorf("after choosing, the list is open: %s", open)
	}
	w.do(typeIn("#a", "buca"))
	w.wait(`document.querySelectorAll('#a-list li').length > 0`)
	w.do(click("#a-list li"))
	if da, a := evaluate[string](w, `da.value`), evaluate[string](w, `a.value`); da != "Milano" || a != "Bucarest" {
		t.Fatalf("chosen: %q to %q", da, a)
	}
	w.do(click("form.ask button"))
	w.wait(`document.querySelector('.verdict h1')`)
	if at := evaluate[string](w, `location.pathname + location.search`); at != "/?da=Milano&a=Bucarest" {
		t.Errorf("the verdict is at %s", at)
	}
	if h := w.text(".verdict h1"); !strings.HasPrefix(h, "In questo momento i prezzi sono nella norma") {
		t.Errorf("the verdict is %q", h)
	}
	w.unfold()
	w.charts("", "range", "history")
	w.check("verdict")
	w.light("a verdict", base, "/?da=Milano&a=Bucarest")
	w.unfold()

	w.do(typeIn("#email", "ada@example.com"), typeIn("#threshold", "25,50"),
		click("form.alert button"))
	w.wait(`document.querySelector('.status.good')`)
	w.check("subscribed")
	w.visit(mailed(t, mails, regexp.MustCompile(regexp.QuoteMeta(base)+`/\S*alerts/confirm\S*`)))
	w.check("confirm")
	w.do(click("main form button"))
	w.wait(`document.querySelector('h1').textContent.startsWith('Avviso attivo')`)
	w.check("confirmed")
	w.do(click("main a"))
	w.wait(`document.querySelector('main').textContent.includes('25,50')`)
	w.check("alerts")
	w.do(click("main form button[name=remove]"))
	w.wait(`!document.querySelector('main').textContent.includes('25,50')`)
	w.check("ended")

	w.visit(base + "/?da=Milano&a=Bucarest")
	w.do(click(`footer a[href^="/v1/pro"]`))
	w.wait(`document.querySelector('#card-email')`)
	w.do(typeIn("#card-email", "ada@example.com"), click("form[data-send] button"))
	w.wait(`document.title === 'Invented checkout'`)
	w.do(click(`button[value=pay]`))
	w.wait(`document.querySelector('code.key')`)
	w.check("key")
	key := w.text("code.key")
	response, body := fixture.Call(t, http.DefaultClient, "GET",
		base+"/v1/storico?origine=Milano&destinazione=Bucarest", "", httpapi.KeyHeader, key)
	var history struct{ Settimane []any }
	if err := json.Unmarshal([]byte(body), &history); err != nil || response.StatusCode != 200 ||
		response.Header.Get("X-Plan") != "pro" {
		t.Errorf("the key that was shown gives %s %v", response.Status, err)
	}
	w.quiet()
}

func TestProveEveryState(t *testing.T) {
	b := openBrowser(t)
	base, _ := site(t)
	w := b.open(t, screen{"narrow", 320, 640, "light"})
	for _, c := range []struct {
		name, language, target string
		status                 int64
		says                   string
	}{
		{"english", "en-GB,en;q=0.9", "/", 200, "Is today's fare a good one?"},
		{"chosen", "it", "/?lang=en", 200, "Is today's fare a good one?"},
		{"verdict-en", "it", "/?da=milan&a=b%C3%BCkarest&lang=en", 200, "Fares are usual right now."},
		{"expensive", "it", "/?da=Milano&a=Parigi", 200, "prezzo"},
		{"too-little", "it", "/?da=Torino&a=Bucarest", 200, "Non lo sappiamo ancora."},
		{"cheap-now", "it", "/?da=Milano", 200, "I prezzi più bassi da Milano per qualsiasi destinazione"},
		{"cheap-now-en", "en", "/?da=Milano&mese=2016-05", 200, "Lowest fares from Milan to anywhere"},
		{"nothing-so-cheap", "en", "/?da=Milano&massimo=1", 404, "Nothing like that right now."},
		{"no-limit", "it", "/?da=Milano&massimo=poco", 400, "Scrivi un prezzo come 45, 45,50 o 50 USD"},
		{"nothing-from", "it", "/?da=Cuneo", 404, "Non conosciamo ancora voli da qui."},
		{"unknown-city", "it", "/?da=Milano&a=Bukarestt", 404, "Non conosciamo questa città."},
		{"not-covered", "it", "/?da=Parigi&a=Lione", 404, "Non seguiamo ancora questa rotta."},
		{"same-city", "en", "/?da=Milano&a=Milan", 400, "You are there already."},
		{"one-city", "en", "/?a=Milano", 400, "Where do you start?"},
		{"escaped", "en", "/?da=%3Cscript%3Ealert(1)%3C/script%3E&a=Roma", 404, "<script>alert(1)</script>"},
	} {
		w.language(c.language)
		w.t = t
		if status, _ := w.visit(base + c.target); status != c.status {
			t.Errorf("%s: status %d", c.name, status)
		}
		if main := w.text("main"); !strings.Contains(main, c.says) {
			t.Errorf("%s does not say %q: %.300s", c.name, c.says, main)
		}
		w.check(c.name)
	}
	w.quiet("the server responded with a status of 40")
	if n := len(w.faults); n < 4 {
		t.Errorf("the browser was heard %d times: is anybody listening?", n)
	}
}

func TestProveWithoutAScript(t *testing.T) {
	b := openBrowser(t)
	base, mails := site(t)
	w := b.open(t, screen{"noscript", 1280, 800, "light"})
	w.visit(base + "/")
	w.do(typeIn("#da", "milano"), typeIn("#a", "bucarest"), chromedp.KeyEvent(kb.Enter))
	w.wait(`document.querySelector('.verdict h1')?.textContent.startsWith('In questo momento i prezzi sono nella norma')`)
	w.check("verdict")
	w.unfold()
	w.do(typeIn("#email", "ada@example.com"), click("form.alert button"))
	w.wait(`document.querySelector('h1').textContent === 'Controlla la posta'`)
	w.check("subscribed")
	mailed(t, mails, regexp.MustCompile(`/alerts/confirm\S*`))
	w.visit(base + "/?da=Milano&a=Bucarest")
	w.do(click(`footer a[href^="/v1/pro"]`))
	w.wait(`document.querySelector('#card-email')`)
	w.do(typeIn("#card-email", "ada@example.com"), click("form[data-send] button"))
	w.wait(`location.pathname.endsWith('/checkout') && document.querySelector('main a.go')`)
	w.check("checkout")
	w.do(click("main a.go"))
	w.wait(`document.title === 'Invented checkout'`)
	w.do(click(`button[value=pay]`))
	w.wait(`document.querySelector('code.key')`)
	w.quiet()
}
