package refresh_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/upstream"
)

type yearSource struct {
	perWeek int
	chance  *rand.Rand
}

func (yearSource) Name() string { return "test" }

func (yearSource) Origins(context.Context) ([]fare.City, error) { return []fare.City{"MIL"}, nil }

func (s yearSource) Fares(_ context.Context, _ fare.City, _, until time.Time) (answer upstream.Answer, err error) {
	today := fare.DayOf(until)
	for n := range 10 {
		for i := range s.perWeek {
			answer.Fares = append(answer.Fares, fare.Fare{
				Route: fare.Route{Origin: "MIL", Destination: fare.City([]byte{'Z', 'Z', 'A' + byte(n)})},
				Observation: fare.Observation{
					Found:  (today - fare.Day(s.chance.IntN(7))).Time().Unix(),
					Depart: today + fare.Day(i*330/s.perWeek), Price: fare.Cents(100 * (19 + s.chance.IntN(150))),
				},
			})
		}
	}
	return answer, nil
}

// BenchmarkRefresh refreshes ten routes with a year of history on one core. It reports fares per
// second of CPU time, which other programs on the machine hardly affect. To compare two versions,
// copy this file into a worktree of the other version and run both in turn:
//
//	GOMAXPROCS=1 go test -run '^$' -bench Refresh -benchtime 30x ./functions/refresh
func BenchmarkRefresh(b *testing.B) {
	for _, perWeek := range []int{10, 300} {
		b.Run(fmt.Sprintf("%d fares a week", perWeek), func(b *testing.B) {
			now := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
			clock := func() time.Time { return now }
			r := refresher(yearSource{perWeek, rand.New(rand.NewPCG(1, 2))}, openAt(b, clock), clock)
			fares := 0
			week := func() {
				fares += mustRun(b, r).New
				now = now.AddDate(0, 0, 7)
			}
			for range 56 {
				week()
			}
			fares = 0
			before := processors(b)
			for b.Loop() {
				week()
			}
			b.ReportMetric(float64(fares)/(processors(b)-before).Seconds(), "fares/s")
		})
	}
}

func processors(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// BenchmarkFloorRefresh refreshes ten routes for 48 weeks. After each refresh, a floor makes the
// same calls to the store 10 times. The benchmark reports the CPU time of a refresh of a route in the last weeks,
// also as a multiple of the floor's, and its growth since the first weeks.
//
//	GOMAXPROCS=1 go test -run '^$' -bench FloorRefresh ./functions/refresh
func BenchmarkFloorRefresh(b *testing.B) {
	const weeks, few, times = 48, 8, 10
	now := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	table := &replayed{Table: openAt(b, clock)}
	r := refresher(yearSource{300, rand.New(rand.NewPCG(1, 2))}, table, clock)
	spent := func(f func()) float64 {
		before := processors(b)
		f()
		return (processors(b) - before).Seconds() * 1000 / 10
	}
	var own, ratios []float64
	for range weeks {
		table.calls = nil
		ours := spent(func() { mustRun(b, r) })
		floor := spent(func() {
			for _, call := range slices.Repeat(table.calls, times) {
				if err := call(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
		own, ratios = append(own, ours), append(ratios, ours/(floor/times))
		now = now.AddDate(0, 0, 7)
	}
	middle := func(of []float64) float64 { return slices.Sorted(slices.Values(of))[len(of)/2] }
	last := ratios[weeks-few:]
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(middle(last), "x-floor")
	b.ReportMetric(slices.Min(last), "min")
	b.ReportMetric(slices.Max(last), "max")
	b.ReportMetric(middle(own[weeks-few:]), "cpu-ms")
	b.ReportMetric(middle(own[weeks-few:])/middle(own[1:1+few]), "x-growth")
}

// replayed is a table that records its calls, so that they can be made again.
type replayed struct {
	store.Table
	calls []func(context.Context) error
}

func (r *replayed) Get(ctx context.Context, key store.Key, read store.Consistency) (store.Item, error) {
	r.calls = append(r.calls, func(ctx context.Context) error {
		if _, err := r.Table.Get(ctx, key, read); !errors.Is(err, store.ErrNotFound) {
			return err
		}
		return nil
	})
	return r.Table.Get(ctx, key, read)
}

func (r *replayed) Query(ctx context.Context, of store.Range) ([]store.Item, error) {
	r.calls = append(r.calls, func(ctx context.Context) error {
		_, err := r.Table.Query(ctx, of)
		return err
	})
	return r.Table.Query(ctx, of)
}

// Write records the write without its conditions, because the items already exist when it is
// repeated.
func (r *replayed) Write(ctx context.Context, ops ...store.Op) error {
	var again []store.Op
	for _, op := range ops {
		switch op.Mode {
		case store.Check:
		case store.Delete, store.Remove:
			op.Mode = store.Delete
			again = append(again, op)
		default:
			op.Mode = store.Set
			again = append(again, op)
		}
	}
	if len(again) > 0 {
		r.calls = append(r.calls, func(ctx context.Context) error { return r.Table.Write(ctx, again...) })
	}
	return r.Table.Write(ctx, ops...)
}
