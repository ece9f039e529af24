// Package edge holds end-to-end tests of the edge (CloudFront), the HTTP cache between callers and
// the service. They check which cached answers different callers may get. nginx replaces
// CloudFront.
package edge

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/e2e/fixture"
	"verdetto/shared/store/storetest"
	"verdetto/shared/web/httpapi"
)

const (
	trendsOf = "/api/v1/price-trends?origin="
	trends   = trendsOf + "PSA"
	others   = trendsOf + "VRN"
	verdicts = "/v1/analisi?origine=Pisa&destinazione=Londra"
)

// step is one call to the cache with the expected answer. A walk is a list of steps.
type step struct {
	at     time.Duration // since the walk began
	first  func(e *edge) // runs before the call
	from   byte          // the caller's address is 127.0.0.from
	key    string        // owner of the key to send; an unknown owner is sent as the key
	method string        // GET if empty
	target string
	header http.Header
	status int
	cache  string // X-Cache; HIT means that the service was not asked
}

const (
	hit   = "HIT"
	miss  = "MISS"
	fresh = "REVALIDATED" // expired; the service confirmed it with 304
	stale = "EXPIRED"     // expired; the service sent a new answer
)

// The cache is empty at the start of a walk.
func walk(t *testing.T, steps ...step) {
	t.Helper()
	e := newEdge(t)
	for n, s := range steps {
		e.at(s.at)
		if s.first != nil {
			s.first(e)
		}
		e.take(s, fmt.Sprintf("step %d", n+1))
	}
}

// take also compares the answer with what the service sent to the cache for the same key and
// target.
func (e *edge) take(s step, name string) answer {
	e.t.Helper()
	if s.method == "" {
		s.method = http.MethodGet
	}
	r, err := http.NewRequest(s.method, e.url+s.target, nil)
	if err != nil {
		e.t.Fatal(err)
	}
	maps.Copy(r.Header, s.header)
	if key, ok := e.keys[s.key]; ok {
		r.Header.Set(httpapi.KeyHeader, key)
	} else if s.key != "" {
		r.Header.Set(httpapi.KeyHeader, s.key)
	}
	name = fmt.Sprintf("%s: %s %s by 127.0.0.%d with key %q after %s", name, s.method, s.target, s.from, s.key, s.at)
	before := e.reached()
	a, err := e.call(r, s.from)
	if err != nil {
		e.t.Fatalf("%s: %v", name, err)
	}
	asked, want := e.reached()-before, 1
	if s.cache == hit {
		want = 0
	}
	if a.status != s.status || a.header.Get("X-Cache") != s.cache || asked != want {
		e.t.Errorf("%s: status %d %s, the service asked %d times; want %d %s, %d", name, a.status,
			a.header.Get("X-Cache"), asked, s.status, s.cache, want)
	}
	if a.from.authorization != r.Header.Get("Authorization") {
		e.t.Errorf("%s: the answer was made for another: Authorization %q", name, a.from.authorization)
	}
	if diff := a.wrong(s.method, s.target, r.Header.Get(httpapi.KeyHeader)); diff != "" {
		e.t.Errorf("%s: %s", name, diff)
	}
	return a
}

// wrong returns how an answer differs from that of the service, or that it was made for another
// target or key.
func (a answer) wrong(method, target, key string) string {
	if a.from.target != target || a.from.key != key {
		return fmt.Sprintf("the answer was made for another: %s with key %q", a.from.target, a.from.key)
	}
	if a.status == http.StatusOK && method == http.MethodGet && !bytes.Equal(a.body, a.from.body) {
		return fmt.Sprintf("another body: %s", a.body)
	}
	if (method == http.MethodHead || a.status == http.StatusNotModified) && len(a.body) > 0 {
		return fmt.Sprintf("a body where none is due: %s", a.body)
	}
	got, want := a.header.Clone(), a.from.header.Clone()
	// These headers belong to the connection, not to the answer.
	for _, name := range []string{"Date", "Server", "Connection", "Content-Length"} {
		delete(got, name)
		delete(want, name)
	}
	if fixture.Shared(target) {
		for _, own := range []string{"X-Ratelimit-Remaining", "Ratelimit", "X-Request-Id"} {
			if _, there := want[own]; !there && own == "X-Request-Id" {
				return "the service named the request by nothing"
			}
			delete(want, own)
		}
		delete(got, "X-Cache")
		delete(want, "X-Cache")
	}
	if a.status == http.StatusNotModified {
		delete(got, "Content-Type")
		delete(want, "Content-Type")
	}
	return cmp.Diff(want, got)
}

