package web

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/shared/store/storetest"
	"verdetto/shared/upstream/sample"
)

func TestProveReference(t *testing.T) {
	clock := storetest.NewClock()
	clock.Add(fixture.Today.Sub(clock.Now()))
	table := fixture.Bolt(t, clock.Now)
	fixture.Refreshed(t, table, sample.New(), clock.Now, "MIL")
	service := fixture.New(t, onemachine.Options{Table: table, Now: clock.Now, Log: slog.New(slog.DiscardHandler)})
	described := fixture.Described(t, service.API)
	var mu sync.Mutex
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/v1/analisi") {
			mu.Lock()
			asked = append(asked, r.URL.RequestURI()+" "+r.Header.Get("X-Api-Key"))
			mu.Unlock()
		}
		described.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	key := fixture.IssueKey(t, table, "reader@example.com", clock.Now(), 24*time.Hour)
	b := openBrowser(t)
	const first = "/v1/analisi?origine=Milano&destinazione=Bucarest"
	for _, s := range []screen{{"reference-360", 360, 740, "light"}, {"reference-1280", 1280, 800, "dark"}} {
		w := b.open(t, s)
		w.visit(server.URL + "/v1/docs")
		bottom := evaluate[int](w, `Math.ceil(document.querySelector('form.try button').getBoundingClientRect().bottom)`)
		if bottom > int(s.height) {
			t.Errorf("%s: the first call ends at %d pixels", s.name, bottom)
		}
		t.Logf("%s: the page is %d pixels high", s.name, evaluate[int](w, `document.documentElement.scrollHeight`))
		w.check("overview")
		w.do(click("form.try button"))
		w.wait(`document.querySelector('.answer pre')?.textContent.includes('"livello"')`)
		w.check("answer")
		w.do(typeIn("#pro-key-field", key), click("form.try button"))
		w.wait(`document.querySelector('.answer pre')?.textContent.includes('"livello"')`)
		w.wait(`!document.querySelector('.answer p').textContent.startsWith('Waiting')`)
		mu.Lock()
		if len(asked) != 2 || asked[0] != first+" " || asked[1] != first+" "+key {
			t.Errorf("%s: asked %q", s.name, asked)
		}
		asked = nil
		mu.Unlock()
		if evaluate[bool](w, `localStorage.length + sessionStorage.length > 0`) {
			t.Errorf("%s: the page stores something", s.name)
		}
		evaluate[bool](w, `location.assign('/v1/docs#endpoint-alerts'), true`) // a link from the time when the reference was a single page
		w.wait(`location.search === '?sezione=alerts' && location.hash === '#endpoint-alerts'`)
		evaluate[bool](w, `location.assign('/v1/docs#citta-sconosciuta'), true`)
		w.wait(`location.search === '' && document.querySelector(':target')?.textContent.includes('citta-sconosciuta')`)
		for _, name := range []string{"fares", "usdc", "x402"} {
			w.visit(server.URL + "/v1/docs?sezione=" + name)
			w.check(name)
			t.Logf("%s: %s is %d pixels high", s.name, name, evaluate[int](w, `document.documentElement.scrollHeight`))
		}
		w.quiet()
	}
	w := b.open(t, screen{"noscript-reference", 1000, 800, "light"})
	w.visit(server.URL + "/v1/docs")
	w.do(click("form.try button"))
	mu.Lock()
	defer mu.Unlock()
	for range 100 {
		if len(asked) > 0 {
			break
		}
		mu.Unlock()
		time.Sleep(50 * time.Millisecond)
		mu.Lock()
	}
	if len(asked) != 1 || asked[0] != first+" " {
		t.Errorf("without scripts: asked %q", asked)
	}
}
