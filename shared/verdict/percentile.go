package verdict

import (
	"math"

	"verdetto/shared/fare"
)

// Percentile is the rank of a price among a route's daily lows. The level and the reliability of a
// verdict depend only on the Percentile and the age of the fare. Prices are compared in the
// currency of the summary. The amounts in Percentile are in EUR cents.
type Percentile struct {
	Price           fare.Cents
	Below, Equal    float64 // shares of the sample's weight with a lower price, and with an equal price
	Size            int     // days in the sample
	Weight          float64 // of the whole sample; a low of today has weight 1
	Minimum, Median fare.Cents
	EffectiveSize   float64 // number of independent days that hold as much information as the sample, from 1 to Size

	Cheap, Dear bool // price is clearly under the median, or clearly over it

	Doubted [3]bool // reliabilities to lower by one step; see RouteSummary
}

// The weight of a daily low decreases with its age. Nine tenths of the weight halve every 14 days,
// one tenth every 180 days. Recent fares show best what is usual now, but old fares keep some
// weight. Without decreasing weights, every fare looks expensive after a year of rising fares.
// docs/evidence.md has the measurements.
const (
	shortShare, shortHalf = 0.9, 14
	longShare, longHalf   = 0.1, 180
)

// weights holds the weight of a daily low by its age in days. The weight at age 0 is 1.
var weights = func() (w [LowDays + 1]float64) {
	at := func(days float64) float64 {
		return shortShare/shortHalf*math.Exp2(-days/shortHalf) + longShare/longHalf*math.Exp2(-days/longHalf)
	}
	for days := range w {
		w[days] = at(float64(days)) / at(0)
	}
	return w
}()

// Weight returns the weight of a daily low. days is the time between the day of the low and the
// judged day, before or after.
func Weight(days fare.Day) float64 { return weights[min(max(days, -days), LowDays)] }

// Place is the position of a price among daily lows. Below is the weight of the cheaper lows, Equal
// the weight of lows with that price, All the weight of all lows.
type Place struct {
	Below, Equal, All float64
	Last              fare.Day // the newest day with a low
}

// PlaceOf returns the position of a price among daily lows, without lows after the parameter until.
// Lows close to the judged day (the parameter day) have more weight. The low of that day itself is
// excluded.
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

func (s RouteSummary) weight(l Low) float64 { return Weight(s.AsOf - l.Day) }

// PercentileOf returns the percentile of the cheapest live fare (found in the last 7 days) on a
// day. It returns false if there is no live fare, or if there are too few lows for a verdict.
func PercentileOf(s RouteSummary, today fare.Day) (Percentile, bool) {
	live, ok := s.Cheapest(today)
	if !ok {
		return Percentile{}, false
	}
	return PercentileAt(s, live.Price)
}

// PercentileAt returns the percentile of a price in the summary's currency. It returns false if
// there are too few lows for a verdict.
func PercentileAt(s RouteSummary, price fare.Cents) (Percentile, bool) {
	t := percentileAt(s, price)
	return t, t.Size >= MinSample
}

// percentileAt returns the percentile of a price in the summary's currency. If there are fewer than
// MinSample lows, it sets only Price, Size and Doubted.
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

func (s RouteSummary) medianLow(weight float64) fare.Cents { return s.quantileLow(weight, .5) }

// quantileLow returns the price below which the given share of the lows' weight lies. weight is the
// weight of all lows. If the share ends exactly between two prices, quantileLow returns the mean of
// both prices.
func (s RouteSummary) quantileLow(weight, share float64) fare.Cents {
	const rounding = 1e-9
	sum := 0.0
	for i, l := range s.Lows {
		sum += s.weight(l)
		if math.Abs(sum-weight*share) < rounding*weight && i+1 < len(s.Lows) {
			return (l.Price + s.Lows[i+1].Price) / 2
		}
		if sum > weight*share {
			return l.Price
		}
	}
	return s.Lows[len(s.Lows)-1].Price
}

// lowQuartiles returns the quartiles of the lows in published form.
func (s RouteSummary) lowQuartiles() *Quartili {
	weight := 0.0
	for _, l := range s.Lows {
		weight += s.weight(l)
	}
	at := func(share float64) fare.Cents { return s.Euro(s.quantileLow(weight, share)) }
	return &Quartili{s.Euro(s.Lows[0].Price), at(.25), at(.5), at(.75), s.Euro(s.Lows[len(s.Lows)-1].Price)}
}

// Rounded rounds the quartiles to whole units, the lower ones down and the higher ones up. So they
// do not reveal a single past fare. MinimoCent and MedianaCent stay, since both are published
// anyway.
func (q Quartili) Rounded() *Quartili {
	down := func(c fare.Cents) fare.Cents { return c - c%100 }
	up := func(c fare.Cents) fare.Cents { return down(c + 99) }
	return &Quartili{q.MinimoCent, down(q.Q1Cent), q.MedianaCent, up(q.Q3Cent), up(q.MassimoCent)}
}

// place returns the share of the sample's weight with a lower price. Lows of equal price count
// half.
func (t Percentile) place() float64 { return t.Below + t.Equal/2 }

// Percent returns the share of the sample with a lower price, in whole percent, rounded down. Lows
// of equal price count half. The result is 0 only if no low is cheaper.
func (t Percentile) Percent() int {
	// The small addition corrects rounding errors of the sum, so that 49.9999999999 counts as 50.
	percentile := int(math.Floor(100*t.place() + 1e-9))
	if t.Below > 0 {
		percentile = max(percentile, 1)
	}
	return percentile
}

// addedDays is the number of assumed days that Interval adds to a sample. Half of them are cheaper
// than the fare, half more expensive.
const addedDays = 5

// Interval returns the 90 % interval of the percentile: the likely range of the rank of the price
// among the daily lows before and after today. The method is that of A. Agresti and B. A. Coull
// (1998) with the effective sample size. It adds 5 days; the original method adds 4. The reason: a
// price that reaches a record often moves further, and with 5 days the interval is wide enough.
func (t Percentile) Interval() (low, high float64) {
	const z = 1.6449 // 95th percentile of the normal distribution
	n := t.EffectiveSize
	p := (t.place()*n + addedDays/2.0) / (n + addedDays)
	half := z * math.Sqrt(p*(1-p)/(n+addedDays))
	return 100 * max(0, p-half), 100 * min(1, p+half)
}

// effectiveSize returns the number of independent days with the same information as the sample.
//
// Weights reduce the sample size: n is the number of equally weighted days with the same variance
// (L. Kish, 1965). Correlation reduces it too: a fare that stays for a week is one piece of
// information, not seven. Let r be the rank correlation of successive lows. Then n lows are worth
// n(1-r)/(1+r) independent lows (variance of the mean of a first-order autoregression). In a short
// history, the measured r is on average too low by (1+4r)/n (F. H. C. Marriott, J. A. Pope, 1954),
// so (1+4r)/n is added to r.
func (s RouteSummary) effectiveSize() float64 {
	var rank [LowDays + 1]float32 // by age in days; 0: no low
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
		return 1 // a price that never moved counts as one observation
	}
	r := products / squares
	r = min(max(r+(1+4*r)/n, 0), 1-2/n)
	return max(1, sum*sum/squaredWeights*(1-r)/(1+r))
}