func TestEdgeSharesFreeAnswersForSixHours(t *testing.T) {
	t.Parallel()
	for _, target := range []string{trends, "/v1/price-trends?origin=PSA", "/api/v1", "/v1"} {
		t.Run(target, func(t *testing.T) {
			walk(t,
				step{from: 2, target: target, status: 200, cache: miss},
				step{from: 3, target: target, status: 200, cache: hit},
				step{from: 2, target: target, status: 200, cache: hit},
				step{at: ends(5, 59, 0), from: 4, target: target, status: 200, cache: hit},
				step{at: ends(6, 1, 0), from: 4, target: target, status: 200, cache: fresh},
				step{at: ends(6, 1, 0), from: 3, target: target, status: 200, cache: hit},
				// The answer is fresh for 6 more hours and no longer.
				step{at: ends(11, 59, 0), from: 2, target: target, status: 200, cache: hit},
			)
		})
	}
	t.Run("then others are asked for", func(t *testing.T) {
		walk(t,
			step{from: 2, target: trends, status: 200, cache: miss},
			step{at: ends(24, 1, 0), first: (*edge).refresh, from: 2, target: trends, status: 200, cache: stale},
			step{at: ends(24, 1, 0), from: 3, target: trends, status: 200, cache: hit},
		)
	})
}

func TestEdgeKeepsAProAnswerForItsKeyAlone(t *testing.T) {
	t.Parallel()
	walk(t,
		step{from: 2, key: "ada", target: trends, status: 200, cache: miss},
		step{from: 3, key: "ada", target: trends, status: 200, cache: hit},
		step{from: 2, target: trends, status: 200, cache: miss},
		step{from: 2, key: "bob", target: trends, status: 200, cache: miss},
		step{from: 3, target: trends, status: 200, cache: hit},
		step{at: ends(0, 9, 59), from: 2, key: "ada", target: trends, status: 200, cache: hit},
		step{at: ends(0, 9, 59), from: 2, key: "bob", target: trends, status: 200, cache: hit},
		step{at: ends(0, 10, 1), from: 2, key: "ada", target: trends, status: 200, cache: fresh},
		step{at: ends(0, 10, 1), from: 2, key: "ada", target: trends, status: 200, cache: hit},
		step{at: ends(0, 10, 1), from: 2, key: "bob", target: trends, status: 200, cache: fresh},
		step{at: ends(0, 10, 1), from: 2, target: trends, status: 200, cache: hit},
		step{at: ends(0, 10, 1), from: 2, key: "vd_nobody", target: trends, status: 401, cache: miss},
	)
}

// CloudFront caches an answer to a key for 10 minutes, so a caller with the old key still gets it
// for that time. All other calls with the old key get 401.
func TestEdgeAfterARotation(t *testing.T) {
	t.Parallel()
	rotate := func(e *edge) {
		e.keys["ada, before"] = e.keys["ada"]
		e.issue("ada")
	}
	walk(t,
		step{from: 2, key: "ada", target: trends, status: 200, cache: miss},
		step{at: ends(0, 5, 0), first: rotate, from: 2, key: "ada", target: trends, status: 200, cache: miss},
		step{at: ends(0, 5, 0), from: 2, key: "ada, before", target: others, status: 401, cache: miss},
		step{at: ends(0, 9, 59), from: 2, key: "ada, before", target: trends, status: 200, cache: hit},
		step{at: ends(0, 10, 1), from: 2, key: "ada, before", target: trends, status: 401, cache: stale},
		step{at: ends(0, 10, 1), from: 2, key: "ada, before", target: trends, status: 401, cache: stale},
		step{at: ends(0, 10, 1), from: 2, key: "ada", target: trends, status: 200, cache: hit},
	)
}

