package departure

import (
	"math"

	"verdetto/shared/fare"
)

// RouteDay is a route on one day. It computes once what the questions of that day share. It is
// valid until the route is folded again.
type RouteDay struct {
	view          *View
	route         *Route
	computed      [groups]bool
	distributions [groups]distribution
}

// Day returns the route on the day of a view.
func (r *Route) Day(v *View) *RouteDay {
	d := new(RouteDay)
	d.Set(r, v)
	return d
}

// Set is On without allocation.
func (d *RouteDay) Set(r *Route, v *View) { d.view, d.route, d.computed = v, r, [groups]bool{} }

// distribution is the distribution of residuals in a group of lead times. The route's own residuals
// of the group are shrunk by prior fares to its residuals of any lead time. These are shrunk by
// prior fares to the residuals of all routes.
type distribution struct {
	below    [bins + 1]float64 // share of the weight below the lower edge of each step
	near     float64           // faded number of the route's fares in the group
	borrowed float64           // share of the weight from other routes
}

func (d *RouteDay) distribution(group int) *distribution {
	of := &d.distributions[group]
	if d.computed[group] {
		return of
	}
	d.computed[group] = true
	var mass, any [bins]float64
	for g, bars := range d.route.residuals {
		for _, b := range bars {
			any[b.bin] += b.mass
			if g == group {
				mass[b.bin] += b.mass
			}
		}
	}
	fade := 1 / gain(d.route.epoch, d.view.day)
	near, all := 0., 0.
	for i := range bins {
		near += mass[i]
		all += any[i]
	}
	near, all = near*fade, all*fade
	a, b := 0., 0.
	for i := range bins + 1 {
		own := (b*fade + prior*d.view.below[i]) / (all + prior)
		of.below[i] = (a*fade + prior*own) / (near + prior)
		if i < bins {
			a += mass[i]
			b += any[i]
		}
	}
	of.near, of.borrowed = near, prior/(near+prior)*prior/(all+prior)
	return of
}

// Answer is the rule's answer for a price. If Known is false, the percentile and its counts are not
// known; the chances always are.
type Answer struct {
	Known      bool
	Percentile float64           // 0 to 1
	Chance     [horizons]float64 // of a fall within 7 and within 14 days

	Count    int               // fares of the route behind the percentile, of any lead time
	Near     float64           // fares of a similar lead time, faded
	Borrowed float64           // share of the weight from other routes
	Cases    [horizons]float64 // known outcomes of the route, faded

	Cells Cells // stored with the question until the outcome is known
}

// Judge judges a price of a departure on the view's day. past is the history of that departure, or
// nil if it is unknown.
func (d *RouteDay) Judge(past *Past, q Quote) Answer {
	a := Answer{Count: d.route.count, Percentile: math.NaN()}
	if d.route.count >= MinCount {
		span := place(q.Lead, curveEdges)
		of := d.distribution(d.route.group(span))
		bin := binOf(logOf(q.Price) - d.base(span))
		a.Known, a.Percentile = true, (of.below[bin]+of.below[bin+1])/2
		a.Near, a.Borrowed = of.near, of.borrowed
	}
	if past == nil {
		past = &Past{}
	}
	a.Cells = cellsOf(past, d.view.day, q, a.Percentile)
	fade := 1 / gain(d.route.epoch, d.view.day)
	for h := range d.view.tables {
		a.Chance[h] = logistic(d.view.tables[h].logOdds(d.route.terms[h].value, a.Cells))
		a.Cases[h] = d.route.terms[h].cases * fade
	}
	return a
}

// base returns the log price that has a residual of 0.
func (d *RouteDay) base(span int) float64 { return d.route.average() + d.view.curve[span] }

// Quartiles holds prices of comparable departures, converted to one lead time.
type Quartiles struct{ Minimum, Q1, Median, Q3, Maximum fare.Cents }

// Quartiles returns the usual prices of the route at a lead time. ok is false if Judge knows no
// percentile.
//
// Q1, Median and Q3 are quantiles of the distribution behind the percentile. The weight of a step
// is spread evenly over its 5 %. Minimum and Maximum are the extreme steps with at least a tenth of
// a fare of a similar lead time. Without such fares, any lead time counts. They are never inside
// the quartiles.
func (d *RouteDay) Quartiles(lead int) (q Quartiles, ok bool) {
	if d.route.count < MinCount {
		return q, false
	}
	span := place(lead, curveEdges)
	low, high := d.ends(d.route.group(span))
	price := func(residual float64) fare.Cents {
		return fare.Cents(math.Round(100 * math.Exp(d.base(span)+residual)))
	}
	at := func(share float64) float64 { return d.distribution(d.route.group(span)).quantile(share) }
	q1, q3 := at(.25), at(.75)
	return Quartiles{price(min(low, q1)), price(q1), price(at(.5)), price(q3), price(max(high, q3))}, true
}

// Quantile returns the price below which the given share of the comparables lies; see Quartiles.
func (d *RouteDay) Quantile(lead int, share float64) (fare.Cents, bool) {
	if d.route.count < MinCount {
		return 0, false
	}
	span := place(lead, curveEdges)
	return fare.Cents(math.Round(100 * math.Exp(d.base(span)+d.distribution(d.route.group(span)).quantile(share)))), true
}

// quantile returns the residual below which the given share of the weight lies.
func (of *distribution) quantile(share float64) float64 {
	i := 0
	for i < bins-1 && of.below[i+1] <= share {
		i++
	}
	inside := 0.
	if width := of.below[i+1] - of.below[i]; width > 0 {
		inside = min(1, max(0, (share-of.below[i])/width))
	}
	return (float64(i) + inside - middle) * step
}

// ends returns the middles of the lowest and the highest step with at least a tenth of a fare.
func (d *RouteDay) ends(group int) (low, high float64) {
	const counts = .1
	least := counts * gain(d.route.epoch, d.view.day)
	first, last := bins, -1
	for _, only := range []bool{true, false} {
		for g, bars := range d.route.residuals {
			for _, b := range bars {
				if b.mass >= least && (g == group || !only) {
					first, last = min(first, int(b.bin)), max(last, int(b.bin))
				}
			}
		}
		if last >= 0 {
			return (float64(first) + .5 - middle) * step, (float64(last) + .5 - middle) * step
		}
	}
	return 0, 0
}
