package onemachine

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/store/storetest"
	"verdetto/shared/upstream"
)

type counted struct {
	mu     sync.Mutex
	asked  map[fare.City]int
	asking func()
	once   sync.Once
}

func (*counted) Name() string { return "counted" }

func (*counted) Origins(context.Context) ([]fare.City, error) {
	return []fare.City{"MIL", "ROM", "PAR"}, nil
}

func (c *counted) Fares(_ context.Context, origin fare.City, _, until time.Time) (upstream.Answer, error) {
	if c.asking != nil {
		c.once.Do(c.asking)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked[origin]++
	var fares []fare.Fare
	for n := range 12 {
		day := fare.DayOf(until) - fare.Day(n)
		fares = append(fares, fare.Fare{Route: fare.Route{Origin: origin, Destination: "BUH"},
			Observation: fare.Observation{Found: day.Time().Unix(), Depart: day + 60, Price: fare.Cents(3000 + 100*n)}})
	}
	return upstream.Answer{Fares: fares}, nil
}

func openStore(t *testing.T) (store.Whole, *storetest.Clock) {
	t.Helper()
	clock := storetest.NewClock()
	table, err := boltstore.Open(filepath.Join(t.TempDir(), "test.db"), clock.Now, boltstore.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { table.Close() })
	return table, clock
}

func process(table store.Table, source upstream.Source, clock *storetest.Clock) Options {
	return Options{Table: table, Source: source, Now: clock.Now, Log: slog.New(slog.DiscardHandler)}
}

const everyWeek = Cycle * 24 * time.Hour

func (o Options) discover(every time.Duration) error {
	return o.refreshAlone(context.Background(), store.Discovery, every, func(ctx context.Context) error {
		_, err := o.Refresh(ctx, nil)
		return err
	})
}

func TestOneProcessRefreshes(t *testing.T) {
	table, clock := openStore(t)
	for cycle := 1; cycle <= 3; cycle++ {
		source := &counted{asked: map[fare.City]int{}}
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if err := process(table, source, clock).discover(everyWeek); err != nil && !errors.Is(err, store.ErrHeld) {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if err := process(table, source, clock).discover(everyWeek); err != nil {
			t.Error(err)
		}
		for _, origin := range []fare.City{"MIL", "ROM", "PAR"} {
			if source.asked[origin] != 1 {
				t.Errorf("cycle %d: %s was asked for %d times", cycle, origin, source.asked[origin])
			}
		}
		clock.Add(everyWeek)
	}
}

func TestAnotherProcessTakesOver(t *testing.T) {
	table, clock := openStore(t)
	dead := &store.Lease{Table: table, Name: store.RefreshLease, Holder: "dead",
		Duration: refreshLeaseFor, Now: clock.Now}
	if err := dead.Hold(t.Context()); err != nil {
		t.Fatal(err)
	}
	source := &counted{asked: map[fare.City]int{}}
	o := process(table, source, clock)
	if err := o.discover(everyWeek); !errors.Is(err, store.ErrHeld) || len(source.asked) > 0 {
		t.Errorf("while it is held: %v, %v", err, source.asked)
	}
	clock.Add(refreshLeaseFor)
	if err := o.discover(everyWeek); err != nil || source.asked["MIL"] != 1 {
		t.Errorf("after its end: %v, %v", err, source.asked)
	}
}

func TestALateRefreshDoesNoHarm(t *testing.T) {
	table, clock := openStore(t)
	newer := &counted{asked: map[fare.City]int{}}
	if err := process(table, newer, clock).discover(everyWeek); err != nil {
		t.Fatal(err)
	}
	clock.Add(everyWeek)
	var after []store.Item
	var recorded time.Time
	late := &counted{asked: map[fare.City]int{}, asking: func() {
		clock.Add(24 * time.Hour)
		if err := process(table, newer, clock).discover(24 * time.Hour); err != nil {
			t.Error(err)
		}
		var err error
		if after, err = storetest.Contents(t.Context(), table); err != nil {
			t.Error(err)
		}
		if recorded, _, err = (store.Fares{Table: table}).LastRun(t.Context(), store.Discovery); err != nil {
			t.Error(err)
		}
	}}
	o := process(table, late, clock)
	began := clock.Now()
	if err := o.discover(everyWeek); err != nil && !errors.Is(err, store.ErrLost) {
		t.Fatal(err)
	}
	if !recorded.Equal(began.Add(24 * time.Hour)) {
		t.Errorf("the newer one began at %v, and is said to at %v", began.Add(24*time.Hour), recorded)
	}
	if now, _, err := (store.Fares{Table: table}).LastRun(t.Context(), store.Discovery); err != nil || !now.Equal(recorded) {
		t.Errorf("the late one says %v over %v: %v", now, recorded, err)
	}
	summaries := 0
	for _, was := range after {
		is, err := table.Get(t.Context(), was.Key, store.Strong)
		switch {
		case err != nil:
			if was.Partition != "LEASE#"+store.RefreshLease {
				t.Errorf("%v is gone: %v", was.Key, err)
			}
		case was.Sort == "SHEET":
			summaries++
			if string(is.Data) != string(was.Data) {
				t.Errorf("the summary %s has changed", was.Partition)
			}
		}
	}
	if summaries != 3 {
		t.Errorf("%d summaries", summaries)
	}
}