func TestEdgeTellsQuestionsApart(t *testing.T) {
	t.Parallel()
	var steps []step
	for _, cache := range []string{miss, hit} {
		for n, target := range []string{
			trends, trends + "&currency=eur", trends + "&currency=gbp", trends + "&destination=LON",
			trends + "&destination=LON&currency=eur", trends + "&destination=CAG", others,
			"/v1/price-trends?origin=PSA",
		} {
			steps = append(steps, step{from: byte(2 + n), target: target, status: 200, cache: cache})
		}
	}
	walk(t, steps...)
}

func TestEdgePassesOnInventedParameters(t *testing.T) {
	t.Parallel()
	walk(t, step{from: 2, target: trends, status: 200, cache: miss},
		step{from: 3, target: trends + "&x=1", status: 400, cache: miss},
		step{from: 4, target: trends + "&x=1", status: 400, cache: miss},
		step{from: 5, target: trends, status: 200, cache: hit})
}

func TestEdgeNeverKeepsAProblem(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		step step
	}{
		{"400 without an origin", step{target: "/api/v1/price-trends", status: 400, cache: miss}},
		{"400 unknown currency", step{target: trends + "&currency=xau", status: 400, cache: miss}},
		{"401 no such key", step{key: "vd_nobody", target: trends, status: 401, cache: miss}},
		{"401 two keys", step{header: http.Header{httpapi.KeyHeader: {"vd_nobody", "vd_nobody"}}, key: "vd_nobody",
			target: trends, status: 401, cache: miss}},
		{"404 unknown origin", step{target: trendsOf + "QQQ", status: 404, cache: miss}},
		{"404 not covered", step{target: trends + "&destination=TYO", status: 404, cache: miss}},
		{"404 for a key", step{key: "ada", target: trendsOf + "QQQ", status: 404, cache: miss}},
		{"404 nothing there", step{target: "/api/v1/price-trend", status: 404}},
		{"405", step{method: http.MethodPost, target: trends, status: 405}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.step.from = 2
			again := c.step
			again.at = time.Second
			walk(t, c.step, c.step, again, step{at: time.Second, from: 2, target: trends, status: 200, cache: miss})
		})
	}
}

func TestEdgeNeverKeepsARefusal(t *testing.T) {
	t.Parallel()
	spend := func(calls int, s step) func(*edge) {
		return func(e *edge) {
			for n := range calls {
				e.take(s, fmt.Sprintf("call %d", n+1))
			}
		}
	}
	t.Run("free", func(t *testing.T) {
		all := spend(100, step{from: 2, target: trendsOf + "QQQ", status: 404, cache: miss})
		walk(t,
			step{first: all, from: 2, target: trends, status: 429, cache: miss},
			step{from: 2, target: trends, status: 429, cache: miss},
			step{from: 3, target: trends, status: 200, cache: miss},
			step{from: 2, target: trends, status: 200, cache: hit}, // shared answers cost no call
			step{from: 2, target: others, status: 429, cache: miss},
		)
	})
	t.Run("Pro", func(t *testing.T) {
		all := spend(60, step{from: 2, key: "ada", target: trendsOf + "QQQ", status: 404, cache: miss})
		walk(t,
			step{first: all, from: 2, key: "ada", target: trends, status: 429, cache: miss},
			step{from: 2, key: "ada", target: trends, status: 429, cache: miss},
			step{from: 2, key: "bob", target: trends, status: 200, cache: miss},
			step{from: 2, key: "ada", target: trends, status: 429, cache: miss},
			step{at: ends(0, 1, 0), from: 2, key: "ada", target: trends, status: 200, cache: miss},
			step{at: ends(0, 1, 0), from: 2, key: "ada", target: trends, status: 200, cache: hit},
		)
	})
}

