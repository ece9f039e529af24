package verdict

import (
	"math"
	"slices"

	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
)

// Percentile is the position of a price among the daily lows of a route. Amounts are in EUR cents.
type Percentile struct {
	Price           fare.Cents
	Below, Equal    int
	Size            int
	First           fare.Day
	Minimum, Median fare.Cents

	Cheap, Dear bool

	// EffectiveSize is the number of independent days that would tell as much as the sample about
	// all days since First. It is infinite if each of these days was observed.
	EffectiveSize float64
}

// PercentileAt takes a price in the summary's currency. It returns false if there are too few lows
// for a verdict.
func PercentileAt(s RouteSummary, price fare.Cents) (Percentile, bool) {
	sample := s.sample()
	t := Percentile{Price: s.Euro(price), Size: len(sample)}
	if t.Size < MinSample {
		return t, false
	}
	t.First = s.AsOf
	for _, l := range sample {
		t.First = min(t.First, l.Day)
		switch {
		case l.Price < price:
			t.Below++
		case l.Price == price:
			t.Equal++
		}
	}
	median := quantile(sample, .5)
	t.Minimum, t.Median = s.Euro(sample[0].Price), s.Euro(median)
	t.Cheap, t.Dear = price*100 <= median*(100-clearly), price*100 >= median*(100+clearly)
	t.EffectiveSize = effectiveSize(sample, t.First, s.AsOf)
	return t, true
}

func (s RouteSummary) sample() []Low {
	outside := func(l Low) bool { return l.Day <= s.AsOf-HistoryDays || l.Day >= s.AsOf }
	if !slices.ContainsFunc(s.Lows, outside) {
		return s.Lows
	}
	return slices.DeleteFunc(slices.Clone(s.Lows), outside)
}

// quantile needs lows sorted by price, and a share above 0 and below 1.
func quantile(lows []Low, share float64) fare.Cents {
	at := share * float64(len(lows))
	i := int(at)
	if at == float64(i) {
		return (lows[i-1].Price + lows[i].Price + 1) / 2
	}
	return lows[i].Price
}

// The half of the lows that is shown beside an Expensive price must lie below the price. If ties
// prevent that, lowQuartiles moves the half.
func (s RouteSummary) lowQuartiles(price fare.Cents, l Level) *Quartiles {
	lows := s.sample()
	at := func(share float64) fare.Cents { return s.Euro(quantile(lows, share)) }
	q := &Quartiles{Minimum: s.Euro(lows[0].Price), Q1: at(.25), Median: at(.5), Q3: at(.75),
		Maximum: s.Euro(lows[len(lows)-1].Price), HalfLow: at(departure.HalfFrom), HalfHigh: at(departure.HalfTo)}
	if l == Expensive && quantile(lows, departure.HalfTo) >= price {
		below, _ := slices.BinarySearchFunc(lows, price, func(l Low, p fare.Cents) int { return int(l.Price - p) })
		q.HalfHigh = s.Euro(lows[below-1].Price)
		q.HalfLow = s.Euro(lows[max(0, below-(len(lows)+1)/2)].Price)
	}
	return q
}

// Percent is 0 only if no day had a lower low, and 100 only if every day of the sample had a lower
// low.
func (t Percentile) Percent() int {
	percent := (200*t.Below + t.Size) / (2 * t.Size)
	switch {
	case t.Below > 0 && percent == 0:
		return 1
	case t.Below < t.Size && percent == 100:
		return 99
	}
	return percent
}

// Interval returns the 90 % interval of the percentile among all days since First, observed or not.
// The method is that of A. Agresti and B. A. Coull (1998).
func (t Percentile) Interval() (low, high float64) {
	p := float64(t.Below) / float64(t.Size)
	if math.IsInf(t.EffectiveSize, 1) {
		return 100 * p, 100 * p
	}
	return agrestiCoull(p, t.EffectiveSize)
}

func agrestiCoull(p, n float64) (low, high float64) {
	const z = 1.6449 // 95th percentile of the normal distribution
	more := n + z*z
	center := (p*n + z*z/2) / more
	half := z * math.Sqrt(center*(1-center)/more)
	return 100 * max(0, min(p, center-half)), 100 * min(1, max(p, center+half))
}

// longMemory widens the interval, because fares of a season resemble each other for longer than the
// correlation of neighbouring days says; see docs/evidence.md.
const longMemory = 1.5

// effectiveSize computes Percentile.EffectiveSize as if days followed a first-order autoregression.
func effectiveSize(lows []Low, first, asOf fare.Day) float64 {
	period, size := int(asOf-first), len(lows)
	if size >= period {
		return math.Inf(1)
	}
	ranks := ranksByDay(lows, first, period)
	r := autocorrelation(ranks, size)
	variance, before := 0., 0.
	for _, rank := range ranks {
		weight := 1 / float64(period)
		if rank != 0 {
			weight -= 1 / float64(size)
		}
		variance += weight * (weight + 2*before)
		before = r * (before + weight)
	}
	return 1 / (longMemory * variance)
}

func ranksByDay(lows []Low, first fare.Day, period int) []float64 {
	ranks := make([]float64, period)
	for i := 0; i < len(lows); {
		j := i
		for j < len(lows) && lows[j].Price == lows[i].Price {
			j++
		}
		rank := float64(i+j+1) / 2
		for ; i < j; i++ {
			ranks[lows[i].Day-first] = rank
		}
	}
	return ranks
}

// autocorrelation adds (1+4r)/n, because a correlation r of n pairs is too low by that on average
// (F. H. C. Marriott, J. A. Pope, 1954).
func autocorrelation(ranks []float64, size int) float64 {
	distances := map[int]int{}
	each := func(do func(before, at int)) {
		before := 0
		for day := 1; day < len(ranks); day++ {
			if ranks[day] != 0 {
				do(before, day)
				before = day
			}
		}
	}
	each(func(before, at int) { distances[at-before]++ })
	common := 0
	for distance, n := range distances {
		if n > distances[common] || n == distances[common] && distance < common {
			common = distance
		}
	}
	mean := (float64(size) + 1) / 2
	var squares, products float64
	each(func(before, at int) {
		if at-before == common {
			products += (ranks[before] - mean) * (ranks[at] - mean)
		}
	})
	for _, rank := range ranks {
		if rank != 0 {
			squares += (rank - mean) * (rank - mean)
		}
	}
	n := float64(distances[common])
	most := 1 - 2/float64(size)
	if squares == 0 {
		return most
	}
	r := products / n / (squares / float64(size))
	return min(max(r+(1+4*r)/n, 0), most)
}
