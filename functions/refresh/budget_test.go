package refresh_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"verdetto/functions/refresh"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
	"verdetto/shared/upstream"
	"verdetto/shared/upstream/travelpayouts"
	"verdetto/shared/upstream/upstreamtest"
)

func TestBudget(t *testing.T) {
	now := today
	clock := func() time.Time { return now }
	table := openAt(t, clock)
	budget := func(source string, perDay int64) refresh.Budget {
		return refresh.Budget{Calls: store.Calls{Table: table}, Source: source, PerDay: perDay, Now: clock}
	}
	spent := func(departures bool) (n int64) {
		var made atomic.Int64
		var processes sync.WaitGroup
		for range 4 {
			processes.Go(func() {
				b := budget("test", 100)
				for {
					switch err := b.Spend(t.Context(), departures); {
					case err == nil:
						made.Add(1)
					case errors.Is(err, upstream.ErrBudget):
						return
					default:
						t.Error(err)
						return
					}
				}
			})
		}
		processes.Wait()
		return made.Load()
	}
	if n := spent(true); n != 80 {
		t.Errorf("%d calls for departures, want 80", n)
	}
	if n := spent(false); n != 20 {
		t.Errorf("%d calls for discovery, want 20", n)
	}
	if err := budget("another", 100).Spend(t.Context(), true); err != nil {
		t.Errorf("of another source: %v", err)
	}
	now = now.Add(12 * time.Hour)
	if n := spent(false); n != 100 {
		t.Errorf("%d calls on the next day, want 100", n)
	}
	if n := spent(true); n != 0 {
		t.Errorf("%d calls for departures, after discovery has spent all", n)
	}
	for range 200 {
		if err := budget("test", 0).Spend(t.Context(), true); err != nil {
			t.Fatalf("without a limit: %v", err)
		}
	}
}

func TestNoCallIsMadeThatCannotBeCounted(t *testing.T) {
	for _, side := range []storetest.Side{storetest.Before, storetest.After} {
		faulty := storetest.NewFaulty(open(t))
		server := upstreamtest.New(nil, clock)
		defer server.Close()
		client := counting(t, server, refresh.Budget{Calls: store.Calls{Table: faulty}, Source: "test", PerDay: 10,
			Now: clock})
		faulty.FailOnce(0, side)
		_, err := client.Departures(t.Context(), upstream.Question{Series: seriesOf("MIL-BUH")}, today)
		if !errors.Is(err, upstream.ErrUnavailable) || errors.Is(err, upstream.ErrBudget) || len(server.Calls()) > 0 {
			t.Errorf("%v its effect: %d calls, error %v", side, len(server.Calls()), err)
		}
		if _, err := client.Departures(t.Context(), upstream.Question{Series: seriesOf("MIL-BUH")},
			today); err != nil || len(server.Calls()) != 1 {
			t.Errorf("%v its effect, and then: %d calls, error %v", side, len(server.Calls()), err)
		}
	}
}

func TestTriesCount(t *testing.T) {
	server := upstreamtest.New(nil, clock)
	defer server.Close()
	for range 4 {
		server.Fail(upstreamtest.Broken(http.StatusBadGateway))
	}
	client := counting(t, server, refresh.Budget{Calls: store.Calls{Table: open(t)}, Source: "test", PerDay: 5,
		Now: clock})
	_, err := client.Departures(t.Context(), upstream.Question{Series: seriesOf("MIL-BUH")}, today)
	if !errors.Is(err, upstream.ErrBudget) || len(server.Calls()) != 4 {
		t.Errorf("%d calls, error %v; want 4, four fifths of 5", len(server.Calls()), err)
	}
	if _, err := client.Fares(t.Context(), "MIL", time.Time{}, today); err != nil {
		t.Errorf("discovery: %v", err)
	}
	if _, err := client.Fares(t.Context(), "MIL", time.Time{}, today); !errors.Is(err, upstream.ErrBudget) ||
		len(server.Calls()) != 5 {
		t.Errorf("%d calls, error %v", len(server.Calls()), err)
	}
}

func counting(t *testing.T, server *upstreamtest.Server, b refresh.Budget) *travelpayouts.Client {
	t.Helper()
	return clientOf(t, travelpayouts.Config{BaseURL: server.URL, Now: clock, PerMinute: 1 << 30, Spend: b.Spend,
		Wait: noWait})
}

func noWait(ctx context.Context, _ time.Duration) error { return ctx.Err() }
