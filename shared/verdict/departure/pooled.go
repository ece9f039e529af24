package departure

import (
	"math"

	"verdetto/shared/fare"
)

// A residual outside the 121 steps counts in the first or the last step.
const (
	bins   = 121
	step   = .05
	middle = 60.5 // puts a residual of 0 in the middle of a step
)

func binOf(residual float64) int {
	return min(bins-1, max(0, int(math.Floor(residual/step+middle))))
}

type Pooled struct {
	epoch     fare.Day
	curve     [curveSpans]mean
	residuals [bins]float64
	tables    [horizons]table
	// Experience holds corrections from the score, or is nil.
	Experience *Experience
}

type mean struct{ sum, weight float64 }

// Start returns the pooled statistics of a new service, with only the constants of rule.json.
func Start(day fare.Day) *Pooled { return &Pooled{epoch: day, tables: initial} }

// StartCurve computes the lead-time curve for the first day of a service from the departures on
// sale. Without this curve, the fares of that day are compared as if all lead times cost the same.
func (p *Pooled) StartCurve(day fare.Day, routes [][]Quote) {
	v, on := p.View(day), new(RouteDay)
	var s Statistics
	for _, quotes := range routes {
		on.Set(new(Route), v, quotes)
		on.addCurve(&s)
	}
	p.Fold(day, &s)
}

func (p *Pooled) rebase(day fare.Day) {
	if day-p.epoch < epochDays {
		return
	}
	fade, residual := 1/gain(p.epoch, day, halfLife), 1/gain(p.epoch, day, residualHalfLife)
	for i := range p.curve {
		p.curve[i].sum *= fade
		p.curve[i].weight *= fade
	}
	for i := range p.residuals {
		p.residuals[i] *= residual
	}
	for h := range p.tables {
		t := &p.tables[h]
		t.information *= fade
		for i := range t.informations {
			t.informations[i] *= fade
		}
	}
	p.epoch = day
}

// Statistics are integers, so that the order of addition does not matter.
type Statistics struct {
	curve     [curveSpans]amounts
	residuals [bins]int64
	learned   [horizons]gradient
}

// amounts holds, in units of 2^-40, a sum and its weight, or a gradient and its information.
type amounts struct{ sum, weight int64 }

type gradient struct {
	intercept amounts
	cells     [cellCount]amounts
}

const unit = 1 << 40

func (a *amounts) add(sum, weight float64) {
	a.sum += int64(math.Round(sum * unit))
	a.weight += int64(math.Round(weight * unit))
}

func (a *amounts) join(b amounts) {
	a.sum += b.sum
	a.weight += b.weight
}

func (a amounts) values() (sum, weight float64) {
	return float64(a.sum) / unit, float64(a.weight) / unit
}

func (s *Statistics) Add(other *Statistics) {
	for i := range s.curve {
		s.curve[i].join(other.curve[i])
	}
	for i := range s.residuals {
		s.residuals[i] += other.residuals[i]
	}
	for h := range s.learned {
		s.learned[h].intercept.join(other.learned[h].intercept)
		for i := range s.learned[h].cells {
			s.learned[h].cells[i].join(other.learned[h].cells[i])
		}
	}
}

// Fold adds only the fares in the statistics, and Learn only the outcomes.
func (p *Pooled) Fold(day fare.Day, all *Statistics) {
	p.rebase(day)
	g, residual := gain(p.epoch, day, halfLife), gain(p.epoch, day, residualHalfLife)
	for i, a := range all.curve {
		sum, weight := a.values()
		p.curve[i].sum += g * sum
		p.curve[i].weight += g * weight
	}
	for i, n := range all.residuals {
		p.residuals[i] += residual * float64(n)
	}
}

const (
	interceptRate, interceptPrior = 1, 5
	termRate, termPrior           = .5, 10
	besidePrior                   = 50   // larger than termPrior, so that a few outcomes change these terms less
	pooledCap, routeCap           = 2, 1 // most information that one update adds to a pooled term, and to a term of a route
)

func (p *Pooled) Learn(h Horizon, day fare.Day, all *Statistics) {
	p.rebase(day)
	g, t := gain(p.epoch, day, halfLife), &p.tables[h]
	t.intercept += climb(all.learned[h].intercept, &t.information, g, pooledCap, interceptRate, interceptPrior)
	for i, a := range all.learned[h].cells {
		prior := float64(termPrior)
		if i >= besideFirst {
			prior = besidePrior
		}
		if i != besideUnknown { // the cell would become a second intercept if most questions had it
			t.cells[i] += climb(a, &t.informations[i], g, pooledCap, termRate, prior)
		}
	}
}

func (p *Pooled) HasOutcomes(h Horizon) bool { return p != nil && p.tables[h].information > 0 }

// climb returns the change of a term. It caps the new information at limit, and adds g times the capped
// information to *information.
func climb(a amounts, information *float64, g, limit, rate, prior float64) float64 {
	slope, weight := a.values()
	if a == (amounts{}) {
		return 0
	}
	capped := min(1, limit/max(weight, 1e-9))
	*information += g * capped * weight
	return rate * capped * slope / (prior + *information/g)
}

// View holds the pooled statistics on one day. It is immutable.
type View struct {
	day      fare.Day
	curve    [curveSpans]float64
	hasCurve bool
	below    [bins + 1]float64 // cumulative distribution of the residuals
	tables   *[horizons]table
	isPooled bool
}

func (p *Pooled) View(day fare.Day) *View {
	v := &View{day: day}
	fade := 1 / gain(p.epoch, day, halfLife)
	for i, c := range p.curve {
		v.curve[i] = c.sum * fade / (c.weight*fade + prior)
		v.hasCurve = v.hasCurve || c.weight > 0
	}
	total := 0.
	for i, n := range p.residuals {
		total += n
		v.below[i+1] = total
	}
	v.isPooled = total > 0
	for i := range v.below {
		if total > 0 {
			v.below[i] /= total
		} else {
			v.below[i] = .5
		}
	}
	tables := p.tables
	v.tables = &tables
	return v
}
