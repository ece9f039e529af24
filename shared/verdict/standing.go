package verdict

import (
	"math"

	"verdetto/shared/fare"
)

// Standing is where a price stands in a route's sample of lows. The verdict is
// made of nothing else. Prices are compared as quoted; the amounts are of euro.
type Standing struct {
	Price           fare.Cents
	Below, Equal    int // lows that are strictly cheaper, and equal
	Size            int // days in the sample
	Minimum, Median fare.Cents
	Seasonal        bool    // the sample is restricted to a season
	EffectiveSize   float64 // how many independent days the sample amounts to, from 1 to Size

	Cheap bool // clearly under the median
}

// StandingOf is the standing of the cheapest fare of a day; false where no fare
// is live or the sample is too small for a verdict.
func StandingOf(s RouteSummary, today fare.Day) (Standing, bool) {
	live, ok := s.Cheapest(today)
	if !ok {
		return Standing{}, false
	}
	t := standingAt(s, live.Price)
	return t, t.Size >= MinSample
}

// standingAt finds the standing of a price in the summary's currency. Of a sample that is too small it gives no more than the size.
func standingAt(s RouteSummary, price fare.Cents) Standing {
	in, size, seasonal := sample(s.Lows, s.AsOf)
	t := Standing{Price: s.Euro(price), Size: size, Seasonal: seasonal}
	if size < MinSample {
		return t
	}
	// The lows are in order of price, so one walk gives the rank and the median.
	at := 0
	var lower, upper fare.Cents
	for _, l := range s.Lows {
		if !in(l) {
			continue
		}
		switch {
		case l.Price < price:
			t.Below++
		case l.Price == price:
			t.Equal++
		}
		switch at {
		case 0:
			t.Minimum = s.Euro(l.Price)
		case (size - 1) / 2:
			lower = l.Price
		}
		if at == size/2 {
			upper = l.Price
		}
		at++
	}
	median := (lower + upper) / 2
	t.Median, t.Cheap = s.Euro(median), isCheap(price, median)
	t.EffectiveSize = effectiveSize(s.Lows, in, size, s.AsOf)
	return t
}

// Percentile is the share of the sample that is cheaper, in percent, ties counted half.
func (t Standing) Percentile() int { return 100 * (2*t.Below + t.Equal) / (2 * t.Size) }

// Interval is the 90 % interval of the percentile: where the price would stand
// among the lows of a very long history of which the sample is a part. It is
// the Wilson score interval (E. B. Wilson, 1927) for the effective sample size.
func (t Standing) Interval() (low, high float64) {
	const z = 1.6449 // 95th percentile of the normal distribution
	n := t.EffectiveSize
	p := (float64(t.Below) + float64(t.Equal)/2) / float64(t.Size)
	middle := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return 100 * max(0, middle-half), 100 * min(1, middle+half)
}

// effectiveSize is how many independent days a sample amounts to. Neighbouring
// days are alike: a fare that stays for a week is one piece of information and
// not seven. With r the correlation of the ranks of lows that follow each other
// in time, n lows amount to n(1-r)/(1+r) (the variance of the mean of a
// first-order autoregression); in a short history r comes out too small, by
// (1+4r)/n on average (F. H. C. Marriott, J. A. Pope, 1954), which is added back.
func effectiveSize(lows []Low, in func(Low) bool, size int, asOf fare.Day) float64 {
	var rank [LowDays + 1]float32 // by days back; 0: no low in the sample
	before := 0                   // lows of the sample that are cheaper
	for i := 0; i < len(lows); {
		j, ties := i, 0
		for ; j < len(lows) && lows[j].Price == lows[i].Price; j++ {
			if in(lows[j]) {
				ties++
			}
		}
		for ; i < j; i++ {
			if back := asOf - lows[i].Day; in(lows[i]) && 0 <= back && back <= LowDays {
				rank[back] = float32(before) + float32(ties+1)/2
			}
		}
		before += ties
	}
	n := float64(size)
	var squares, products, last float64
	for _, r := range rank {
		if r == 0 {
			continue
		}
		d := float64(r) - (n+1)/2
		squares += d * d
		products += d * last
		last = d
	}
	if squares == 0 {
		return 1 // a price that never moved was observed once
	}
	r := products / squares
	r = min(max(r+(1+4*r)/n, 0), 1-2/n)
	return max(1, n*(1-r)/(1+r))
}
