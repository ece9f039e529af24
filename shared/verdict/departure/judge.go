package departure

import (
	"math"
	"sort"

	"verdetto/shared/fare"
)

// RouteDay is a route on one day, with its departures on sale. It computes values that several
// answers of that day need only once. Do not use it after new fares were added to the route.
type RouteDay struct {
	view  *View
	route *Route
	level mean     // the route's mean, from earlier days
	sale  []onSale // by lead time
	flats float64  // sum of onSale.flat
	// cheapest holds the two lowest onSale.flat.
	cheapest [2]float64
	cases    float64 // today's weight of a stored case in the route's terms

	hasBins  bool // onSale.bin is computed
	outdated bool // the route's residuals do not count; see Route.noCurve

	withOnSale bool // residuals of the departures on sale are in sums
	computed   [groups + 1]bool
	sums       *[groups + 1][bins + 1]float64 // nil until below is called: folding does not need them
}

// anyGroup is the index, in the fields computed and sums, for the residuals (distances from the
// usual price) of all lead times (days before departure) together.
const anyGroup = groups

// Day prepares a route for answers on the day of the view v (the pooled statistics of one day).
// today holds the quotes of the departures on sale.
func (r *Route) Day(v *View, today []Quote) *RouteDay {
	d := new(RouteDay)
	d.Set(r, v, today)
	return d
}

// Set prepares d like Day, but reuses the memory of d.
func (d *RouteDay) Set(r *Route, v *View, today []Quote) {
	d.view, d.route, d.computed = v, r, [groups + 1]bool{}
	d.outdated = r.noCurve && v.hasCurve
	fade := 1 / gain(r.epoch, v.day, levelHalfLife)
	d.level = mean{r.level.sum * fade, r.level.weight * fade}
	d.cases = 1 / gain(r.epoch, v.day, halfLife)
	d.setOnSale(today)
}

// below returns, for each step of 5 %, the weight of the residuals below that step. A residual is
// the distance of a fare from the usual price. Only residuals of one group of lead times (days
// before departure) count. If withOnSale is set, the residuals of the departures on sale are
// included.
func (d *RouteDay) below(group int, withOnSale bool) *[bins + 1]float64 {
	if d.withOnSale != withOnSale {
		d.withOnSale, d.computed = withOnSale, [groups + 1]bool{}
	}
	if d.sums == nil {
		d.sums = new([groups + 1][bins + 1]float64)
	}
	sums := &d.sums[group]
	if d.computed[group] {
		return sums
	}
	d.computed[group], *sums = true, [bins + 1]float64{}
	fade := 1 / gain(d.route.epoch, d.view.day, residualHalfLife)
	for g, bars := range d.route.residuals {
		if d.outdated {
			break
		}
		for _, b := range bars {
			if g == group || group == anyGroup {
				sums[b.bin+1] += b.mass * fade
			}
		}
	}
	if withOnSale {
		for _, s := range d.sale {
			if group == anyGroup || d.route.group(int(s.span)) == group {
				sums[s.bin+1]++
			}
		}
	}
	for i := range bins {
		sums[i+1] += sums[i]
	}
	return sums
}

// comparables holds the residuals that a price is ranked among, without the judged departure.
// Residuals of a similar lead time (days before departure) are shrunk, by prior fares, towards the
// route's residuals of any lead time. These are shrunk by prior fares towards the residuals of all
// routes. The package comment explains residuals (distances from the usual price) and shrinking
// (averaging with a default).
type comparables struct {
	near, any       *[bins + 1]float64 // weights below each step
	pooled          *[bins + 1]float64 // shares below each step
	isPooled        bool               // residuals of all routes are used
	omitted         int                // the step of the judged departure, left out; bins if none
	allNear, allAny float64
	onSale          int     // other departures on sale among them
	base            float64 // the log price that has a residual of 0
}

// comparables returns the comparable fares among which a quote is ranked, as residuals (distances
// from the usual price). ok is false if there are too few of them for a percentile.
func (d *RouteDay) comparables(q Quote) (c comparables, ok bool) {
	own := d.own(q)
	others, average := d.others(own), d.average(own)
	withOnSale := others >= onSaleRank
	if d.route.count < MinCount && !withOnSale || math.IsNaN(average) {
		return c, false
	}
	span := place(q.Lead, curveEdges)
	c = comparables{pooled: &d.view.below, isPooled: d.view.isPooled, omitted: bins, base: average + d.view.curve[span]}
	if withOnSale {
		if d.rank(); own != none {
			c.omitted = int(d.sale[own].bin)
		}
		c.onSale = others
	}
	c.near, c.any = d.below(d.route.group(span), withOnSale), d.below(anyGroup, withOnSale)
	c.allNear, c.allAny = c.weights(bins)
	return c, c.allAny > 0 || c.isPooled
}

// weights returns the weight of the comparables whose residual (distance from the usual price) is
// below a step. near is for a similar lead time (days before departure), any for all lead times.
func (c *comparables) weights(step int) (near, any float64) {
	near, any = c.near[step], c.any[step]
	if c.omitted < step {
		return near - 1, any - 1 // the omitted residual is in both weights
	}
	return near, any
}

// below returns the share of the comparables' weight that lies below a step of 5 %.
func (c *comparables) below(step int) float64 {
	near, any := c.weights(step)
	return c.share(near, any, c.pooled[step])
}

