// Package edge holds end-to-end tests of the edge (CloudFront), the HTTP cache between callers and
// the service.
package edge

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/store/storetest"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/routes"
)

func TestAnInventedParameterIsRefused(t *testing.T) {
	t.Parallel()
	files := map[string]string{"card": "PSA-LON-it.svg", "feed": "PSA-it.atom", "assets": "page.css",
		"sitemap-file": "PSA.xml"}
	d := newDistribution(t)
	d.table.DieAt(0, storetest.Before) // any use of the table fails
	seen := 0
	for _, r := range routes.Table {
		if r.Edge == (routes.Edge{}) {
			continue
		}
		seen++
		target := strings.ReplaceAll(r.Path, "{file}", files[r.Name])
		for _, junk := range []string{"?x1=1", "?x2=1", "?x2=1"} {
			if status, body, asked := d.get(target + junk); status != http.StatusBadRequest || !asked {
				t.Errorf("%s%s: %d, asked %v: %.120s", target, junk, status, asked, body)
			}
		}
	}
	if seen < 10 {
		t.Errorf("only %d endpoints were tried", seen)
	}
}

func TestParametersOfTheirOwnAreOtherAnswers(t *testing.T) {
	t.Parallel()
	d := newDistribution(t)
	seen := map[string]string{}
	for _, target := range []string{
		"/v1/price-trends?origin=PSA&currency=eur", "/v1/price-trends?origin=VRN&currency=eur",
		"/v1/price-trends?origin=PSA&currency=eur&destination=LON",
		"/v1/citta?q=mila&lang=it", "/v1/citta?q=mila&lang=en", "/v1/citta?q=rom&lang=it",
	} {
		status, body, asked := d.get(target)
		if status != http.StatusOK || !asked {
			t.Errorf("%s: %d, asked %v", target, status, asked)
		}
		if other, ok := seen[body]; ok {
			t.Errorf("%s and %s have one answer", target, other)
		}
		seen[body] = target
		if _, again, asked := d.get(target); asked || again != body {
			t.Errorf("%s is not kept", target)
		}
	}
	// CloudFront's cache key depends on the order of the parameters.
	if _, body, asked := d.get("/v1/price-trends?currency=eur&origin=PSA"); !asked || seen[body] == "" {
		t.Errorf("another order: asked %v, %.80s", asked, body)
	}
	if status, _, asked := d.get("/v1/price-trends?origin=PSA&origin=VRN&currency=eur"); status != 400 || !asked {
		t.Errorf("given twice: %d", status)
	}
}

func TestAKeyHasItsOwnAnswers(t *testing.T) {
	t.Parallel()
	const trends, others = "/v1/price-trends?origin=PSA&currency=eur", "/v1/price-trends?origin=VRN&currency=eur"
	d := newDistribution(t)
	began := d.clock.Now()
	issue := func(who string) string {
		return fixture.IssueKey(t, d.table, who+"@example.com", d.clock.Now(), 24*time.Hour)
	}
	ada, bob := issue("ada"), issue("bob")
	key := func(k string) []string { return []string{httpapi.KeyHeader, k} }
	bearer := func(k string) []string { return []string{"Authorization", "Bearer " + k} }
	call := func(name string, after time.Duration, target string, header []string, status int, asks bool) {
		t.Helper()
		d.clock.Add(after - d.clock.Now().Sub(began))
		if got, body, asked := d.get(target, header...); got != status || asked != asks {
			t.Errorf("%s after %v: %d %.80s, asked %v; want %d, %v", name, after, got, body, asked, status, asks)
		}
	}
	for _, asks := range []bool{true, false} {
		call("ada", 0, trends, key(ada), 200, asks)
		call("ada by a bearer", 0, trends, bearer(ada), 200, asks)
		call("bob", 0, trends, key(bob), 200, asks)
		call("anonymous", 0, trends, nil, 200, asks)
		call("nobody's key", 0, trends, bearer("sk-somebody-elses"), 401, true)
		call("without a cache", 0, "/v1/analisi?origine=Pisa&destinazione=Londra", key(ada), 200, true)
	}
	call("ada", 599*time.Second, trends, key(ada), 200, false)
	fresh := issue("ada")
	call("ada's new key", 599*time.Second, trends, key(fresh), 200, true)
	call("ada's old key", 599*time.Second, trends, key(ada), 200, false)
	call("ada's old key elsewhere", 599*time.Second, others, key(ada), 401, true)
	for range 2 {
		call("ada's old key", 601*time.Second, trends, key(ada), 401, true)
	}
	call("bob", 601*time.Second, trends, key(bob), 200, true)
	call("anonymous", 601*time.Second, trends, nil, 200, false)
}

