package refresh_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/upstream"
)

// yearSource is a source of ten routes. It has perWeek new fares for each route in every week.
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

// processors returns the CPU time that this process has used so far.
func processors(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
