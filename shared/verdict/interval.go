package verdict

import (
	"math"

	"verdetto/shared/fare"
)

// Interval is a range of percentiles.
type Interval struct{ Low, High float64 }

// IntervalOf is the 90 % interval of the percentile that Judge gives: it says
// where today's cheapest fare would stand among the lows of a very long history
// of which the sample is a part. False where there is no percentile.
func IntervalOf(s Sheet, today fare.Day) (Interval, bool) {
	live, ok := s.Cheapest(today)
	if !ok {
		return Interval{}, false
	}
	in, size, _ := sample(s.Lows, s.AsOf)
	if size < MinSample {
		return Interval{}, false
	}
	var below, equal int
	for _, l := range s.Lows {
		if !in(l) {
			continue
		}
		switch {
		case l.Price < live.Price:
			below++
		case l.Price == live.Price:
			equal++
		}
	}
	return wilson((float64(below)+float64(equal)/2)/float64(size), effective(s.Lows, in, size, s.AsOf)), true
}

// wilson is the 90 % Wilson score interval (E. B. Wilson, 1927) of a share p of n.
func wilson(p, n float64) Interval {
	const z = 1.6449 // 95th percentile of the normal distribution
	middle := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return Interval{100 * max(0, middle-half), 100 * min(1, middle+half)}
}

// effective is how many independent days the sample is worth. Neighbouring days
// are alike: a fare that stays for a week is one piece of news and not seven.
// With r the correlation of the ranks of lows that follow each other in time,
// n lows are worth n(1-r)/(1+r) (the variance of the mean of a first-order
// autoregression); in a short history r comes out too small, by (1+4r)/n on
// average (F. H. C. Marriott, J. A. Pope, 1954), which is put back.
func effective(lows []Low, in func(Low) bool, size int, asOf fare.Day) float64 {
	var rank [LowDays + 1]float32 // by days back; 0: no low
	at := 0
	for i := 0; i < len(lows); {
		j, ties := i, 0
		for ; j < len(lows) && lows[j].Price == lows[i].Price; j++ {
			if in(lows[j]) {
				ties++
			}
		}
		for ; i < j; i++ {
			if back := asOf - lows[i].Day; in(lows[i]) && 0 <= back && back <= LowDays {
				rank[back] = float32(at) + float32(ties+1)/2
			}
		}
		at += ties
	}
	n := float64(size)
	mean := (n + 1) / 2
	var square, product, before float64
	for _, r := range rank {
		if r == 0 {
			continue
		}
		d := float64(r) - mean
		square += d * d
		product += d * before
		before = d
	}
	if square == 0 {
		return 1 // a price that never moved was observed once
	}
	r := product / square
	r = min(max(r+(1+4*r)/n, 0), 1-2/n)
	return max(1, n*(1-r)/(1+r))
}
