package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"verdetto/shared/architecture/testenv"
)

// cardHost imitates an AI chat program (a host), which shows the answers of tools as cards.
const cardHost = `<!doctype html><html lang="en"><title>A host of cards</title><meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,"><style>:root{color-scheme:light dark}body{margin:1rem}iframe{width:100%;border:0;display:block}</style>
<iframe title="Card" sandbox="allow-scripts allow-same-origin"></iframe><script type="module" src="/host.js"></script>`

func openHost(t *testing.T) (base string) {
	t.Helper()
	modules := testenv.Tool(t, "web", "node_modules")
	source, err := filepath.Abs("testdata/host.mjs")
	if err != nil {
		t.Fatal(err)
	}
	bundle := exec.CommandContext(t.Context(), filepath.Join(modules, "esbuild", "bin", "esbuild"), source, "--bundle",
		"--format=esm", "--platform=browser", "--log-level=error")
	bundle.Env = append(bundle.Environ(), "NODE_PATH="+modules)
	var complaint strings.Builder
	bundle.Stderr = &complaint
	script, err := bundle.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, complaint.String())
	}
	s := openShop(t)
	serve := func(kind string, data []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind+"; charset=utf-8")
			_, _ = w.Write(data)
		}
	}
	mux := http.NewServeMux()
	mux.Handle("GET /host", serve("text/html", []byte(cardHost)))
	mux.Handle("GET /host.js", serve("text/javascript", script))
	mux.Handle("/mcp", s.Service.API)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

type card struct {
	*tab
	base string
}

func showCard(t *testing.T, b browser, s screen, tool string, arguments map[string]any, able string) card {
	t.Helper()
	c := card{b.open(t, s), openHost(t)}
	c.name += "-card-" + tool
	c.visit(c.base + "/host")
	c.wait(`window.host`)
	given, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	variables := `{'--color-background-primary': 'light-dark(#ffffff, #1f1e1d)', '--color-text-primary': 'light-dark(#141413, #faf9f5)', '--font-sans': 'system-ui'}`
	evaluate[bool](c.tab,
		fmt.Sprintf(`host.show({name: %q, args: %s, theme: %q, variables: %s, able: %s}).then(() => true)`, tool, given,
			s.scheme, variables, able))
	c.wait(`host.told.done`)
	c.settled()
	return c
}

const inside = `document.querySelector('iframe').contentDocument`

func (c card) settled() {
	c.t.Helper()
	c.wait(inside + `.querySelector('article') && Math.abs(document.querySelector('iframe').clientHeight - ` + inside +
		`.body.getBoundingClientRect().height) < 2`)
}

func (c card) reads(texts ...string) {
	c.t.Helper()
	shown := strings.ReplaceAll(evaluate[string](c.tab, inside+`.querySelector('main').textContent`), "\u00a0", " ")
	for _, text := range texts {
		if !strings.Contains(shown, text) {
			c.t.Errorf("%s does not say %q: %.500s", c.name, text, shown)
		}
	}
}

func (c card) holds(what string) {
	c.t.Helper()
	c.settled()
	evaluate[bool](c.tab,
		inside+`.defaultView.axe ? true : (() => { const s = `+inside+`.createElement('script'); s.textContent = `+quoted(c.b.axe)+`; `+inside+`.head.append(s); return true })()`)
	c.check(what)
	// These errors come from the host page and its client library, not from the card.
	c.quiet("can escape its sandboxing", "405 (Method Not Allowed)")
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.requests {
		switch path := strings.TrimPrefix(r.url, c.base); {
		case path == "/host", path == "/host.js", path == "/mcp", strings.HasPrefix(r.url,
			"data:"), r.url == "about:srcdoc":
		default:
			c.t.Errorf("%s: something was fetched: %s", c.name, r.url)
		}
	}
}

func quoted(text string) string {
	data, err := json.Marshal(text)
	if err != nil {
		return `""`
	}
	return string(data)
}

func TestProveCards(t *testing.T) {
	b := openBrowser(t)
	const all = `{serverTools: {}, openLinks: {}, updateModelContext: {text: {}}}`
	route := map[string]any{"origin": "Milan", "destination": "London"}
	for _, s := range apart[:2] {
		t.Run(s.name, func(t *testing.T) {
			c := showCard(t, b, s, "flight_price_verdict", route, all)
			c.reads("Milan to London", "usual €", "Another day of departure", "These fares are invented")
			c.holds("verdict")
			if dark := evaluate[string](c.tab, inside+`.documentElement.dataset.theme`); dark != s.scheme {
				t.Errorf("the card is %s", dark)
			}

			day := evaluate[string](c.tab, `host.told.shown.structuredContent.prezzo.partenza`)
			evaluate[bool](c.tab,
				`(() => { const d = `+inside+`; d.querySelector('input').value = '`+day+`'; d.querySelector('[data-ask] button').click(); return true })()`)
			c.wait(inside + `.querySelector('[data-back]:not([hidden])')`)
			c.reads("High certainty", "Waiting 7 days")
			c.holds("day")
			if calls, contexts := evaluate[int](c.tab, `host.told.calls`), evaluate[string](c.tab,
				`JSON.stringify(host.told.contexts)`); calls != 1 || !strings.Contains(contexts, day) {
				t.Errorf("the model was told: %s", contexts)
			}
			evaluate[bool](c.tab, `(() => { `+inside+`.querySelector('[data-back]').click(); return true })()`)
			c.wait(inside + `.querySelector('[data-back]').hidden`)

			evaluate[bool](c.tab, `(() => { `+inside+`.querySelector('.next a').click(); return true })()`)
			c.wait(`host.told.opened.length === 1`)
			if opened := evaluate[string](c.tab, `host.told.opened[0]`); !strings.Contains(opened, "/?da=MIL&a=LON") {
				t.Errorf("opened %s", opened)
			}

			other := map[string]string{"light": "dark", "dark": "light"}[s.scheme]
			paper := func() string {
				return evaluate[string](c.tab, inside+`.defaultView.getComputedStyle(`+inside+`.body).backgroundColor`)
			}
			before := paper()
			evaluate[bool](c.tab, `(() => { host.theme('`+other+`'); return true })()`)
			c.wait(inside + `.documentElement.dataset.theme === '` + other + `'`)
			if after := paper(); after == before {
				t.Errorf("the paper is %s in both themes", after)
			}
			if !evaluate[bool](c.tab, `host.end().then(() => true)`) {
				t.Error("the card did not answer that it ends")
			}
		})
	}
	t.Run("calendar", func(t *testing.T) {
		c := showCard(t, b, screens[1], "fare_calendar", map[string]any{"origin": "Milano", "destination": "Londra",
			"language": "it"}, all)
		c.reads("Da Milano a Londra", "Il mese più economico")
		c.holds("calendar")
		evaluate[bool](c.tab, `(() => { `+inside+`.querySelector('.days button').click(); return true })()`)
		c.wait(inside + `.querySelector('.range')`)
		c.holds("day-of-calendar")
		if calls := evaluate[int](c.tab, `host.told.calls`); calls < 1 {
			t.Errorf("%d calls", calls)
		}
	})
	t.Run("a host that can do nothing", func(t *testing.T) {
		c := showCard(t, b, screens[2], "flight_price_verdict",
			map[string]any{"origin": "Milan", "destination": "London", "currency": "USD"}, `{}`)
		c.reads("USD")
		c.holds("bare")
		if links := evaluate[int](c.tab,
			inside+`.querySelectorAll('a[href], [data-ask]:not([hidden])').length`); links != 0 {
			t.Errorf("%d things to press that would do nothing", links)
		}
	})
}
