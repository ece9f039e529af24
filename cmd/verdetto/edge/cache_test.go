package edge

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"verdetto/shared/web/routes"
)

type service struct {
	asked  int
	status int
	header http.Header
	body   string
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.asked++
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("ETag", `"`+strconv.Itoa(s.asked)+`"`)
	h.Set("X-Request-Id", "of-one")
	h.Set("X-RateLimit-Remaining", "7")
	h.Set("RateLimit", "x;r=7")
	h.Set("X-RateLimit-Limit", "100")
	h.Set("Cache-Control", "public, s-maxage=60")
	for name, values := range s.header {
		h[name] = values
	}
	if r.Header.Get("If-None-Match") == h.Get("ETag") {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if s.status != 0 {
		w.WriteHeader(s.status)
	}
	fmt.Fprintf(w, "%d %s%s", s.asked, r.URL.RequestURI(), s.body)
}

func ask(h http.Handler, method, target string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func admitAll(http.ResponseWriter, *http.Request) bool { return true }

const trends = "/v1/price-trends?origin=PSA"

func TestShared(t *testing.T) {
	for _, c := range []struct {
		name    string
		service service
		method  string
		first   string
		second  string
		header  []string
		shared  bool
	}{
		{"the same", service{}, "GET", trends, trends, nil, true},
		{"its parameters in another order", service{}, "GET", trends + "&currency=USD",
			"/v1/price-trends?currency=USD&origin=PSA", nil, true},
		{"a HEAD of the same", service{}, "HEAD", trends, trends, nil, true},
		{"another language asked for", service{}, "GET", trends, trends,
			[]string{"Accept-Language", "it", "Accept", "text/html"}, true},
		{"a file", service{}, "GET", "/assets/a.css", "/assets/a.css", nil, true},
		{"another value", service{}, "GET", trends, "/v1/price-trends?origin=VRN", nil, false},
		{"a value more", service{}, "GET", trends, trends + "&origin=VRN", nil, false},
		{"another parameter", service{}, "GET", trends, trends + "&destination=LON", nil, false},
		{"an unknown parameter", service{}, "GET", trends, trends + "&x=1", nil, false},
		{"a query that cannot be read", service{}, "GET", trends + "&currency=%zz", trends + "&currency=%zz", nil,
			false},
		{"another path", service{}, "GET", trends, "/api/v1/price-trends?origin=PSA", nil, false},
		{"another file", service{}, "GET", "/assets/a.css", "/assets/b.css", nil, false},
		{"a key", service{}, "GET", trends, trends, []string{"X-Api-Key", "vd_x"}, false},
		{"an empty key", service{}, "GET", trends, trends, []string{"X-Api-Key", ""}, false},
		{"a key of which the endpoint reads none", service{}, "GET", "/v1/openapi.json", "/v1/openapi.json",
			[]string{"X-Api-Key", "vd_x", "Authorization", "Bearer vd_x"}, true},
		{"a key in Authorization", service{}, "GET", trends, trends, []string{"Authorization", "Bearer vd_x"}, false},
		{"another method", service{}, "POST", trends, trends, nil, false},
		{"an endpoint that is not shared", service{}, "GET", "/v1/analisi?origine=Pisa", "/v1/analisi?origine=Pisa",
			nil, false},
		{"no path of ours", service{}, "GET", "/v1/price-trends/", "/v1/price-trends/", nil, false},
		{"not to be stored", service{header: http.Header{"Cache-Control": {"no-store"}}}, "GET", trends, trends, nil,
			false},
		{"private", service{header: http.Header{"Cache-Control": {"private, s-maxage=60"}}}, "GET", trends, trends, nil,
			false},
		{"for a browser alone", service{header: http.Header{"Cache-Control": {"max-age=60"}}}, "GET", trends, trends,
			nil, false},
		{"no lifetime", service{header: http.Header{"Cache-Control": nil}}, "GET", trends, trends, nil, false},
		{"no whole number", service{header: http.Header{"Cache-Control": {"s-maxage=6e9"}}}, "GET", trends, trends, nil,
			false},
		{"a cookie", service{header: http.Header{"Set-Cookie": {"a=b"}}}, "GET", trends, trends, nil, false},
		{"an error", service{status: 503}, "GET", trends, trends, nil, false},
		{"too many calls", service{status: 429}, "GET", trends, trends, nil, false},
		{"not found", service{status: 404}, "GET", trends, trends, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := c.service
			h := newCache(&s, admitAll, time.Now, maxBytes)
			a := ask(h, "GET", c.first)
			b := ask(h, c.method, c.second, c.header...)
			if shared := s.asked == 1; shared != c.shared {
				t.Fatalf("the service was asked %d times", s.asked)
			}
			if !c.shared {
				if !strings.Contains(b.Body.String(), "2 ") || b.Header().Get("X-Cache") == "HIT" {
					t.Errorf("the second answer: %v %s", b.Header(), b.Body)
				}
				return
			}
			if c.method == "GET" && b.Body.String() != a.Body.String() || c.method == "HEAD" && b.Body.Len() > 0 ||
				b.Code != 200 {
				t.Errorf("%d %q, then %d %q", a.Code, a.Body, b.Code, b.Body)
			}
			h1, h2 := a.Header(), b.Header()
			if h1.Get("X-Cache") != "MISS" || h2.Get("X-Cache") != "HIT" || h2.Get("Age") != "0" ||
				h2.Get("X-RateLimit-Limit") != "100" || h1.Get("X-RateLimit-Remaining") != "7" {
				t.Errorf("headers %v, then %v", h1, h2)
			}
			for _, name := range []string{"X-Request-Id", "X-RateLimit-Remaining", "RateLimit"} {
				if h2.Get(name) != "" {
					t.Errorf("the answer holds another caller's %s", name)
				}
			}
		})
	}
}

func TestLifetime(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := &service{}
	h := newCache(s, admitAll, func() time.Time { return now }, maxBytes)
	for _, c := range []struct {
		after time.Duration
		asked int
		age   string
	}{{0, 1, ""}, {59 * time.Second, 1, "59"}, {time.Second, 2, ""}, {30 * time.Second, 2, "30"},
		{30 * time.Second, 3, ""}} {
		now = now.Add(c.after)
		if w := ask(h, "GET", trends); s.asked != c.asked || w.Header().Get("Age") != c.age {
			t.Errorf("at %s asked %d times, age %q; want %d, %q", now.Format(time.TimeOnly), s.asked,
				w.Header().Get("Age"), c.asked, c.age)
		}
	}
}

func TestKnownAlready(t *testing.T) {
	s := &service{}
	h := newCache(s, admitAll, time.Now, maxBytes)
	for n, c := range []struct {
		has    string
		status int
	}{{`"1"`, 304}, {`"1"`, 304}, {`W/"1"`, 304}, {`"0", "1"`, 304}, {`"0"`, 200}, {"", 200}} {
		w := ask(h, "GET", trends, "If-None-Match", c.has)
		if w.Code != c.status || (w.Body.Len() > 0) != (c.status == 200) || s.asked != 1 ||
			w.Header().Get("ETag") != `"1"` {
			t.Errorf("call %d: %d %q after %d calls of the service", n, w.Code, w.Body, s.asked)
		}
	}
}

func TestBounded(t *testing.T) {
	s := &service{body: strings.Repeat("x", 10_000)}
	const most = 200_000
	h := newCache(s, admitAll, time.Now, most)
	for n := range 1000 {
		ask(h, "GET", "/v1/price-trends?origin=A"+strconv.Itoa(n))
		ask(h, "GET", "/v1/price-trends?origin=A0")
	}
	if h.size > most || h.recent.Len() != len(h.byKey) || h.recent.Len() < 10 || s.asked != 1000 {
		t.Errorf("%d bytes in %d answers, %d by key; the service was asked %d times", h.size, h.recent.Len(),
			len(h.byKey), s.asked)
	}
	sum := 0
	for e := h.recent.Front(); e != nil; e = e.Next() {
		sum += e.Value.(*cachedAnswer).bytes()
	}
	if sum != h.size {
		t.Errorf("%d bytes are counted, and %d there", h.size, sum)
	}
	s.body = strings.Repeat("x", most/4)
	if ask(h, "GET", "/v1/price-trends?origin=B"); h.byKey[" /v1/price-trends?origin=B"] != nil {
		t.Error("an answer is kept that pushes out all others")
	}
}

func TestEveryEdgeRouteIsKept(t *testing.T) {
	seen := 0
	for _, r := range routes.Table {
		if r.Edge.Free == 0 {
			continue
		}
		for _, path := range r.Paths() {
			seen++
			s := &service{}
			h := newCache(s, admitAll, time.Now, maxBytes)
			path = strings.ReplaceAll(path, "{file}", "x.png")
			for range 2 {
				ask(h, "GET", path)
			}
			if s.asked != 1 {
				t.Errorf("%s is asked for %d times", path, s.asked)
			}
		}
	}
	if seen < 8 {
		t.Errorf("only %d paths were looked at", seen)
	}
}
