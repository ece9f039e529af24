package departure

import (
	"math"
	"sort"

	"verdetto/shared/fare"
)

// RouteDay is a route on one day, with its departures on sale. Do not use it concurrently, or after
// new fares were added to the route.
type RouteDay struct {
	view     *View
	route    *Route
	level    mean
	sale     []onSale // sorted by lead time
	flats    float64
	cheapest [2]float64 // the two lowest values of onSale.flat
	caseFade float64

	hasBins  bool
	outdated bool // ignore the route's residuals; see Route.noCurve

	withOnSale bool
	computed   [groups + 1]bool
	sums       [groups + 1]*[bins + 1]float64
}

const anyGroup = groups

func (r *Route) Day(v *View, today []Quote) *RouteDay {
	d := new(RouteDay)
	d.Set(r, v, today)
	return d
}

func (d *RouteDay) Set(r *Route, v *View, today []Quote) {
	d.view, d.route, d.computed = v, r, [groups + 1]bool{}
	d.outdated = r.noCurve && v.hasCurve
	fade := 1 / gain(r.epoch, v.day, levelHalfLife)
	d.level = mean{r.level.sum * fade, r.level.weight * fade}
	d.caseFade = 1 / gain(r.epoch, v.day, halfLife)
	d.setOnSale(today)
}

func (d *RouteDay) below(group int, withOnSale bool) *[bins + 1]float64 {
	if d.withOnSale != withOnSale {
		d.withOnSale, d.computed = withOnSale, [groups + 1]bool{}
	}
	if d.sums[group] == nil {
		d.sums[group] = new([bins + 1]float64)
	}
	sums := d.sums[group]
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

type comparables struct {
	near, any       *[bins + 1]float64
	pooled          *[bins + 1]float64
	isPooled        bool
	omitted         int // step from which one fare is left out; bins if no fare is left out
	allNear, allAny float64
	onSale          int
	base            float64 // the log price that has a residual of 0
}

func (d *RouteDay) comparables(q Quote) (c comparables, ok bool) {
	row := d.rowOf(q)
	others, average := d.others(row), d.average(row)
	withOnSale := others >= onSaleRank
	if d.route.count < MinCount && !withOnSale || math.IsNaN(average) {
		return c, false
	}
	span := place(q.Lead, curveEdges)
	c = comparables{pooled: &d.view.below, isPooled: d.view.isPooled, omitted: bins, base: average + d.view.curve[span]}
	if withOnSale {
		if d.rank(); row != none {
			c.omitted = int(d.sale[row].bin)
		}
		c.onSale = others
	}
	c.near, c.any = d.below(d.route.group(span), withOnSale), d.below(anyGroup, withOnSale)
	c.allNear, c.allAny = c.weights(bins)
	return c, c.allAny > 0 || c.isPooled
}

func (c *comparables) weights(step int) (near, any float64) {
	near, any = c.near[step], c.any[step]
	if c.omitted < step {
		return near - 1, any - 1
	}
	return near, any
}

func (c *comparables) below(step int) float64 {
	near, any := c.weights(step)
	return c.share(near, any, c.pooled[step])
}

func (c *comparables) percentile(step int) float64 {
	near, any := c.weights(step)
	nearTo, anyTo := c.weights(step + 1)
	return c.share((near+nearTo)/2, (any+anyTo)/2, (c.pooled[step]+c.pooled[step+1])/2)
}

func (c *comparables) share(near, any, pooled float64) float64 {
	overall := (any + prior*pooled) / (c.allAny + prior)
	if !c.isPooled && c.onSale > 0 {
		overall = any / c.allAny
	}
	return (near + prior*overall) / (c.allNear + prior)
}

func (d *RouteDay) earlier(lead int) (weight float64) {
	if d.outdated {
		return 0
	}
	for _, b := range d.route.residuals[d.route.group(place(lead, curveEdges))] {
		weight += b.mass
	}
	return weight / gain(d.route.epoch, d.view.day, residualHalfLife)
}

// If Known is false, there are too few fares for a percentile.
type Answer struct {
	Known      bool
	Percentile float64 // 0 to 1
	Chance     [horizons]float64

	Count    int     // earlier fares of the route, of any lead time
	Near     float64 // weight of the earlier fares in the same group of lead times; old fares count less
	OnSale   int     // other departures on sale among which the price is ranked; 0 if too few
	Borrowed float64 // share of the weight from other routes
	Cases    [horizons]float64

	Cells Cells
}

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
		a.Cases[h] = d.route.terms[h].cases * d.caseFade
	}
	return a
}

type Quartiles struct{ Minimum, Q1, Median, Q3, Maximum, HalfLow, HalfHigh fare.Cents }

// HalfFrom and HalfTo limit the half of the comparable prices that is shown beside a price. This
// half is not the middle half, because Expensive fares must lie above it.
const HalfFrom, HalfTo = .2, .7

func (q Quartiles) In(amount func(fare.Cents) fare.Cents) *Quartiles {
	return &Quartiles{amount(q.Minimum), amount(q.Q1), amount(q.Median), amount(q.Q3), amount(q.Maximum),
		amount(q.HalfLow), amount(q.HalfHigh)}
}

// Quartiles returns false if Judge would return no percentile. Minimum and Maximum ignore
// comparables of negligible weight.
func (d *RouteDay) Quartiles(quote Quote) (q Quartiles, ok bool) {
	c, ok := d.comparables(quote)
	if !ok {
		return q, false
	}
	low, high := c.ends()
	q1, q3 := c.quantile(.25), c.quantile(.75)
	return Quartiles{c.price(min(low, q1)), c.price(q1), c.price(c.quantile(.5)), c.price(q3),
		c.price(max(high, q3)), c.price(c.quantile(HalfFrom)), c.price(c.quantile(HalfTo))}, true
}

// Usual computes only the quantiles on which the level of a fare depends.
func (d *RouteDay) Usual(quote Quote) (q Quartiles) {
	if c, ok := d.comparables(quote); ok {
		q.Median, q.HalfHigh = c.price(c.quantile(.5)), c.price(c.quantile(HalfTo))
	}
	return q
}

func (c *comparables) price(residual float64) fare.Cents {
	return fare.Cents(math.Round(100 * math.Exp(c.base+residual)))
}

func (c *comparables) quantile(share float64) float64 {
	i := sort.Search(bins-1, func(i int) bool { return c.below(i+1) > share })
	below, inside := c.below(i), 0.
	if width := c.below(i+1) - below; width > 0 {
		inside = min(1, max(0, (share-below)/width))
	}
	return (float64(i) + inside - middle) * step
}

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
