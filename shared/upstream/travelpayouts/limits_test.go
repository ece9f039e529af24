package travelpayouts_test

import (
	"context"
	"errors"
	"net/http"
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

func TestEachEndpointHasItsLimit(t *testing.T) {
	for _, test := range []struct {
		perMinute int
		want      map[string]int
	}{
		{300, map[string]int{latestPath: 300, groupedPath: 600, citiesPath: 600}},
		{150, map[string]int{latestPath: 150, groupedPath: 300, citiesPath: 300}},
		{3, map[string]int{latestPath: 3, groupedPath: 6, citiesPath: 6}},
	} {
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(17 * time.Second)
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
					t.Errorf("%d: %d calls of %s in the busiest 60 seconds, the limit is %d", test.perMinute, got, path,
						limit)
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
			t.Logf("%d a minute: busiest 60 seconds %v, %d calls in %v", test.perMinute, busiest, len(server.Calls()),
				took.Round(time.Second))
		})
	}
}

func TestA429HoldsItsEndpointAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, client := virtual(t, nil, 300)
		server.Fail(upstreamtest.TooMany("X-Rate-Limit-Reset", "40"))
		began := time.Now()
		var held sync.WaitGroup
		held.Go(func() {
			if _, err := client.Departures(t.Context(), asking(fare.OneWay, false), time.Now()); err != nil ||
				time.Since(began) < 40*time.Second {
				t.Errorf("departures after %v, error %v", time.Since(began), err)
			}
		})
		synctest.Wait()
		if _, err := client.Fares(t.Context(), "MIL", time.Time{}, time.Now()); err != nil ||
			time.Since(began) > time.Second {
			t.Errorf("fares after %v, error %v", time.Since(began), err)
		}
		held.Wait()
	})
}

func TestBudget(t *testing.T) {
	left := 0
	var kinds []bool
	server, client, _ := set(t, []upstream.Row{row("BUH", 20, 30, time.Hour)}, func(cfg *travelpayouts.Config) {
		cfg.Spend = func(_ context.Context, departures bool) error {
			if left == 0 {
				return upstream.ErrBudget
			}
			left--
			kinds = append(kinds, departures)
			return nil
		}
	})
	ask := map[string]func() error{
		"routes": func() error { _, err := client.Fares(t.Context(), "MIL", time.Time{}, noon); return err },
		"cities": func() error { _, err := client.Origins(t.Context()); return err },
		"departures": func() error {
			_, err := client.Departures(t.Context(), asking(fare.OneWay, false), noon)
			return err
		},
	}
	for name, ask := range ask {
		if err := ask(); !errors.Is(err, upstream.ErrBudget) || errors.Is(err, upstream.ErrUnavailable) ||
			len(server.Calls()) > 0 {
			t.Errorf("%s: error %v, %d calls", name, err, len(server.Calls()))
		}
	}
	left = 3
	for _, name := range []string{"routes", "departures", "cities"} {
		if err := ask[name](); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if diff := cmp.Diff([]bool{false, true, false}, kinds); diff != "" {
		t.Errorf("kinds of calls: %s", diff)
	}
	left = 2
	server.Fail(upstreamtest.Broken(500), upstreamtest.Broken(500), upstreamtest.Broken(500))
	if err := ask["departures"](); !errors.Is(err, upstream.ErrBudget) || len(server.Calls()) != 5 {
		t.Errorf("after two tries: error %v, %d calls", err, len(server.Calls()))
	}
}
