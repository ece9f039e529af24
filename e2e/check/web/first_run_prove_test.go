package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"verdetto/e2e/fixture"
	"verdetto/shared/architecture/testenv"
	"verdetto/shared/text/i18n"
	"verdetto/shared/upstream/upstreamtest"
)

func TestProveFirstRun(t *testing.T) {
	b := openBrowser(t)
	for _, s := range []screen{
		{"firstrun-phone", phone.width, phone.height, "light"}, {"firstrun-desk", 1280, 800, "dark"},
		{"noscript-firstrun", phone.width, phone.height, "light"},
	} {
		t.Run(s.name, func(t *testing.T) {
			d, source, l := fixture.NewShell(t), fixture.Upstream(t), i18n.ForCode("it")
			server, once := d.FirstRun([]string{"TRAVELPAYOUTS_URL=" + source.URL}, "-listen",
				"127.0.0.1:"+testenv.Port(t))
			w := b.open(t, s)
			w.visit(once)
			w.reads(l.Text("setup.title"), l.Text("setup.sample_lede"))
			w.check("token")
			const check, add, start = "button[value=token]", "button[value=add]", "button[value=start]"
			token := func(text, says string) {
				w.do(typeIn("#token", text), click(check))
				w.wait(`document.querySelector('main').textContent.includes("` + says + `")`)
			}
			token("wrong", l.Text("setup.fault.token_refused"))
			w.check("token-refused")
			source.Fail(upstreamtest.Broken(503))
			token(upstreamtest.Token, l.Text("setup.fault.source"))
			token(upstreamtest.Token, l.Text("setup.cities"))
			w.check("cities")
			if n := evaluate[int](w, `document.querySelectorAll('#known option').length`); n < 1000 ||
				!evaluate[bool](w, `[...document.querySelectorAll('#known option')].some(o => o.value === 'Milano')`) {
				t.Errorf("the field completes %d names", n)
			}
			w.do(click(start))
			w.wait(`document.querySelector('#fault')`)
			w.reads(l.Text("setup.fault.city_none"))
			w.do(typeIn("#city", "Milno"), click(add))
			w.wait(`document.querySelector('#fault')?.textContent.includes('Milno')`)
			w.check("city-misspelt")
			evaluate[string](w, `document.querySelector('#city').value = ''`)
			w.do(typeIn("#city", "Milano, Roma"), click(add))
			w.wait(`document.querySelectorAll('.alerts li').length === 2`)
			w.check("cities-chosen")
			w.do(click(".alerts li:nth-child(2) button"))
			w.wait(`document.querySelectorAll('.alerts li').length === 1`)

			// A late first answer leaves time to see the progress.
			until := make(chan struct{})
			source.Fail(upstreamtest.Slow(until))
			w.do(click(start))
			w.wait(`document.querySelector('progress')`)
			server.Answers(t)
			w.reads(l.Text("setup.refresh"), filepath.Join(d.Dir, "verdetto.toml"))
			w.check("refresh")
			close(until)
			w.wait(`document.querySelector('a.go')`)
			w.reads(l.Text("setup.first"), "Milano")
			w.check("first")
			w.do(click("a.go"))
			w.wait(`document.querySelector('article.verdict')`)
			if at := evaluate[string](w, `location.href`); !strings.HasPrefix(at, server.URL+"/?") {
				t.Errorf("the verdict is at %s", at)
			}
			w.picture("verdict")
			w.quiet("status of 422")
			if code := server.Stop(t); code != 0 {
				t.Errorf("exit code %d", code)
			}
			if info, err := os.Stat(filepath.Join(d.Dir, "verdetto.toml")); err != nil || info.Mode() != 0o600 {
				t.Errorf("the settings file: %v %v", info, err)
			}
		})
	}
}

func TestProveFirstRunAlone(t *testing.T) {
	b := openBrowser(t)
	d := fixture.NewShell(t)
	server, once := d.FirstRun(nil, "-listen", "127.0.0.1:"+testenv.Port(t))
	attacker := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><title>another page</title><iframe src="%[1]s"></iframe><a href="%[1]s">a link</a>
<form method="post" action="%[1]s"><button name="do" value="sample">a form</button></form>`, once)
	}))
	defer attacker.Close()
	for _, from := range []string{attacker.URL, strings.Replace(attacker.URL, "127.0.0.1", "localhost", 1)} {
		for _, click := range []string{"a", "button"} {
			w := b.open(t, phone)
			w.visit(from)
			for _, script := range []string{`fetch('` + once + `').then(r => r.text(), () => 'refused')`,
				`fetch('` + once + `', {mode: 'no-cors'}).then(r => r.type, () => 'refused')`} {
				if got := evaluate[string](w, script); got != "refused" {
					t.Errorf("%s: %q", script, got)
				}
			}
			evaluate[int](w, `setTimeout(() => document.querySelector('`+click+`').click())`)
			w.wait(`document.body.textContent.includes('answers no other page')`)
		}
	}
	w := b.open(t, phone)
	w.visit(once)
	w.wait(`document.querySelector('#token')`)
	if code := server.Stop(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
