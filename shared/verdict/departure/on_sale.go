package departure

import (
	"math"
	"slices"
)

type onSale struct {
	Quote
	flat float64
	span uint8
	bin  uint8
}

func (d *RouteDay) setOnSale(all []Quote) {
	d.sale, d.flats, d.hasBins = slices.Grow(d.sale[:0], len(all)), 0, false
	d.cheapest = [2]float64{math.Inf(1), math.Inf(1)}
	span, before := 0, 0
	for _, q := range all {
		if q.Lead < before {
			span = 0
		}
		for span < len(curveEdges) && q.Lead >= curveEdges[span] {
			span++
		}
		before = q.Lead
		flat := logOf(q.Price) - d.view.curve[span]
		d.sale = append(d.sale, onSale{Quote: q, flat: flat, span: uint8(span)})
		d.flats += flat
		if flat < d.cheapest[0] {
			d.cheapest = [2]float64{flat, d.cheapest[0]}
		} else {
			d.cheapest[1] = min(d.cheapest[1], flat)
		}
	}
	byLead := func(a, b onSale) int { return a.Lead - b.Lead }
	if !slices.IsSortedFunc(d.sale, byLead) {
		slices.SortStableFunc(d.sale, byLead)
	}
}

func (d *RouteDay) quotes() []Quote {
	all := make([]Quote, len(d.sale))
	for i, s := range d.sale {
		all[i] = s.Quote
	}
	return all
}

const none = -1

// If several departures have the lead time of q, rowOf prefers a departure with the price of q.
func (d *RouteDay) rowOf(q Quote) int {
	first, found := slices.BinarySearchFunc(d.sale, q.Lead, func(s onSale, lead int) int { return s.Lead - lead })
	if !found {
		return none
	}
	for i := first; i < len(d.sale) && d.sale[i].Lead == q.Lead; i++ {
		if d.sale[i].Price == q.Price {
			return i
		}
	}
	return first
}

func (d *RouteDay) others(row int) int {
	if row == none {
		return len(d.sale)
	}
	return len(d.sale) - 1
}

// average leaves out the departure at index row. It returns NaN if there are neither earlier fares
// nor enough other departures on sale.
func (d *RouteDay) average(row int) float64 {
	sum, weight := d.level.sum, d.level.weight
	if n := d.others(row); n >= onSaleLevel {
		flat := d.flats
		if row != none {
			flat -= d.sale[row].flat
		}
		sum += onSaleWeight * flat
		weight += onSaleWeight * float64(n)
	}
	if weight == 0 {
		return math.NaN()
	}
	return sum / weight
}

// beside returns the log of the ratio of a price to that of the cheapest other departure on sale,
// without the effect of the lead times. It returns NaN if too few others are on sale.
func (d *RouteDay) beside(q Quote) float64 {
	row := d.rowOf(q)
	if d.others(row) < onSaleLevel {
		return math.NaN()
	}
	cheapest := d.cheapest[0]
	if row != none && d.sale[row].flat == cheapest {
		cheapest = d.cheapest[1]
	}
	return logOf(q.Price) - d.view.curve[place(q.Lead, curveEdges)] - cheapest
}

func (d *RouteDay) addCurve(s *Statistics) {
	average := d.average(none)
	if math.IsNaN(average) {
		return
	}
	for _, o := range d.sale {
		s.curve[o.span].add(logOf(o.Price)-average, 1)
	}
}

func (d *RouteDay) rank() {
	if d.hasBins {
		return
	}
	d.hasBins = true
	for i := range d.sale {
		s := &d.sale[i]
		s.bin = uint8(binOf(s.flat - d.average(i)))
	}
}

// Fold adds the fares of the day to the route and, unless s is nil, to s. Do not use the RouteDay
// afterwards.
func (d *RouteDay) Fold(quotes []Quote, s *Statistics) {
	if len(quotes) == 0 {
		return
	}
	r, day := d.route, d.view.day
	if r.rebase(d.view); d.outdated {
		r.residuals, r.noCurve = [groups][]bar{}, false
	}
	r.noCurve = r.noCurve || !d.view.hasCurve
	level, residual := gain(r.epoch, day, levelHalfLife), gain(r.epoch, day, residualHalfLife)
	for i, q := range quotes {
		o, row := d.priced(i, q)
		if average := d.average(row); !math.IsNaN(average) {
			bin := binOf(o.flat - average)
			r.add(r.group(int(o.span)), uint8(bin), residual)
			if d.view.hasCurve && s != nil {
				s.residuals[bin]++
			}
		}
		r.level.sum += level * o.flat
		r.level.weight += level
		r.count++
	}
	if s == nil {
		return
	}
	average := r.level.sum / r.level.weight
	for _, q := range quotes {
		s.curve[place(q.Lead, curveEdges)].add(logOf(q.Price)-average, 1)
	}
}

func (d *RouteDay) priced(likely int, q Quote) (o onSale, row int) {
	if row = likely; row >= len(d.sale) || d.sale[row].Quote != q {
		row = d.rowOf(q)
	}
	if row != none && d.sale[row].Quote == q {
		return d.sale[row], row
	}
	span := place(q.Lead, curveEdges)
	return onSale{Quote: q, flat: logOf(q.Price) - d.view.curve[span], span: uint8(span)}, row
}
