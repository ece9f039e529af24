package refresh_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/upstream"
)

type yearSource struct{ random *rand.Rand }

func (yearSource) Name() string { return "test" }

func (yearSource) Origins(context.Context) ([]fare.City, error) { return []fare.City{"MIL"}, nil }

func (s yearSource) Fares(_ context.Context, _ fare.City, _, until time.Time) (answer upstream.Answer, err error) {
	today := fare.DayOf(until)
	for n := range 10 {
		for i := range 300 {
			answer.Fares = append(answer.Fares, fare.Fare{
				Route: fare.Route{Origin: "MIL", Destination: fare.City([]byte{'Z', 'Z', 'A' + byte(n)})},
				Observation: fare.Observation{
					Found:  (today - fare.Day(s.random.IntN(7))).Time().Unix(),
					Depart: today + fare.Day(i*330/300), Price: fare.Cents(100 * (19 + s.random.IntN(150))),
				},
			})
		}
	}
	return answer, nil
}

func TestProveFloor(t *testing.T) {
	const weeks, few, times, mostFloors, mostGrowth = 48, 8, 10, 60, 4.0
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	now := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	table := &repeating{Table: openAt(t, clock)}
	r := refresher(yearSource{rand.New(rand.NewPCG(1, 2))}, table, clock)
	spent := func(f func()) float64 {
		runtime.GC()
		before := processorTime(t)
		f()
		return (processorTime(t) - before).Seconds() * 1000
	}
	var own, floors []float64
	for range weeks {
		table.calls = nil
		own = append(own, spent(func() { mustRun(t, r) }))
		floor := spent(func() {
			for _, call := range slices.Repeat(table.calls, times) {
				if err := call(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		})
		floors = append(floors, own[len(own)-1]/(floor/times))
		now = now.AddDate(0, 0, 7)
	}
	median := func(of []float64) float64 { return slices.Sorted(slices.Values(of))[len(of)/2] }
	first, last, ratio := median(own[1:1+few]), median(own[weeks-few:]), median(floors[weeks-few:])
	t.Logf("a refresh of ten routes takes %.1f ms of processor time at first and %.1f ms in week %d, %.2f times as much: %.0f times its floor",
		first, last, weeks, last/first, ratio)
	if ratio > mostFloors || last/first > mostGrowth {
		t.Errorf("want at most %d times the floor and at most %.1f times as much", mostFloors, mostGrowth)
	}
}

func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

type repeating struct {
	store.Table
	calls []func(context.Context) error
}

func (r *repeating) Get(ctx context.Context, key store.Key, read store.Consistency) (store.Item, error) {
	r.calls = append(r.calls, func(ctx context.Context) error {
		if _, err := r.Table.Get(ctx, key, read); !errors.Is(err, store.ErrNotFound) {
			return err
		}
		return nil
	})
	return r.Table.Get(ctx, key, read)
}

func (r *repeating) Query(ctx context.Context, of store.Range) ([]store.Item, error) {
	r.calls = append(r.calls, func(ctx context.Context) error {
		_, err := r.Table.Query(ctx, of)
		return err
	})
	return r.Table.Query(ctx, of)
}

func (r *repeating) Write(ctx context.Context, ops ...store.Op) error {
	var again []store.Op
	for _, op := range ops {
		switch op.Mode {
		case store.Check:
			continue
		case store.Delete, store.Remove:
			op.Mode = store.Delete
		default:
			op.Mode = store.Set
		}
		again = append(again, op)
	}
	if len(again) > 0 {
		r.calls = append(r.calls, func(ctx context.Context) error { return r.Table.Write(ctx, again...) })
	}
	return r.Table.Write(ctx, ops...)
}
