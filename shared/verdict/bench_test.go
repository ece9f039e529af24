package verdict

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"verdetto/shared/fare"
)

func BenchmarkBuild(b *testing.B) {
	for _, n := range []int{100, 10_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			all := history(n)
			for b.Loop() {
				Build(all, RouteSummary{}, day0+HistoryDays-1, Options{})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/observation")
		})
	}
}

// BenchmarkJudge times decoding a summary and judging its cheapest fare.
func BenchmarkJudge(b *testing.B) {
	for _, n := range []int{100, 10_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			data := Build(history(n), RouteSummary{}, day0+HistoryDays-1, Options{}).Encode()
			b.ReportMetric(float64(len(data)), "summary-bytes")
			for b.Loop() {
				s, err := Decode(data)
				if err != nil {
					b.Fatal(err)
				}
				if _, ok := Judge(s, (day0 + HistoryDays - 1).Time()); !ok {
					b.Fatal("no live fare")
				}
			}
		})
	}
}

func history(n int) []fare.Observation {
	rng := rand.New(rand.NewPCG(9, uint64(n)))
	all := make([]fare.Observation, n)
	for i := range all {
		found := day0 + fare.Day(i*HistoryDays/n)
		all[i] = fare.Observation{
			Found:  found.Time().Unix() + int64(rng.IntN(86400)),
			Depart: found + fare.Day(rng.IntN(330)),
			Price:  fare.Cents(1500 + rng.IntN(30_000)),
		}
	}
	slices.SortFunc(all, fare.Observation.Compare)
	return all
}