func TestRefusalsAreNotKept(t *testing.T) {
	t.Parallel()
	const trends = "/v1/price-trends?origin=PSA&currency=eur"
	d := newDistribution(t)
	for range 100 {
		if status, body, asked := d.get("/v1/price-trends?origin=QQQ&currency=eur"); status != 404 || !asked {
			t.Fatalf("%d %s", status, body)
		}
	}
	spent, other := d.from, "203.0.113.10:1"
	for n, c := range []struct {
		from   string
		status int
		asks   bool
	}{{spent, 429, true}, {spent, 429, true}, {other, 200, true}, {spent, 200, false}} {
		d.from = c.from
		if status, body, asked := d.get(trends); status != c.status || asked != c.asks {
			t.Errorf("call %d: %d %.80s, asked %v", n+1, status, body, asked)
		}
	}
}

func TestErrorsAreNotKept(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, target string
		header       []string
		status       int
		down         bool
		keptByRights bool // cached with CloudFront's default error caching minimum TTL
	}{
		{"no fares from there", "/v1/price-trends?origin=QQQ&currency=eur", nil, 404, false, true},
		{"bad parameter", "/v1/price-trends?origin=", nil, 400, false, false},
		{"unknown key", "/v1/price-trends?origin=PSA&currency=eur", []string{httpapi.KeyHeader, "vd_nobody"}, 401,
			false, false},
		{"the store is down", "/v1/price-trends?origin=PSA&currency=eur", nil, 503, true, true},
		{"no such picture", "/card/none.png", nil, 404, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, minimum := range []time.Duration{0, 10 * time.Second} {
				d := newDistribution(t)
				d.errorsKept = minimum
				if c.down {
					d.table.DieAt(0, storetest.Before)
				}
				if status, body, _ := d.get(c.target, c.header...); status != c.status {
					t.Fatalf("%d %s", status, body)
				}
				_, _, asked := d.get(c.target, c.header...)
				if want := minimum == 0 || !c.keptByRights; asked != want {
					t.Errorf("with a minimum of %v the next call asks: %v", minimum, asked)
				}
			}
		})
	}
}

func TestAnEndedAnswer(t *testing.T) {
	t.Parallel()
	const target = "/v1/price-trends?origin=PSA&currency=eur"
	d := newDistribution(t)
	_, first, _ := d.get(target)
	d.clock.Add(6*time.Hour + time.Minute)
	status, body, asked := d.get(target)
	if status != 200 || body != first || !asked {
		t.Errorf("ended: %d, asked %v", status, asked)
	}
	if _, _, asked := d.get(target); asked {
		t.Error("found unchanged, it is not good for another time")
	}
	d.clock.Add(6*time.Hour + time.Minute)
	d.table.DieAt(0, storetest.Before)
	if status, body, asked := d.get(target); status != 200 || body != first || !asked {
		t.Errorf("while the store is down: %d, asked %v", status, asked)
	}
	d.table.Heal()

	key := fixture.IssueKey(t, d.table, "ada@example.com", d.clock.Now(), 24*time.Hour)
	if status, body, _ := d.get(target, httpapi.KeyHeader, key); status != 200 {
		t.Fatalf("%d %s", status, body)
	}
	fixture.IssueKey(t, d.table, "ada@example.com", d.clock.Now(), 24*time.Hour)
	d.clock.Add(10*time.Minute + time.Second)
	if status, _, asked := d.get(target, httpapi.KeyHeader, key); status != 401 || !asked {
		t.Errorf("a replaced key: %d, asked %v", status, asked)
	}
}

func TestConditionalCallsAtTheEdge(t *testing.T) {
	t.Parallel()
	const target = "/v1/price-trends?origin=PSA&currency=eur"
	d := newDistribution(t)
	d.get(target)
	tag := ""
	for _, o := range d.kept {
		tag = o.header.Get("ETag")
	}
	if tag == "" {
		t.Fatal("a kept answer has no tag")
	}
	if status, body, asked := d.get(target, "If-None-Match", tag); status != 304 || body != "" || asked {
		t.Errorf("a caller with the same answer: %d %q, asked %v", status, body, asked)
	}
	other := newDistribution(t)
	if status, _, asked := other.get(target, "If-None-Match", tag); status != 304 || !asked {
		t.Errorf("the first caller has it: %d, asked %v", status, asked)
	}
	if status, body, asked := other.get(target); status != 200 || body == "" || asked {
		t.Errorf("the next has not: %d %.40q, asked %v", status, body, asked)
	}
}