// percentile returns the share of the comparables' weight below the middle of a step. So residuals
// (distances from the usual price) of the same step (ties) count half.
func (c *comparables) percentile(step int) float64 {
	near, any := c.weights(step)
	nearTo, anyTo := c.weights(step + 1)
	return c.share((near+nearTo)/2, (any+anyTo)/2, (c.pooled[step]+c.pooled[step+1])/2)
}

// share combines three numbers into one share. near is the weight of residuals (distances from the
// usual price) of a similar lead time (days before departure), any is the weight of all lead times,
// and pooled is the share of all routes.
func (c *comparables) share(near, any, pooled float64) float64 {
	own := (any + prior*pooled) / (c.allAny + prior)
	if !c.isPooled && c.onSale > 0 {
		own = any / c.allAny // there are no residuals of all routes yet
	}
	return (near + prior*own) / (c.allNear + prior)
}

// earlier returns the weight, today, of the fares of earlier days with a similar lead time (days
// before departure).
func (d *RouteDay) earlier(lead int) (weight float64) {
	if d.outdated {
		return 0
	}
	for _, b := range d.route.residuals[d.route.group(place(lead, curveEdges))] {
		weight += b.mass
	}
	return weight / gain(d.route.epoch, d.view.day, residualHalfLife)
}

// Answer is the rule's answer for a price. If Known is false, there are too few fares for a
// percentile. The chances of a fall are always set.
type Answer struct {
	Known      bool
	Percentile float64           // 0 to 1
	Chance     [horizons]float64 // of a fall within 7 and within 14 days

	Count    int               // earlier fares of the route, of any lead time
	Near     float64           // weight of earlier fares of a similar lead time; old fares count less
	OnSale   int               // other departures on sale that the price is ranked among; 0 if too few
	Borrowed float64           // share of the weight that comes from other routes
	Cases    [horizons]float64 // weight of known outcomes of the route; old ones count less

	Cells Cells // stored with the question until the outcome is known
}

// Judge judges the price of a departure on the day of d's view (the pooled statistics of one day).
// past is the price history of that departure, or nil if there is none.
func (d *RouteDay) Judge(past *Past, q Quote) Answer {
	a := Answer{Count: d.route.count, Percentile: math.NaN()}
	if c, ok := d.comparables(q); ok {
		a.Known, a.Percentile = true, c.percentile(binOf(logOf(q.Price)-c.base))
		a.Near, a.OnSale = d.earlier(q.Lead), c.onSale
		a.Borrowed = prior / (c.allNear + prior) * prior / (c.allAny + prior)
	}
	if past == nil {
		past = &Past{}
	}
	a.Cells = cellsOf(past, d.view.day, q, a.Percentile, d.beside(q))
	for h := range d.view.tables {
		a.Chance[h] = logistic(d.view.tables[h].logOdds(d.route.terms[h].value, a.Cells))
		a.Cases[h] = d.route.terms[h].cases * d.cases
	}
	return a
}

// Quartiles holds the usual prices of comparable departures, converted to the lead time (days
// before departure) of the judged departure.
type Quartiles struct{ Minimum, Q1, Median, Q3, Maximum fare.Cents }

// Quartiles returns the usual prices of the route for a quote's departure. ok is false if Judge
// returns no percentile.
//
// Q1, Median and Q3 are quantiles of the comparables: the fares that the percentile ranks among.
// The weight of a step of 5 % is spread evenly over the step. Minimum and Maximum are the lowest
// and the highest step in which comparables of a similar lead time (days before departure) weigh at
// least 0.1 fares. Without such a step, comparables of any lead time count. Minimum is never above
// Q1, Maximum never below Q3.
func (d *RouteDay) Quartiles(of Quote) (q Quartiles, ok bool) {
	c, ok := d.comparables(of)
	if !ok {
		return q, false
	}
	low, high := c.ends()
	q1, q3 := c.quantile(.25), c.quantile(.75)
	return Quartiles{c.price(min(low, q1)), c.price(q1), c.price(c.quantile(.5)), c.price(q3),
		c.price(max(high, q3))}, true
}

// Quantile returns the price below which the given share of the comparable fares lies; see
// Quartiles.
func (d *RouteDay) Quantile(of Quote, share float64) (fare.Cents, bool) {
	c, ok := d.comparables(of)
	if !ok {
		return 0, false
	}
	return c.price(c.quantile(share)), true
}

// price returns the price whose residual (distance from the usual price, as a log) is the given
// one.
func (c *comparables) price(residual float64) fare.Cents {
	return fare.Cents(math.Round(100 * math.Exp(c.base+residual)))
}

// quantile returns the residual (distance from the usual price) such that the given share of the
// comparables' weight has a lower residual.
func (c *comparables) quantile(share float64) float64 {
	i := sort.Search(bins-1, func(i int) bool { return c.below(i+1) > share })
	below, inside := c.below(i), 0.
	if width := c.below(i+1) - below; width > 0 {
		inside = min(1, max(0, (share-below)/width))
	}
	return (float64(i) + inside - middle) * step
}

// ends returns the middles of the lowest and of the highest step whose weight is at least 0.1
// fares.
func (c *comparables) ends() (low, high float64) {
	const counts = .1
	for _, sums := range []*[bins + 1]float64{c.near, c.any} {
		first, last := bins, none
		for i := range bins {
			weight := sums[i+1] - sums[i]
			if i == c.omitted {
				weight--
			}
			if weight >= counts {
				first, last = min(first, i), i
			}
		}
		if last != none {
			return (float64(first) + .5 - middle) * step, (float64(last) + .5 - middle) * step
		}
	}
	return 0, 0
}
