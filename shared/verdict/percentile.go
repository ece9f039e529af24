package verdict

import (
	"math"
	"sort"

	"verdetto/shared/fare"
)

// Percentile is where a price lies in a route's sample of lows. The verdict is
// made of nothing else. Prices are compared as quoted; the amounts are of euro.
type Percentile struct {
	Price           fare.Cents
	Below, Equal    float64 // shares of the sample's weight: lows that are strictly cheaper, and equal
	Size            int     // days in the sample
	Weight          float64 // of the sample, in days of today's weight
	Minimum, Median fare.Cents
	EffectiveSize   float64 // how many independent days the sample amounts to, from 1 to Size

	Cheap, Dear bool // clearly under the median, clearly over it

	Doubted [3]bool // reliabilities that are told a step lower; see RouteSummary
}

// The memory of a route fades: of a day's weight three quarters halve every two
// weeks, and a quarter halves every six months. What was found lately says most
// about the prices of now, and a long past is never quite forgotten. A memory
// that does not fade calls everything dear after a year in which fares rose
// (docs/evidence.md has the measurements that these numbers come from).
const (
	shortShare, shortHalf = 0.75, 14
	longShare, longHalf   = 0.25, 180
)

// weights is the weight of a day, by how many days ago it was; that of today is 1.
var weights = func() (w [LowDays + 1]float64) {
	at := func(days float64) float64 {
		return shortShare/shortHalf*math.Exp2(-days/shortHalf) + longShare/longHalf*math.Exp2(-days/longHalf)
	}
	for days := range w {
		w[days] = at(float64(days)) / at(0)
	}
	return w
}()

// Weight is what a day counts that lies so many days from the one that is judged; that day itself counts 1.
func Weight(days fare.Day) float64 { return weights[min(max(days, -days), LowDays)] }

// Place is where a price lies among lows: the weight of those that are cheaper
// and equal, and of all.
type Place struct {
	Below, Equal, All float64
	Last              fare.Day // the newest day of a low
}

// PlaceOf weighs lows until a day by their distance from the day of the price, whose own low does not count.
func PlaceOf(lows []Low, day, until fare.Day, price fare.Cents) (p Place) {
	for _, l := range lows {
		if l.Day == day || l.Day > until {
			continue
		}
		w := Weight(l.Day - day)
		p.All += w
		switch {
		case l.Price < price:
			p.Below += w
		case l.Price == price:
			p.Equal += w
		}
		p.Last = max(p.Last, l.Day)
	}
	return p
}

// weight is the weight of a low.
func (s RouteSummary) weight(l Low) float64 { return Weight(s.AsOf - l.Day) }

// PercentileOf is the percentile of the cheapest fare of a day; false where no fare
// is live or the sample is too small for a verdict.
func PercentileOf(s RouteSummary, today fare.Day) (Percentile, bool) {
	live, ok := s.Cheapest(today)
	if !ok {
		return Percentile{}, false
	}
	return PercentileAt(s, live.Price)
}

// PercentileAt is the percentile of a price in the summary's currency; false where the sample is too
// small for a verdict.
func PercentileAt(s RouteSummary, price fare.Cents) (Percentile, bool) {
	t := percentileAt(s, price)
	return t, t.Size >= MinSample
}

// percentileAt finds the percentile of a price in the summary's currency. Of a sample that is too
// small it gives no more than the size.
func percentileAt(s RouteSummary, price fare.Cents) Percentile {
	t := Percentile{Price: s.Euro(price), Size: len(s.Lows), Doubted: s.Doubted}
	if t.Size < MinSample {
		return t
	}
	place := PlaceOf(s.Lows, s.AsOf, s.AsOf, price)
	t.Weight, t.Below, t.Equal = place.All, place.Below/place.All, place.Equal/place.All
	median := s.medianLow(t.Weight)
	t.Minimum, t.Median = s.Euro(s.Lows[0].Price), s.Euro(median)
	t.Cheap, t.Dear = clearlyUnder(price, median), clearlyUnder(median, price)
	t.EffectiveSize = s.effectiveSize()
	return t
}

// medianLow is the weighted median of lows of that weight: half of it is at or
// under the median; between two prices it is their mean.
func (s RouteSummary) medianLow(weight float64) fare.Cents {
	const rounding = 1e-9
	sum := 0.0
	for i, l := range s.Lows {
		sum += s.weight(l)
		if math.Abs(sum-weight/2) < rounding*weight && i+1 < len(s.Lows) {
			return (l.Price + s.Lows[i+1].Price) / 2
		}
		if sum > weight/2 {
			return l.Price
		}
	}
	return s.Lows[len(s.Lows)-1].Price
}

// place is the share of the sample's weight that is cheaper, ties counted half.
func (t Percentile) place() float64 { return t.Below + t.Equal/2 }

