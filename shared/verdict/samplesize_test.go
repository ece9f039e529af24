package verdict

import (
	"math"
	"testing"

	"verdetto/shared/fare"
)

// TestEverySampleSize computes exactly how well percentiles are calibrated. Today's fare is equally
// likely to fall into each gap between n lows of equal weight. So the share of days with a
// percentile of p or less can be counted without random numbers. From 38 lows on, that share is
// within 3 points of p. For 30 to 37 lows, it is within 3.6 points, since one step is about 3
// points.
func TestEverySampleSize(t *testing.T) {
	worst := 0.0
	for n := 30; n <= 300; n++ {
		s := RouteSummary{AsOf: 17000}
		for i := range n {
			s.Lows = append(s.Lows, Low{Day: s.AsOf - 1, Price: fare.Cents(1000 * (i + 1))})
		}
		for _, p := range []int{5, 10, 25, 50, 75, 90, 95} {
			at := 0
			for gap := range n + 1 {
				s.Live = []Live{{Depart: s.AsOf + 30, Price: fare.Cents(1000*gap + 500)}}
				a, ok := Judge(s, s.AsOf.Time())
				if !ok {
					t.Fatal("no live fare")
				}
				if *a.Verdetto.Percentile <= p {
					at++
				}
			}
			off := math.Abs(100*float64(at)/float64(n+1) - float64(p))
			worst = max(worst, off)
			limit := 3.0
			if n < 38 {
				limit = 3.6
			}
			if off > limit {
				t.Errorf("with %d lows P(percentile <= %d) is off by %.1f points", n, p, off)
			}
		}
	}
	t.Logf("off by %.2f points at most", worst)
}
