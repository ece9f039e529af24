package departure

import (
	"math"
	"slices"
)

// onSale is a departure of a route that is on sale on a RouteDay.
type onSale struct {
	Quote
	flat float64 // log price, brought to one lead time by the curve
	bin  int     // of the residual; see RouteDay.rank
}

// setOnSale stores the departures on sale, in order of lead time.
func (d *RouteDay) setOnSale(all []Quote) {
	d.sale, d.sums, d.ranked = d.sale[:0], append(d.sums[:0], 0), false
	if !d.view.rule.onSale {
		all = nil
	}
	for _, q := range all {
		d.sale = append(d.sale, onSale{Quote: q, flat: d.flat(q)})
	}
	byLead := func(a, b onSale) int { return a.Lead - b.Lead }
	if !slices.IsSortedFunc(d.sale, byLead) {
		slices.SortStableFunc(d.sale, byLead)
	}
	sum := 0.
	for _, s := range d.sale {
		sum += s.flat
		d.sums = append(d.sums, sum)
	}
}

// quotes returns the departures on sale, in order of lead time.
func (d *RouteDay) quotes() []Quote {
	all := make([]Quote, len(d.sale))
	for i, s := range d.sale {
		all[i] = s.Quote
	}
	return all
}

// flat returns the log price of a quote, brought to one lead time by the curve.
func (d *RouteDay) flat(q Quote) float64 {
	return logOf(q.Price) - d.view.curve[place(q.Lead, curveEdges)]
}

// part is a range of the departures on sale: those that a question leaves out. They are the
// departure of the question itself, or spans that share departures with the span of the question.
type part struct{ from, to int }

// own returns the part of a question. A question about a departure leaves out the fare on sale with
// its lead time. Of several such flights it leaves out the one with its price.
func (d *RouteDay) own(q Quote) part {
	first := func(lead int) int {
		i, _ := slices.BinarySearchFunc(d.sale, lead, func(s onSale, lead int) int { return s.Lead - lead })
		return i
	}
	p := part{first(q.Lead - d.route.apart), first(q.Lead + d.route.apart + 1)}
	if d.route.apart > 0 || p.to-p.from <= 1 {
		return p
	}
	for i := p.from; i < p.to; i++ {
		if d.sale[i].Price == q.Price {
			return part{i, i + 1}
		}
	}
	return part{p.from, p.from + 1}
}

// others returns the number of departures on sale without a part.
func (d *RouteDay) others(p part) int { return len(d.sale) - (p.to - p.from) }

// average returns the route's mean of log prices, without a part of the departures on sale. It
// returns NaN if nothing is known.
func (d *RouteDay) average(p part) float64 {
	sum, weight := d.level.sum, d.level.weight
	if n := d.others(p); n >= onSaleLevel {
		sum += onSaleWeight * (d.sums[len(d.sale)] - (d.sums[p.to] - d.sums[p.from]))
		weight += onSaleWeight * float64(n)
	}
	if weight == 0 {
		return math.NaN()
	}
	return sum / weight
}

// rank computes the residuals of the departures on sale. Each is judged as if it were asked about:
// by the others.
func (d *RouteDay) rank() {
	if d.ranked {
		return
	}
	d.ranked = true
	for i := range d.sale {
		s := &d.sale[i]
		own := part{i, i + 1}
		if d.route.apart > 0 {
			own = d.own(s.Quote)
		}
		s.bin = binOf(s.flat - d.average(own))
	}
}

// Fold folds the fares of the day into the route, and adds to s the sums for the pooled part. The
// fares are among those on sale. The RouteDay is not valid afterwards.
func (d *RouteDay) Fold(quotes []Quote, s *Statistics) {
	if len(quotes) == 0 {
		return
	}
	r, day := d.route, d.view.day
	r.rebase(d.view)
	level, residual := gain(r.epoch, day, d.view.rule.level), gain(r.epoch, day, d.view.rule.residuals)
	for _, q := range quotes {
		span, flat := place(q.Lead, curveEdges), d.flat(q)
		if average := d.average(d.own(q)); !math.IsNaN(average) {
			bin := binOf(flat - average)
			r.add(r.group(span), uint8(bin), residual)
			s.residuals[bin]++
		}
		r.level.sum += level * flat
		r.level.weight += level
		r.count++
	}
	average := r.level.sum / r.level.weight
	for _, q := range quotes {
		s.curve[place(q.Lead, curveEdges)].add(logOf(q.Price)-average, 1)
	}
}