// Percent is the share of the sample that is cheaper, in whole percent, ties
// counted half and recent days most; 0 is a new low, and the lowest price again.
func (t Percentile) Percent() int {
	// Shares are sums of rounded numbers: what falls short of a percent by less than they can be off is that percent.
	percentile := int(math.Floor(100*t.place() + 1e-9))
	if t.Below > 0 {
		percentile = max(percentile, 1)
	}
	return percentile
}

// addedDays are added to a sample, half of them cheaper and half dearer, before
// its interval is taken.
const addedDays = 5

// Interval is the 90 % interval of the percentile: where the price stands among
// the lows of the days before and after it, weighted alike by how far they lie
// from today. It is the interval of A. Agresti and B. A. Coull (1998) for the
// effective sample size, with addedDays in place of the four that they add:
// prices go on in the direction in which they went to a record, and with five
// the interval of an extreme price is wide enough.
func (t Percentile) Interval() (low, high float64) {
	const z = 1.6449 // 95th percentile of the normal distribution
	n := t.EffectiveSize
	p := (t.place()*n + addedDays/2.0) / (n + addedDays)
	half := z * math.Sqrt(p*(1-p)/(n+addedDays))
	return 100 * max(0, p-half), 100 * min(1, p+half)
}

// effectiveSize is how many independent days a sample amounts to. A sum of
// weights counts as many days as would make its variance if all weighed the same
// (L. Kish, 1965). And neighbouring days are alike: a fare that stays for a week
// is one piece of information and not seven. With r the correlation of the ranks
// of lows that follow each other in time, n lows amount to n(1-r)/(1+r) (the
// variance of the mean of a first-order autoregression); in a short history r
// comes out too small, by (1+4r)/n on average (F. H. C. Marriott, J. A. Pope,
// 1954), which is added back.
func (s RouteSummary) effectiveSize() float64 {
	var rank [LowDays + 1]float32 // by days back; 0: no low
	lows := s.Lows
	var sum, squaredWeights float64
	oldest := fare.Day(0)
	for i := 0; i < len(lows); {
		j := i
		for j < len(lows) && lows[j].Price == lows[i].Price {
			j++
		}
		middle := float32(i+j+1) / 2
		for ; i < j; i++ {
			if back := s.AsOf - lows[i].Day; 0 <= back && back <= LowDays {
				rank[back] = middle
				oldest = max(oldest, back)
			}
			w := s.weight(lows[i])
			sum += w
			squaredWeights += w * w
		}
	}
	n := float64(len(lows))
	var squares, products, last float64
	for _, r := range rank[:oldest+1] {
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
	return max(1, sum*sum/squaredWeights*(1-r)/(1+r))
}

// Scale is a route's sample of lows laid out by price, in euro, for showing where a fare stands.
type Scale struct {
	Prices []fare.Cents // the sample, cheapest first
	// The highest price that is judged ottimo, buono and normale. Where no price
	// is, because the fare hardly ever moves, a bound lies below the cheapest.
	Ottimo, Buono, Normale fare.Cents
	// Shares are those of the sample's weight whose price is judged ottimo, at
	// most buono, and at most normale. A price of the better of two levels has no
	// more below or at it than the share between them, one of the worse no less
	// below it: so a price stands among the shares where its level says.
	Shares [3]float64
}

// ScaleOf is the scale that the verdict of a summary is read from; false where the sample is too small for one.
func ScaleOf(s RouteSummary) (Scale, bool) {
	if len(s.Lows) < MinSample {
		return Scale{}, false
	}
	c := Scale{Prices: make([]fare.Cents, len(s.Lows))}
	upTo := make([]float64, len(s.Lows)+1) // the weight of the first lows
	for i, l := range s.Lows {
		c.Prices[i] = s.Euro(l.Price)
		upTo[i+1] = upTo[i] + s.weight(l)
	}
	all := upTo[len(s.Lows)]
	median := s.medianLow(all)
	from := func(price fare.Cents) int {
		return sort.Search(len(s.Lows), func(i int) bool { return s.Lows[i].Price >= price })
	}
	// A higher price never has a better level, so the bounds can be searched for.
	dearest := max(s.Lows[len(s.Lows)-1].Price, median*100/belowMedian+1)
	highest := func(worst int) fare.Cents {
		bound := fare.Cents(sort.Search(int(dearest)+1, func(cents int) bool {
			price := fare.Cents(cents)
			below, equal := upTo[from(price)], upTo[from(price+1)]-upTo[from(price)]
			t := Percentile{Below: below / all, Equal: equal / all, Cheap: clearlyUnder(price, median),
				Dear: clearlyUnder(median, price)}
			return levelPlace(t.Level()) > worst
		}) - 1)
		c.Shares[worst] = upTo[from(bound+1)] / all
		return s.Euro(bound)
	}
	c.Ottimo, c.Buono, c.Normale = highest(0), highest(1), highest(2)
	return c, true
}
