package verdict

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"verdetto/shared/fare"
)

// TestProveIntervalCovers: daily lows are simulated that vary around a constant level. The 90 %
// interval must contain the rank of a fare in an infinite history on 78 to 92 % of days. For a
// higher reliability, it must contain the rank more often. In use, the interval is for the rank
// among the days before and after; docs/evidence.md measures that.
func TestProveIntervalCovers(t *testing.T) {
	held, asked := 0, 0
	raw := 0 // covered days if each day counted as independent
	byLevel := map[string][2]int{}
	for _, alike := range []float64{0, 0.5, 0.8, 0.9, 0.95} {
		for _, days := range []int{8, 20, 50, 120, 300} {
			rng := rand.New(rand.NewPCG(uint64(alike*100), uint64(days)))
			for round := range 1500 {
				step := 1.0
				if round%2 == 0 {
					step = 500 // sold in steps of 5 euros
				}
				summary, truth := wandering(rng, days, alike, step)
				percentile, ok := PercentileOf(summary, day0)
				if !ok {
					t.Fatal("no verdict")
				}
				low, high := percentile.Interval()
				asked++
				counts := byLevel[reliability(percentile, 0)]
				counts[0]++
				if low <= truth && truth <= high {
					held++
					counts[1]++
				}
				byLevel[reliability(percentile, 0)] = counts
				percentile.EffectiveSize = percentile.Weight
				if low, high := percentile.Interval(); low <= truth && truth <= high {
					raw++
				}
			}
		}
	}
	share := func(n, of int) float64 { return 100 * float64(n) / float64(of) }
	t.Logf("the interval held on %.1f %% of %d days; with every day as independent on %.1f %%", share(held,
		asked), asked, share(raw, asked))
	if s := share(held, asked); s < 78 || s > 92 {
		t.Errorf("the interval held on %.1f %% of days, want 78 to 92", s)
	}
	for _, level := range []string{Alta, Media, Bassa} {
		n := byLevel[level]
		t.Logf("%s: held on %.1f %% of %d days", level, share(n[1], n[0]), n[0])
		if s := share(n[1], n[0]); n[0] < 1000 || s < 72 || s > 95 {
			t.Errorf("%s: held on %.1f %% of %d days, want 72 to 95", level, s, n[0])
		}
	}
}

// wandering returns a route with simulated daily lows. Their logarithms follow a first-order
// autoregression. It also returns the true percentile of the next fare.
func wandering(rng *rand.Rand, days int, alike, step float64) (RouteSummary, float64) {
	const median, spread = 5000, 0.4
	x := rng.NormFloat64()
	next := func() fare.Cents {
		price := fare.Cents(max(1, math.Round(median*math.Exp(spread*x)/step)) * step)
		x = alike*x + math.Sqrt(1-alike*alike)*rng.NormFloat64()
		return price
	}
	lows := make([]Low, days)
	for i := range lows {
		lows[i] = Low{Day: day0 - fare.Day(days-i), Price: next()}
	}
	slices.SortFunc(lows, func(a, b Low) int { return int(a.Price - b.Price) })
	price := next()
	atMost := func(p float64) float64 {
		return 50 * math.Erfc(-math.Log(max(p, 1e-9)/median)/spread/math.Sqrt2)
	}
	truth := (atMost(float64(price)-step/2) + atMost(float64(price)+step/2)) / 2
	return RouteSummary{AsOf: day0, View: View{
		Newest: day0.Time().Unix(), Lows: lows,
		Live: []Live{{Depart: day0 + 30, Price: price, Found: day0.Time().Unix()}},
	}}, truth
}

// TestProveWindowOfPartlySeenDepartures: each departure is observed during only a third of the time
// that it is on sale. All departures are truly cheapest 46 to 90 days ahead. Winter is cheap and
// seen long before departure; summer is expensive and seen shortly before. So the median over all
// departures is misleading, and the minimum of a single departure too.
func TestProveWindowOfPartlySeenDepartures(t *testing.T) {
	curve := func(lead int) float64 {
		switch {
		case lead < 15:
			return 2.2
		case lead < 46:
			return 1.3
		case lead < 91:
			return 1
		}
		return 1.2
	}
	for _, seed := range []uint64{1, 2, 3, 4, 5} {
		rng := rand.New(rand.NewPCG(8, seed))
		var all []fare.Observation
		for departure := range 150 {
			depart := day0 + fare.Day(departure)
			level := 3000.0
			from := 60 + rng.IntN(60) // winter: last seen at least two months before
			if departure > 75 {
				level, from = 12_000, rng.IntN(60)
			}
			for lead := from; lead < from+60; lead += 3 {
				price := level * curve(lead) * math.Exp(0.15*rng.NormFloat64())
				all = append(all, seen(depart-fare.Day(lead), depart, fare.Cents(price)))
			}
		}
		w := Build(all, RouteSummary{}, day0+150, Options{}).Window
		if w == nil || w.From != 46 || w.To != 90 {
			t.Errorf("seed %d: window %+v, want 46 to 90", seed, w)
		}
	}
}
