package limits

import (
	"cmp"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"verdetto/cmd/verdetto/edge"
	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
	"verdetto/shared/upstream/sample"
	"verdetto/shared/web/routes"
)

var (
	queries = map[string]string{
		"analisi": "origine=Pisa&destinazione=Londra", "confronto": "origine=Pisa&destinazioni=Londra",
		"calendario": "origine=Pisa&destinazione=Londra", "occasioni": "origine=Pisa",
		"vicini":  "origine=Pisa&destinazione=Londra",
		"storico": "origine=Pisa&destinazione=Londra", "rotte": "origine=Pisa", "citta": "q=pis&origine=Pisa",
		"home": "da=Pisa&a=Londra", "price-trends": "origin=PSA&currency=eur",
		"compat-metrics": "originIataCode=PSA&destinationIataCode=LON&departureDate=2026-08-01",
		"compat-dates":   "origin=PSA&destination=LON", "compat-destinations": "origin=PSA",
		"x402-analisi": "origine=Pisa&destinazione=Londra", "x402-calendario": "origine=Pisa&destinazione=Londra",
		"x402-occasioni": "origine=Pisa",
	}
	files = map[string]string{"card": "PSA-LON-it.png", "feed": "PSA-it.atom", "assets": "none.css",
		"sitemap-file": "PSA.xml"}
)

func target(r routes.Route) string {
	return strings.ReplaceAll(r.Path, "{file}", cmp.Or(files[r.Name], "offers")) + "?" + queries[r.Name]
}

func fromPisa(t *testing.T) (*fixture.Service, store.Table, *storetest.Clock) {
	t.Helper()
	clock := storetest.NewClock()
	clock.Add(fixture.Today.Sub(clock.Now()))
	table := fixture.Bolt(t, clock.Now)
	o := onemachine.Options{Table: table, Source: sample.New(), Now: clock.Now, Log: slog.New(slog.DiscardHandler)}
	if report, err := o.Refresh(t.Context(), nil, "PSA"); err != nil || report.Failed > 0 {
		t.Fatalf("%+v %v", report, err)
	}
	return fixture.Open(t, table, clock), table, clock
}

// An answer in the cache may go to several callers, so the answer must have no headers about one caller.
func TestSharedAnswerHoldsNoCallerHeaders(t *testing.T) {
	t.Parallel()
	s, table, clock := fromPisa(t)
	s.Handler = edge.Config{}.Handler(s.Handler, s.API.AdmitCached, clock.Now)
	key := fixture.IssueKey(t, table, "ada@example.com", clock.Now(), 24*time.Hour)
	seen, counted := 0, 0
	for _, r := range routes.Table {
		if r.Edge.Free == 0 || r.Name == "assets" {
			continue
		}
		seen++
		at := target(r)
		first := s.From("10.1.0.1:1", r.Method, at, "")
		pro := s.From("10.1.0.2:1", r.Method, at, "", "X-Api-Key", key)
		again := s.From("10.1.0.3:1", r.Method, at, "")
		if first.Status != 200 || first.Header.Get("X-Cache") != "MISS" || again.Header.Get("X-Cache") != "HIT" ||
			again.Body != first.Body {
			t.Errorf("%s: %d %s, then %s", at, first.Status, first.Header.Get("X-Cache"), again.Header.Get("X-Cache"))
		}
		for _, name := range []string{"X-Request-Id", "RateLimit", "X-RateLimit-Remaining", "X-Plan"} {
			if got := again.Header.Get(name); got != "" {
				t.Errorf("%s: the next caller gets the %s %q", at, name, got)
			}
		}
		unchanged := s.From("10.1.0.3:1", r.Method, at, "", "If-None-Match", first.Header.Get("ETag"))
		if tag := first.Header.Get("ETag"); tag != "" && (unchanged.Status != 304 ||
			unchanged.Header.Get("X-Cache") != "HIT" || unchanged.Header.Get("X-RateLimit-Remaining") != "") {
			t.Errorf("%s: unchanged, from the cache: %d %v", at, unchanged.Status, unchanged.Header)
		}
		if tag := pro.Header.Get("ETag"); tag != "" && r.Keyed() {
			same := s.From("10.1.0.2:1", r.Method, at, "", "X-Api-Key", key, "If-None-Match", tag)
			if before, after := left(t, pro), left(t, same); same.Status != 304 || after != before-1 {
				t.Errorf("%s: unchanged, with a key: %d, calls left %d, then %d", at, same.Status, before, after)
			}
			counted++
		}
		if (pro.Header.Get("X-Cache") == "HIT") == r.Keyed() || (pro.Header.Get("X-Plan") == "pro") != r.Keyed() {
			t.Errorf("%s: with a key: %v", at, pro.Header)
		}
	}
	if seen < 8 || counted == 0 {
		t.Errorf("only %d endpoints are shared, %d of them with a key", seen, counted)
	}
}

func TestCachedAnswersAreCounted(t *testing.T) {
	t.Parallel()
	s, _, clock := fromPisa(t)
	s.Handler = edge.Config{}.Handler(s.Handler, s.API.AdmitCached, clock.Now)
	passed := func(calls int, address func(n int) string) (n int) {
		for i := range calls {
			a := s.From(address(i), "GET", "/robots.txt", "")
			switch a.Status {
			case http.StatusOK:
				n++
			case http.StatusTooManyRequests:
				if seconds, err := strconv.Atoi(a.Header.Get("Retry-After")); err != nil || seconds < 1 || seconds > 60 ||
					a.Header.Get("X-RateLimit-Remaining") != "0" || a.Header.Get("Cache-Control") != "no-store" ||
					a.Header.Get("Access-Control-Allow-Origin") != "*" || !strings.Contains(a.Body, "troppe-richieste") {
					t.Fatalf("refused with %v %s", a.Header, a.Body)
				}
			default:
				t.Fatal(a.Status, a.Body)
			}
		}
		return n
	}
	one := func(int) string { return "192.0.2.7:1" }
	s.From("192.0.2.1:1", "GET", "/robots.txt", "")
	limit := int(routes.Cached.Free.Calls)
	got := []int{passed(limit+50, one), passed(1, func(int) string { return "192.0.2.8:1" })}
	clock.Add(time.Minute)
	got = append(got, passed(1, one), passed(routes.PerNetwork*limit+50, func(n int) string {
		return fmt.Sprintf("[2001:db8:0:%x::1]:1", n/limit*2)
	}))
	if diff := gocmp.Diff([]int{limit, 1, 1, routes.PerNetwork * limit}, got); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
}

func left(t *testing.T, a fixture.Reply) int {
	t.Helper()
	n, err := strconv.Atoi(a.Header.Get("X-RateLimit-Remaining"))
	if err != nil {
		t.Error(err)
	}
	return n
}
