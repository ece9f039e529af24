package web

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"verdetto/shared/architecture/testenv"
)

var screenshots = flag.String("screenshots", "", "folder to leave pictures of the pages in")

func call(ctx context.Context, command cdp.Command[cdp.Empty, cdp.Empty]) error {
	_, err := chromedp.Call(ctx, command, cdp.Empty{})
	return err
}

type browser struct {
	ctx context.Context
	axe string
}

var started = sync.OnceValues(func() (ctx context.Context, err error) {
	folder, err := os.MkdirTemp("", "chromium-*")
	if err != nil {
		return nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox,
		chromedp.UserDataDir(folder))
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, closed := chromedp.NewContext(ctx)
	ended = func() {
		closed()
		stop()
		os.RemoveAll(folder)
	}
	return ctx, chromedp.Do(ctx)
})

var (
	program string
	ended   = func() {}
)

func TestMain(m *testing.M) {
	code := m.Run()
	ended()
	os.RemoveAll(seeded)
	os.Exit(code)
}

func openBrowser(t *testing.T) browser {
	t.Helper()
	program = testenv.Command(t, "chromium", "apt-get install chromium", "chromium-browser", "google-chrome")
	axe, err := os.ReadFile(testenv.Tool(t, "web", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, err := started()
	if err != nil {
		t.Fatalf("start %s: %v", program, err)
	}
	return browser{ctx, string(axe)}
}

type tab struct {
	t        *testing.T
	b        browser
	ctx      context.Context
	name     string
	scripted bool

	mu       sync.Mutex
	faults   []string
	requests []sent
	bytes    map[network.RequestID]float64
}

type sent struct {
	id   network.RequestID
	url  string
	kind network.ResourceType
}

// If the name of a screen begins with noscript, the browser runs no scripts.
type screen struct {
	name          string
	width, height int64
	scheme        string
}

func (b browser) open(t *testing.T, s screen) *tab {
	t.Helper()
	ctx, closed := chromedp.NewContext(b.ctx)
	t.Cleanup(closed)
	w := &tab{t: t, b: b, ctx: ctx, name: s.name, bytes: map[network.RequestID]float64{}}
	w.scripted = !strings.HasPrefix(s.name, "noscript")
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(s.width, s.height)); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Listen(ctx, w.heard); err != nil {
		t.Fatal(err)
	}
	_, enabled := chromedp.Call(ctx, network.Enable, network.EnableParams{})
	// Each visit is measured as a first visit, so the cache is disabled.
	_, uncached := chromedp.Call(ctx, network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: true})
	_, emulated := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: s.scheme}},
	})
	_, disabled := chromedp.Call(ctx, emulation.SetScriptExecutionDisabled,
		emulation.SetScriptExecutionDisabledParams{Value: !w.scripted})
	if err := errors.Join(call(ctx, log.Enable), call(ctx, audits.Enable), call(ctx, runtime.Enable),
		enabled, uncached, emulated, disabled); err != nil {
		t.Fatal(err)
	}
	w.language("it")
	return w
}

func (w *tab) language(tag string) {
	w.t.Helper()
	_, err := chromedp.Call(w.ctx, network.SetExtraHTTPHeaders,
		network.SetExtraHTTPHeadersParams{Headers: network.Headers{"Accept-Language": tag}})
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *tab) heard(event any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		w.faults = append(w.faults, "exception: "+e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		w.faults = append(w.faults, fmt.Sprintf("console: %s", e.Type))
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelInfo { // harmless, such as a late autofocus
			return
		}
		w.faults = append(w.faults, fmt.Sprintf("%s %s: %s %s", e.Entry.Source, e.Entry.Level, e.Entry.Text,
			e.Entry.URL))
	case *audits.EventIssueAdded:
		w.faults = append(w.faults, fmt.Sprintf("issue: %s %+v", e.Issue.Code, e.Issue.Details.GenericIssueDetails))
	case *network.EventRequestWillBeSent:
		w.requests = append(w.requests, sent{e.RequestID, e.Request.URL, e.Type})
	case *network.EventLoadingFinished:
		w.bytes[e.RequestID] = e.EncodedDataLength
	}
}

// Without chromedp.CSS, chromedp would also search for the selector in the texts of the page.
func click(selector string) chromedp.Action[chromedp.Void] {
	return chromedp.Click(chromedp.CSS(selector))
}

func typeIn(selector, text string) chromedp.Action[chromedp.Void] {
	return chromedp.SendKeys(chromedp.CSS(selector), text)
}

func (w *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, time.Minute)
	defer cancel()
	for i, s := range steps {
		if err := chromedp.Do(ctx, s); err != nil {
			w.shoot("stuck")
			w.t.Fatalf("%s, step %d: %v; so far %q", w.name, i+1, err, w.faults)
		}
	}
}

func (w *tab) visit(address string) (status int64, html string) {
	w.t.Helper()
	w.mu.Lock()
	w.requests, w.bytes = nil, map[network.RequestID]float64{}
	w.mu.Unlock()
	ctx, cancel := context.WithTimeout(w.ctx, time.Minute)
	defer cancel()
	response, err := chromedp.Run(ctx, chromedp.NavigateResponse(address))
	if err != nil {
		w.t.Fatalf("%s: %v", address, err)
	}
	w.mu.Lock()
	id := w.requests[0].id
	w.mu.Unlock()
	body, err := chromedp.Call(ctx, network.GetResponseBody, network.GetResponseBodyParams{RequestID: id})
	if err != nil {
		w.t.Fatalf("%s: %v", address, err)
	}
	return response.Status, string(body.Body)
}

