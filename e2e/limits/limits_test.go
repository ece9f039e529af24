// Package limits holds end-to-end tests of quotas, rate limits and keys.
package limits

import (
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/apikey"
	"verdetto/shared/store"
	"verdetto/shared/upstream/sample"
)

// ask calls about a route without fares. The status 404 means that the call was within its quota,
// and 429 that it was not.
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
				case http.StatusNotFound:
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
}