// Callers still get cached answers until these expire.
func TestEdgeWhenStorageIsDown(t *testing.T) {
	t.Parallel()
	down := func(e *edge) { e.table.DieAt(0, storetest.Before) }
	up := func(e *edge) { e.table.Heal() }
	for _, c := range []struct {
		name, key string
		lifetime  time.Duration
	}{{"free", "", 6 * time.Hour}, {"Pro", "ada", 10 * time.Minute}} {
		t.Run(c.name, func(t *testing.T) {
			walk(t,
				step{from: 2, key: c.key, target: trends, status: 200, cache: miss},
				step{first: down, from: 2, key: c.key, target: others, status: 503, cache: miss},
				step{from: 2, key: c.key, target: others, status: 503, cache: miss},
				step{at: c.lifetime - time.Second, from: 2, key: c.key, target: trends, status: 200, cache: hit},
				step{at: c.lifetime + time.Second, from: 2, key: c.key, target: trends, status: 503, cache: stale},
				step{at: c.lifetime + time.Second, first: up, from: 2, key: c.key, target: trends, status: 200,
					cache: fresh},
				step{at: c.lifetime + time.Second, from: 2, key: c.key, target: others, status: 200, cache: miss},
			)
		})
	}
}

// All other answers contain the caller's remaining quota.
func TestEdgeHidesOtherCallersQuotas(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	const limit, remaining, reset = "X-Ratelimit-Limit", "X-Ratelimit-Remaining", "X-Ratelimit-Reset"
	head := func(h http.Header) string { return h.Get(limit) + " " + h.Get(remaining) + " " + h.Get(reset) }
	// 2066-03-02 00:00 and 2066-03-01 12:01 UTC in Unix time.
	const midnight, minute = "3034713600", "3034670460"
	for n, c := range []struct {
		step              step
		handedOver, given string
	}{
		{step{from: 2, target: trends, status: 200, cache: miss}, "100 99 " + midnight, "100  " + midnight},
		{step{from: 3, target: trends, status: 200, cache: hit}, "100 99 " + midnight, "100  " + midnight},
		{step{from: 3, target: trendsOf + "QQQ", status: 404, cache: miss}, "100 99 " + midnight, "100  " + midnight},
		{step{from: 2, key: "ada", target: trends, status: 200, cache: miss}, "60 59 " + minute, "60  " + minute},
		{step{from: 2, key: "ada", target: trends, status: 200, cache: hit}, "60 59 " + minute, "60  " + minute},
		{step{from: 2, target: verdicts, status: 200}, "30 29 " + midnight, "30 29 " + midnight},
		{step{from: 3, target: verdicts, status: 200}, "30 29 " + midnight, "30 29 " + midnight},
		{step{from: 2, target: verdicts, status: 200}, "30 28 " + midnight, "30 28 " + midnight},
		{step{from: 2, target: "/api" + verdicts, status: 200}, "30 27 " + midnight, "30 27 " + midnight},
		// Here the service sets X-Cache, not the cache.
		{step{from: 2, key: "ada", target: verdicts, status: 200, cache: miss}, "120 119 " + minute,
			"120 119 " + minute},
		{step{from: 2, key: "ada", target: verdicts, status: 200, cache: miss}, "120 118 " + minute,
			"120 118 " + minute},
		{step{from: 2, method: http.MethodHead, target: verdicts, status: 200}, "30 26 " + midnight,
			"30 26 " + midnight},
	} {
		a := e.take(c.step, fmt.Sprintf("call %d", n+1))
		if handedOver, given := head(a.from.header), head(a.header); handedOver != c.handedOver || given != c.given {
			t.Errorf("call %d: the service handed over %q and the caller was given %q; want %q and %q", n+1, handedOver,
				given, c.handedOver, c.given)
		}
		if plan := a.header.Get("X-Plan"); (plan == "pro") != (c.step.key != "") {
			t.Errorf("call %d with key %q: X-Plan is %q", n+1, c.step.key, plan)
		}
	}
}