func evaluate[T any](w *tab, expression string) T {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, time.Minute)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		w.t.Fatalf("%s: %.60s: %v", w.name, expression, err)
	}
	return v
}

// A click on a page that has not loaded yet may hit nothing, so wait also requires a loaded page.
func (w *tab) wait(expression string) {
	w.t.Helper()
	deadline := time.Now().Add(time.Minute)
	for time.Now().Before(deadline) {
		holds, err := chromedp.Run(w.ctx,
			chromedp.Evaluate[bool]("document.readyState === 'complete' && Boolean("+expression+")"))
		if err == nil && holds {
			return
		}
		select {
		case <-w.ctx.Done():
			w.t.Fatal(w.ctx.Err())
		case <-time.After(30 * time.Millisecond):
		}
	}
	w.shoot("stuck")
	w.t.Fatalf("%s: %s never held; so far %q", w.name, expression, w.faults)
}

func (w *tab) shoot(what string) {
	w.t.Helper()
	dir := *screenshots
	if dir == "" {
		return
	}
	picture, err := chromedp.Run(w.ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, w.name+"-"+what+".png"), picture, 0o644)
	}
	if err != nil {
		w.t.Errorf("picture of %s: %v", what, err)
	}
}

func (w *tab) picture(what string) {
	w.t.Helper()
	w.wait(`document.documentElement.clientWidth > 0 && document.fonts.status === 'loaded'`)
	w.shoot(what)
}

func (w *tab) unfold() {
	w.t.Helper()
	evaluate[int](w, `[...document.querySelectorAll('details')].map(d => d.open = true).length`)
}

func (w *tab) check(what string) {
	w.t.Helper()
	w.picture(what)
	if !w.scripted {
		return
	}
	type finding struct {
		ID, Impact, Help string
		Nodes            []struct{ HTML, FailureSummary string }
	}
	for _, f := range evaluate[[]finding](w, w.b.axe+`;
		axe.run(document, {resultTypes: ['violations']}).then(r => r.violations.map(v => ({ID: v.id, Impact: v.impact, Help: v.help,
			Nodes: v.nodes.map(n => ({HTML: n.html, FailureSummary: n.failureSummary}))})))`) {
		w.t.Errorf("%s, %s: %s (%s): %s: %.300v", w.name, what, f.ID, f.Impact, f.Help, f.Nodes)
	}
	w.contrast(what)
	if over := evaluate[int](w,
		`document.documentElement.scrollWidth - document.documentElement.clientWidth`); over > 0 {
		w.t.Errorf("%s, %s: the page is %d pixels wider than the screen", w.name, what, over)
	}
}

func (w *tab) quiet(allowed ...string) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, f := range w.faults {
		if !slices.ContainsFunc(allowed, func(a string) bool { return strings.Contains(f, a) }) {
			w.t.Errorf("%s: the browser complains: %s", w.name, f)
		}
	}
}

func (w *tab) weigh(address, html string) (kilobytes float64) {
	w.t.Helper()
	home, err := url.Parse(address)
	if err != nil {
		w.t.Fatal(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.requests {
		if strings.HasPrefix(r.url, "data:") {
			continue // a data URL causes no request over the network
		}
		u, err := url.Parse(r.url)
		if err != nil || u.Scheme != home.Scheme || u.Host != home.Host {
			w.t.Errorf("%s: a request to somebody else: %s", w.name, r.url)
			continue
		}
		if r.kind != network.ResourceTypeDocument && !strings.Contains(html, `"`+u.Path+`"`) {
			w.t.Errorf("%s: %s is not named in the HTML: it takes one more round trip", w.name, u.Path)
		}
		kilobytes += w.bytes[r.id] / 1000
	}
	if kilobytes < 10 {
		w.t.Errorf("%s: %.1f kB cannot be all", w.name, kilobytes)
	}
	return math.Round(kilobytes*10) / 10
}

func (w *tab) light(what, base, path string) {
	w.t.Helper()
	status, html := w.visit(base + path)
	if weight := w.weigh(base, html); status != 200 || weight > maxKilobytes {
		w.t.Errorf("%s weighs %.1f kB, status %d", what, weight, status)
	} else {
		w.t.Logf("%s weighs %.1f kB in %d requests", what, weight, len(w.requests))
	}
}

func (w *tab) text(selector string) string {
	w.t.Helper()
	return evaluate[string](w, `document.querySelector('`+selector+`').textContent`)
}

// reads treats a no-break space as a space.
func (w *tab) reads(texts ...string) {
	w.t.Helper()
	main := strings.ReplaceAll(w.text("main"), "\u00a0", " ")
	for _, text := range texts {
		if !strings.Contains(main, text) {
			w.t.Errorf("%s does not say %q: %.600s", w.name, text, main)
		}
	}
}

func (w *tab) charts(within string, classes ...string) {
	w.t.Helper()
	for _, class := range classes {
		seen := `[...document.querySelectorAll('svg.` + class + `')].filter(c => c.getBoundingClientRect().height > 20`
		if within != "" {
			seen += ` && c.querySelector('` + within + `')`
		}
		if n := evaluate[int](w, seen+`).length`); n != 1 {
			w.t.Errorf("%d charts of %s are seen", n, class)
		}
	}
}
