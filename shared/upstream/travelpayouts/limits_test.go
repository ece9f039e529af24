package travelpayouts_test

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/fare"
	"verdetto/shared/upstream"
	"verdetto/shared/upstream/travelpayouts"
	"verdetto/shared/upstream/upstreamtest"
)

const (
	latestPath  = "/aviasales/v3/get_latest_prices"
	groupedPath = "/aviasales/v3/grouped_prices"
	citiesPath  = "/data/en/cities.json"
)

// Several callers ask all endpoints at once. None is over its own limit in any 60 seconds, and so in no
// minute of the clock either; none waits for another's.
func TestEachEndpointHasItsLimit(t *testing.T) {
	for _, test := range []struct {
		perMinute int // of get_latest_prices
		want      map[string]int
	}{
		{300, map[string]int{latestPath: 300, groupedPath: 600, citiesPath: 600}},
		{150, map[string]int{latestPath: 150, groupedPath: 300, citiesPath: 300}}, // two workers
		{3, map[string]int{latestPath: 3, groupedPath: 6, citiesPath: 6}},         // a hundred
	} {
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(17 * time.Second) // within a minute of the clock
			server, client := virtual(t, []upstream.Row{row("BUH", 20, 30, time.Hour)}, test.perMinute)
			server.PerMinute = test.perMinute
			const minutes = 5
			ask := map[string]func() error{
				latestPath: func() error {
					_, err := client.Fares(t.Context(), "MIL", time.Time{}, time.Now())
					return err
				},
				groupedPath: func() error {
					_, err := client.Departures(t.Context(), asking(fare.OneWay, false), time.Now())
					return err
				},
				citiesPath: func() error {
					_, err := client.Origins(t.Context())
					return err
				},
			}
			began := time.Now()
			var callers sync.WaitGroup
			for path, limit := range test.want {
				var left atomic.Int64
				left.Store(int64(limit * minutes))
				for range 7 {
					callers.Go(func() {
						for left.Add(-1) >= 0 {
							if err := ask[path](); err != nil {
								t.Error(err)
							}
						}
					})
				}
			}
			callers.Wait()
			took := time.Since(began)
			busiest := server.BusiestByPath()
			for path, limit := range test.want {
				if got := busiest[path]; got > limit || 10*got < 9*limit-10 {
					t.Errorf("%d: %d calls of %s in the busiest 60 seconds, the limit is %d", test.perMinute, got, path, limit)
				}
			}
			for _, call := range server.Calls() {
				if call.Status != http.StatusOK {
					t.Fatalf("status %d at %v", call.Status, call.At)
				}
			}
			if most := minutes * time.Minute * 11 / 10; took > most {
				t.Errorf("%d: took %v, want at most %v: an endpoint waits for another", test.perMinute, took, most)
			}
			t.Logf("%d a minute: busiest 60 seconds %v, %d calls in %v", test.perMinute, busiest, len(server.Calls()), took.Round(time.Second))
		})
	}
}

// A 429 of one endpoint is none of another.
func TestA429HoldsItsEndpointAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, client := virtual(t, nil, 300)
		server.Fail(upstreamtest.TooMany("X-Rate-Limit-Reset", "40"))
		began := time.Now()
		var held sync.WaitGroup
		held.Go(func() {
			if _, err := client.Departures(t.Context(), asking(fare.OneWay, false), time.Now()); err != nil || time.Since(began) < 40*time.Second {
				t.Errorf("departures after %v, error %v", time.Since(began), err)
			}
		})
		synctest.Wait()
		if _, err := client.Fares(t.Context(), "MIL", time.Time{}, time.Now()); err != nil || time.Since(began) > time.Second {
			t.Errorf("fares after %v, error %v", time.Since(began), err)
		}
		held.Wait()
	})
}

func TestBudget(t *testing.T) {
	budget := func(calls int) func(*travelpayouts.Config) {
		return func(cfg *travelpayouts.Config) { cfg.PerDay = calls }
	}
	departures := func(c *travelpayouts.Client) error {
		_, err := c.Departures(t.Context(), asking(fare.OneWay, false), noon)
		return err
	}
	spent := func(err error) bool {
		return errors.Is(err, upstream.ErrBudget) && !errors.Is(err, upstream.ErrUnavailable) && !errors.Is(err, upstream.ErrRefused)
	}
	t.Run("all endpoints together, until midnight UTC", func(t *testing.T) {
		server, client, clock := set(t, []upstream.Row{row("BUH", 20, 30, time.Hour)}, budget(3))
		fares, err := client.Fares(t.Context(), "MIL", time.Time{}, noon)
		if err != nil || len(fares.Fares) != 1 {
			t.Fatal(fares, err)
		}
		if _, err := client.Origins(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := departures(client); err != nil {
			t.Fatal(err)
		}
		before := clock.now()
		for range 3 {
			if err := departures(client); !spent(err) || !strings.Contains(err.Error(), "3 calls on 2026-11-20") {
				t.Fatalf("error %v", err)
			}
			if _, err := client.Fares(t.Context(), "MIL", time.Time{}, noon); !spent(err) {
				t.Fatalf("error %v", err)
			}
			if _, err := client.Origins(t.Context()); !spent(err) {
				t.Fatalf("error %v", err)
			}
		}
		if clock.now() != before {
			t.Error("somebody waited for a call that may not be made")
		}
		if err := clock.wait(t.Context(), 12*time.Hour-time.Minute); err != nil {
			t.Fatal(err)
		}
		if err := departures(client); !spent(err) {
			t.Errorf("a minute before midnight: error %v", err)
		}
		if err := clock.wait(t.Context(), time.Minute); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if err := departures(client); err != nil {
				t.Error(err)
			}
		}
		if err := departures(client); !spent(err) || len(server.Calls()) != 6 {
			t.Errorf("the next day: error %v after %d calls", err, len(server.Calls()))
		}
	})
	t.Run("tries count", func(t *testing.T) {
		server, client, _ := set(t, nil, budget(3))
		for range 9 {
			server.Fail(upstreamtest.Broken(500))
		}
		if err := departures(client); !spent(err) || len(server.Calls()) != 3 {
			t.Errorf("error %v after %d calls", err, len(server.Calls()))
		}
	})
	t.Run("none", func(t *testing.T) {
		_, client, _ := set(t, nil, budget(0))
		for range 50 {
			if err := departures(client); err != nil {
				t.Fatal(err)
			}
		}
	})
	t.Run("of many callers", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			server := upstreamtest.Detached(nil, time.Now)
			client, err := travelpayouts.New(travelpayouts.Config{
				Token: upstreamtest.Token, BaseURL: "http://upstream.test", Comparable: comparable, PerDay: 100,
				HTTPClient: &http.Client{Transport: direct{server}, Timeout: 30 * time.Second},
			})
			if err != nil {
				t.Fatal(err)
			}
			var answered, refused atomic.Int64
			var callers sync.WaitGroup
			for range 20 {
				callers.Go(func() {
					for range 10 {
						_, err := client.Departures(t.Context(), asking(fare.OneWay, false), time.Now())
						switch {
						case err == nil:
							answered.Add(1)
						case spent(err):
							refused.Add(1)
						default:
							t.Error(err)
						}
					}
				})
			}
			callers.Wait()
			got := []int64{answered.Load(), refused.Load(), int64(len(server.Calls()))}
			if diff := cmp.Diff([]int64{100, 100, 100}, got); diff != "" {
				t.Errorf("answered, over budget, calls: %s", diff)
			}
		})
	})
}
