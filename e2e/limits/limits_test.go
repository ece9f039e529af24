// Package limits holds end-to-end tests of quotas, rate limits and keys.
package limits

import (
	"crypto/rand"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/apikey"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
	"verdetto/shared/upstream/sample"
)

// ask is about a route without fares: 404 means that the call was within its quota, 429 that it was
// not.
func ask(h http.Handler, target, key string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", target, nil)
	r.RemoteAddr = "192.0.2.7:1234"
	if key != "" {
		r.Header.Set("X-Api-Key", key)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestExactlyThirtyOfAThousand(t *testing.T) {
	t.Parallel()
	table, clock := fixture.OpenStore(t)
	instances := []http.Handler{fixture.Instance(t, table, sample.New(), clock.Now),
		fixture.Instance(t, table, sample.New(), clock.Now), fixture.Instance(t, table, sample.New(), clock.Now),
		fixture.Instance(t, table, sample.New(), clock.Now)}
	burst := func(calls int) (answered, refused int64) {
		var a, r atomic.Int64
		var wg sync.WaitGroup
		for n := range calls {
			wg.Go(func() {
				switch w := ask(instances[n%len(instances)], fixture.Question, ""); w.Code {
				case http.StatusNotFound: // answered, because this route does not exist
					a.Add(1)
				case http.StatusTooManyRequests:
					r.Add(1)
					if w.Header().Get("Retry-After") == "" || w.Header().Get("X-RateLimit-Remaining") != "0" {
						t.Errorf("headers of a refusal: %v", w.Header())
					}
				default:
					t.Errorf("%d %s", w.Code, w.Body)
				}
			})
		}
		wg.Wait()
		return a.Load(), r.Load()
	}
	if a, r := burst(1000); a != 30 || r != 970 {
		t.Errorf("%d answered, %d refused", a, r)
	}
	clock.Add(12*time.Hour - time.Second) // the clock started at noon
	if a, r := burst(10); a != 0 || r != 10 {
		t.Errorf("a second before midnight %d answered, %d refused", a, r)
	}
	clock.Add(time.Second)
	if a, r := burst(50); a != 30 || r != 20 {
		t.Errorf("at 00:00 UTC %d answered, %d refused", a, r)
	}
}

func TestAFloodIsNotWritten(t *testing.T) {
	t.Parallel()
	table, clock := fixture.OpenStore(t)
	first := fixture.Instance(t, table, sample.New(), clock.Now)
	for range 30 {
		ask(first, fixture.Question, "")
	}
	for n := range 3 {
		r := &fixture.Recorder{Table: table}
		h := fixture.Instance(t, r, sample.New(), clock.Now)
		var wg sync.WaitGroup
		for range 500 {
			wg.Go(func() {
				if w := ask(h, fixture.Question, ""); w.Code != http.StatusTooManyRequests {
					t.Errorf("%d %s", w.Code, w.Body)
				}
			})
		}
		wg.Wait()
		if got := len(r.Calls()); got != 1 {
			t.Errorf("instance %d: 500 calls over the cap wrote %d times", n, got)
		}
	}
}

func TestRotation(t *testing.T) {
	t.Parallel()
	table, clock := fixture.OpenStore(t)
	keys := store.Customers{Table: table}
	id := apikey.CustomerIDOf([]byte(fixture.Pepper), "ada@example.com")
	h := fixture.Instance(t, table, sample.New(), clock.Now)
	issue := func() string {
		text, err := keys.Issue(t.Context(), rand.Reader, id, clock.Now(), func(c *store.Customer) error {
			c.Until = clock.Now().Add(time.Hour)
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		return text
	}
	works := func(key string) bool {
		w := ask(h, fixture.Question, key)
		if w.Code != http.StatusNotFound && w.Code != http.StatusUnauthorized {
			t.Errorf("%d %s", w.Code, w.Body)
		}
		return w.Code == http.StatusNotFound && w.Header().Get("X-Plan") == "pro"
	}

	old := issue()
	if !works(old) {
		t.Fatal("a fresh key does not work")
	}
	if fresh := issue(); works(old) || !works(fresh) {
		t.Error("the very next call does not see the rotation")
	}

	all := make([]string, 50)
	var wg sync.WaitGroup
	for n := range all {
		wg.Go(func() { all[n] = issue() })
	}
	wg.Wait()
	working := 0
	for _, key := range all {
		if works(key) {
			working++
		}
	}
	if working != 1 {
		t.Errorf("after 50 rotations at once %d keys work", working)
	}

	clock.Add(time.Hour)
	for _, key := range all {
		if works(key) {
			t.Error("a key works after its plan has ended")
		}
	}
}

func TestProCapIsAMinutesWorth(t *testing.T) {
	t.Parallel()
	table, clock := fixture.OpenStore(t)
	key := fixture.IssueKey(t, table, "ada@example.com", clock.Now(), time.Hour)
	h := fixture.Instance(t, table, sample.New(), clock.Now)
	for target, calls := range map[string]int{fixture.Question: 120,
		"/api/v1/price-trends?origin=MIL&currency=eur": 60} {
		for range 2 {
			for n := range calls + 5 {
				w := ask(h, target, key)
				if (w.Code == http.StatusTooManyRequests) != (n >= calls) {
					t.Fatalf("%s: call %d of a minute: %d %s", target, n+1, w.Code, w.Body)
				}
			}
			clock.Add(time.Minute)
		}
	}
}

func TestStoreDownNeverMakesAKeyFree(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	f := storetest.NewFaulty(fixture.Bolt(t, clock.Now))
	key := fixture.IssueKey(t, f, "ada@example.com", clock.Now(), time.Hour)
	f.DieAt(0, storetest.Before)
	if w := ask(fixture.Instance(t, f, sample.New(), clock.Now), fixture.Question,
		key); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	if !errors.Is(storetest.ErrInjected, store.ErrUnavailable) {
		t.Error("the injected fault is not what storage says when it is down")
	}
}
