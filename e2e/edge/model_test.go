package edge

import (
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/shared/store/storetest"
	"verdetto/shared/upstream/sample"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/routes"
)

// cloudFront is a model of CloudFront's caching, written from CloudFront's developer guide.
type cloudFront struct {
	origin http.Handler
	now    func() time.Time
	// errorsKept is the error caching minimum TTL: 0 in our distribution, 10 seconds by default.
	errorsKept time.Duration

	kept  map[string]*object
	asked int
}

type object struct {
	status int
	header http.Header
	body   []byte
	until  time.Time // the answer is fresh before this time
	retry  time.Time // after a failure, the origin gets no request before this time
}

// CloudFront caches the statuses in alwaysKept, and those in sometimesKept if a header names a
// lifetime ("HTTP 4xx and 5xx status codes that CloudFront caches").
var (
	alwaysKept    = []int{404, 405, 414, 500, 501, 502, 503, 504}
	sometimesKept = []int{400, 403, 412, 415}
)

func (m *cloudFront) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	behaviour, _ := routes.Matching(r.URL.Path)
	row := behaviour.Route
	kept := row.Edge != (routes.Edge{})
	if !kept || r.Method != http.MethodGet {
		m.write(w, r, m.ask(r), kept)
		return
	}
	key := r.URL.Path + "?" + r.URL.RawQuery
	if row.Keyed() {
		key += " " + r.Header.Get(httpapi.KeyHeader) + "|" + r.Header.Get("Authorization")
	}
	onward := r.Clone(r.Context())
	onward.Header.Del("If-None-Match")

	old := m.kept[key]
	if old != nil && (m.now().Before(old.until) || m.now().Before(old.retry)) {
		m.write(w, r, old, true)
		return
	}
	if old != nil && old.status == http.StatusOK && old.header.Get("ETag") != "" {
		onward.Header.Set("If-None-Match", old.header.Get("ETag"))
	}
	fresh := m.ask(onward)
	switch {
	case fresh.status == http.StatusNotModified && old != nil:
		old.until = m.now().Add(lifetime(fresh.header))
		fresh = old
	case fresh.status >= 500 && old != nil && old.status == http.StatusOK:
		old.retry = m.now().Add(m.errorsKept)
		fresh = old // the answer is served although it has expired
	default:
		life := lifetime(fresh.header)
		if slices.Contains(alwaysKept, fresh.status) || slices.Contains(sometimesKept, fresh.status) && life > 0 {
			life = max(life, m.errorsKept)
		} else if fresh.status != http.StatusOK {
			life = 0
		}
		fresh.until = m.now().Add(life)
		if fresh.status == http.StatusOK || life > 0 {
			m.kept[key] = fresh
		}
	}
	m.write(w, r, fresh, true)
}

func (m *cloudFront) ask(r *http.Request) *object {
	m.asked++
	w := httptest.NewRecorder()
	onward := r.Clone(r.Context())
	onward.Header.Set("X-Origin-Secret", edgeSecret)
	onward.Header.Set("CloudFront-Viewer-Address", r.RemoteAddr)
	m.origin.ServeHTTP(w, onward)
	return &object{status: w.Code, header: w.Header().Clone(), body: w.Body.Bytes()}
}

func (m *cloudFront) write(w http.ResponseWriter, r *http.Request, o *object, shared bool) {
	maps.Copy(w.Header(), o.header)
	if shared {
		for _, name := range ownHeaders {
			w.Header().Del(name)
		}
	}
	if tag := o.header.Get("ETag"); o.status == http.StatusOK && tag != "" && r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.WriteHeader(o.status)
	w.Write(o.body)
}

func lifetime(h http.Header) time.Duration {
	says := map[string]string{}
	for directive := range strings.SplitSeq(h.Get("Cache-Control"), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(directive), "=")
		says[strings.ToLower(name)] = value
	}
	// CloudFront obeys these directives because our policies have a minimum TTL of 0.
	for _, never := range []string{"no-store", "no-cache", "private"} {
		if _, ok := says[never]; ok {
			return 0
		}
	}
	for _, name := range []string{"s-maxage", "max-age"} {
		if n, err := strconv.Atoi(says[name]); err == nil {
			return time.Duration(n) * time.Second
		}
	}
	return 0
}

// Each of ownHeaders is about one caller, so the edge removes these headers from answers of endpoints
// that the edge caches.
var ownHeaders = []string{"X-RateLimit-Remaining", "RateLimit", "X-Request-Id"}

const edgeSecret = "only-the-distribution-knows"

type distribution struct {
	*cloudFront
	t     *testing.T
	clock *storetest.Clock
	table *storetest.Faulty
	from  string
}

func newDistribution(t *testing.T) *distribution {
	t.Helper()
	d := &distribution{t: t, clock: storetest.NewClock(), from: "203.0.113.9:1"}
	d.table = storetest.NewFaulty(fixture.Bolt(t, d.clock.Now))
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	o := onemachine.Options{Table: d.table, Source: sample.New(), Now: d.clock.Now, Log: quiet}
	if _, err := o.Refresh(t.Context(), nil, "PSA", "VRN"); err != nil {
		t.Fatal(err)
	}
	d.cloudFront = &cloudFront{now: d.clock.Now, kept: map[string]*object{}, origin: fixture.New(t, onemachine.Options{
		Table: d.table, Now: d.clock.Now, Log: quiet, OriginSecrets: []string{edgeSecret},
		BaseURL: "https://verdetto.example",
	}).API}
	return d
}

// asked reports whether the request reached the service.
func (d *distribution) get(target string, header ...string) (status int, body string, asked bool) {
	d.t.Helper()
	r := httptest.NewRequest(http.MethodGet, target, nil)
	r.RemoteAddr = d.from
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	before, w := d.asked, httptest.NewRecorder()
	d.ServeHTTP(w, r)
	behaviour, _ := routes.Matching(r.URL.Path)
	for _, name := range ownHeaders {
		if got := w.Header().Get(name); got != "" && behaviour.Route.Edge != (routes.Edge{}) {
			d.t.Errorf("%s tells another %s: %s", target, name, got)
		}
	}
	return w.Code, w.Body.String(), d.asked > before
}