func TestEdgeAnswersConditionalCalls(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	tag := e.take(step{from: 2, target: trends, status: 200, cache: miss}, "the tag").header.Get("ETag")
	has := http.Header{"If-None-Match": {tag}}
	for n, s := range []step{
		{from: 3, header: has, target: trends, status: 304, cache: hit},
		{from: 3, header: http.Header{"If-None-Match": {`"other"`}}, target: trends, status: 200, cache: hit},
		// The cache stores a whole 200 answer even if the first caller's request is conditional and
		// gets 304.
		{from: 3, key: "ada", header: has, target: trends, status: 304, cache: miss},
		{from: 3, key: "ada", target: trends, status: 200, cache: hit},
		{at: ends(6, 1, 0), from: 3, header: has, target: trends, status: 304, cache: fresh},
		{at: ends(6, 1, 0), from: 3, target: trends, status: 200, cache: hit},
	} {
		e.at(s.at)
		e.take(s, fmt.Sprintf("call %d", n+1))
	}
}

func TestEdgeAnswersOtherMethods(t *testing.T) {
	t.Parallel()
	preflight := http.Header{"Origin": {"https://example.com"}, "Access-Control-Request-Method": {"GET"},
		"Access-Control-Request-Headers": {"x-api-key"}}
	walk(t,
		step{from: 2, method: http.MethodHead, target: trends, status: 200, cache: miss},
		step{from: 3, target: trends, status: 200, cache: hit},
		step{from: 3, method: http.MethodHead, target: trends, status: 200, cache: hit},
		step{from: 3, method: http.MethodHead, target: trendsOf + "QQQ", status: 404, cache: miss},
		step{from: 2, method: http.MethodOptions, header: preflight, target: trends, status: 204},
		step{from: 2, method: http.MethodOptions, header: preflight, target: trends, status: 204},
	)
}

// No request header makes the cache take the caller for another, or changes the answers to others.
func TestEdgeIsNotTalkedInto(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	for n, s := range []step{
		{from: 2, header: http.Header{"Cloudfront-Viewer-Address": {"203.0.113.9:1"},
			"X-Forwarded-For": {"203.0.113.9"}}, target: trends, status: 200, cache: miss},
		{from: 3, header: http.Header{"X-Origin-Secret": {"a guess"}}, target: verdicts, status: 200},
		{from: 4, header: http.Header{"Cache-Control": {"no-cache"}, "Pragma": {"no-cache"}}, target: trends,
			status: 200, cache: hit},
		{from: 5, header: http.Header{httpapi.KeyHeader: {"", e.keys["ada"]}}, target: others, status: 401,
			cache: miss},
		{from: 6, target: others, status: 200, cache: miss},
	} {
		a := e.take(s, fmt.Sprintf("call %d", n+1))
		if address := fmt.Sprintf("127.0.0.%d:", s.from); s.cache != hit && !strings.HasPrefix(a.from.viewer, address) {
			t.Errorf("call %d: the service takes 127.0.0.%d for %s", n+1, s.from, a.from.viewer)
		}
	}
	if w, _ := fixture.Call(t, http.DefaultClient, "GET", e.direct+trends, ""); w.StatusCode != http.StatusForbidden {
		t.Errorf("past the edge the service answers with %d", w.StatusCode)
	}
}

func TestEdgeAsksOnceForACrowd(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	var crowd sync.WaitGroup
	for n := range 20 {
		crowd.Go(func() {
			r, err := http.NewRequest(http.MethodGet, e.url+trends, nil)
			if err != nil {
				t.Error(err)
				return
			}
			a, err := e.call(r, byte(2+n))
			if err != nil {
				t.Error(err)
				return
			}
			if diff := a.wrong(r.Method, trends, ""); diff != "" || a.status != http.StatusOK {
				t.Errorf("%d %s", a.status, diff)
			}
		})
	}
	crowd.Wait()
	if n := e.reached(); n != 1 {
		t.Errorf("the service was asked %d times", n)
	}
}
