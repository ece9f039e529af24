package main

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"verdetto/shared/apikey"
	"verdetto/shared/store"
	"verdetto/shared/store/dynamostore"
	"verdetto/shared/store/dynamostore/dynamolocal"
	"verdetto/shared/store/storetest"
	"verdetto/shared/upstream/sample"
)

// Caps and keys, through the whole service, over both stores.

const testPepper = "a pepper for tests, 32 characters"

// overBoth runs a test over an embedded store and over DynamoDB Local.
func overBoth(t *testing.T, test func(t *testing.T, table store.Table, clock *storetest.Clock)) {
	t.Run("bolt", func(t *testing.T) {
		clock := storetest.NewClock()
		test(t, bolt(t, clock.Now), clock)
	})
	t.Run("DynamoDB Local", func(t *testing.T) {
		clock := storetest.NewClock()
		test(t, dynamolocal.Table(t, clock.Now), clock)
	})
}

// instance is one more process of the service over a table.
func instance(table store.Table, clock *storetest.Clock) http.Handler {
	c := choices{now: clock.Now, log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))}
	return handler(&c, table, sample.New(), []byte(testPepper))
}

// ask calls the service and gives the status; what the route is does not matter, so none is stored.
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

const anyRoute = "/v1/analisi?origine=Milano&destinazione=Bucarest"

// takes counts the counted calls.
type takes struct {
	store.Table
	n atomic.Int64
}

func (c *takes) Take(ctx context.Context, key store.Key, limit int64, expires time.Time) (int64, error) {
	c.n.Add(1)
	return c.Table.Take(ctx, key, limit, expires)
}

func TestExactlyThirtyOfAThousand(t *testing.T) {
	overBoth(t, func(t *testing.T, table store.Table, clock *storetest.Clock) {
		instances := []http.Handler{instance(table, clock), instance(table, clock), instance(table, clock), instance(table, clock)}
		burst := func(calls int) (answered, refused int64) {
			var a, r atomic.Int64
			var wg sync.WaitGroup
			for n := range calls {
				wg.Go(func() {
					switch w := ask(instances[n%len(instances)], anyRoute, ""); w.Code {
					case http.StatusNotFound: // answered: there is no such route
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
		clock.Add(12*time.Hour - time.Second) // it began at noon
		if a, r := burst(10); a != 0 || r != 10 {
			t.Errorf("a second before midnight %d answered, %d refused", a, r)
		}
		clock.Add(time.Second)
		if a, r := burst(50); a != 30 || r != 20 {
			t.Errorf("at 00:00 UTC %d answered, %d refused", a, r)
		}
	})
}

func TestAFloodIsNotWritten(t *testing.T) {
	overBoth(t, func(t *testing.T, table store.Table, clock *storetest.Clock) {
		first := instance(table, clock)
		for range 30 {
			ask(first, anyRoute, "")
		}
		for n := range 3 {
			c := &takes{Table: table}
			h := instance(c, clock)
			var wg sync.WaitGroup
			for range 500 {
				wg.Go(func() {
					if w := ask(h, anyRoute, ""); w.Code != http.StatusTooManyRequests {
						t.Errorf("%d %s", w.Code, w.Body)
					}
				})
			}
			wg.Wait()
			if got := c.n.Load(); got != 1 {
				t.Errorf("instance %d: 500 calls over the cap wrote %d times", n, got)
			}
		}
	})
}

func TestRotation(t *testing.T) {
	overBoth(t, func(t *testing.T, table store.Table, clock *storetest.Clock) {
		keys := store.Customers{Table: table}
		id := apikey.Of([]byte(testPepper), "ada@example.com")
		h := instance(table, clock)
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
			w := ask(h, anyRoute, key)
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
	})
}

func TestProCapIsAMinutesWorth(t *testing.T) {
	overBoth(t, func(t *testing.T, table store.Table, clock *storetest.Clock) {
		key, err := store.Customers{Table: table}.Issue(t.Context(), rand.Reader, apikey.Of([]byte(testPepper), "ada@example.com"), clock.Now(),
			func(c *store.Customer) error { c.Until = clock.Now().Add(time.Hour); return nil })
		if err != nil {
			t.Fatal(err)
		}
		h := instance(table, clock)
		for target, calls := range map[string]int{anyRoute: 120, "/api/v1/price-trends?origin=MIL&currency=eur": 60} {
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
	})
}

// TestUnitsOfAVerdict adds up what DynamoDB says that a verdict consumes.
func TestUnitsOfAVerdict(t *testing.T) {
	clock := storetest.NewClock()
	var mu sync.Mutex
	var read, write float64
	table := dynamolocal.Table(t, clock.Now, dynamostore.OnCapacity(func(_ string, r, w float64) {
		mu.Lock()
		defer mu.Unlock()
		read, write = read+r, write+w
	}))
	c := choices{now: clock.Now, log: slog.New(slog.DiscardHandler)}
	only := sample.New()
	if _, err := runRefresh(t.Context(), &c, table, only, nil); err != nil {
		t.Fatal(err)
	}
	key, err := store.Customers{Table: table}.Issue(t.Context(), rand.Reader, apikey.Of([]byte(testPepper), "ada@example.com"), clock.Now(),
		func(c *store.Customer) error { c.Until = clock.Now().Add(time.Hour); return nil })
	if err != nil {
		t.Fatal(err)
	}
	h := instance(table, clock)
	for _, c := range []struct {
		name, key       string
		maxRead, writes float64
	}{{"free", "", 1, 1}, {"Pro", key, 1.5, 1}} {
		read, write = 0, 0
		w := ask(h, "/v1/analisi?origine=Milano&destinazione=Londra", c.key)
		if w.Code != http.StatusOK {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		t.Logf("a verdict for a %s caller: %.1f read and %.1f write units", c.name, read, write)
		if read == 0 || read > c.maxRead || write != c.writes {
			t.Errorf("%s: %.1f read and %.1f write units", c.name, read, write)
		}
	}
}

func TestStoreDownNeverMakesAKeyFree(t *testing.T) {
	clock := storetest.NewClock()
	f := storetest.NewFaulty(bolt(t, clock.Now))
	key, err := store.Customers{Table: f}.Issue(t.Context(), rand.Reader, apikey.Of([]byte(testPepper), "ada@example.com"), clock.Now(),
		func(c *store.Customer) error { c.Until = clock.Now().Add(time.Hour); return nil })
	if err != nil {
		t.Fatal(err)
	}
	f.DieAt(0, storetest.Before)
	if w := ask(instance(f, clock), anyRoute, key); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	if !errors.Is(storetest.ErrInjected, store.ErrUnavailable) {
		t.Error("the injected fault is not what storage says when it is down")
	}
}
