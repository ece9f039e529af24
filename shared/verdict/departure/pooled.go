package departure

import (
	"math"

	"verdetto/shared/fare"
)

// Residuals are counted in steps of 5 %, from -302.5 % to +302.5 %; what lies beyond counts as the last.
const (
	bins   = 121
	step   = .05
	middle = 60.5 // a residual of 0 lies in the middle of its step
)

func binOf(residual float64) int {
	return min(bins-1, max(0, int(math.Floor(residual/step+middle))))
}

// Pooled is the part of the state that all routes share: the lead-time curve,
// the residuals of all routes, and the tables of the chance. Start gives one
// that knows the constants only.
type Pooled struct {
	epoch     fare.Day
	curve     [curveSpans]mean
	residuals [bins]float64
	tables    [horizons]table

	// Experience is what the score of the service says; nil where it says nothing
	// yet. It is no part of the rule: nothing that is learned looks at it.
	Experience *Experience
}

// mean is a faded sum and its weight.
type mean struct{ sum, weight float64 }

// Start is the pooled part of a service that has seen nothing before a day.
func Start(day fare.Day) *Pooled { return &Pooled{epoch: day, tables: initial} }

// rebase moves the epoch on where it is old.
func (p *Pooled) rebase(day fare.Day) {
	if day-p.epoch < epochDays {
		return
	}
	fade := 1 / gain(p.epoch, day)
	for i := range p.curve {
		p.curve[i].sum *= fade
		p.curve[i].weight *= fade
	}
	for i := range p.residuals {
		p.residuals[i] *= fade
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

// Statistics is what a refresh leaves for the pooled part: of one route, of one
// origin, or of all. They are kept as whole numbers of a small unit, so that
// adding them up gives the same in any order. Of each horizon they hold the
// outcomes of one day's questions.
type Statistics struct {
	curve     [curveSpans]amounts
	residuals [bins]int64
	learned   [horizons]gradient
}

// amounts are a sum or a gradient, and its weight or its information, in units of 2^-40.
type amounts struct{ sum, weight int64 }

// gradient of the log likelihood of a horizon, by term.
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

// Add adds what others have left.
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

// Fold adds the fares that all routes left on a day. It looks at nothing that was learned.
func (p *Pooled) Fold(day fare.Day, all *Statistics) {
	p.rebase(day)
	g := gain(p.epoch, day)
	for i, a := range all.curve {
		sum, weight := a.values()
		p.curve[i].sum += g * sum
		p.curve[i].weight += g * weight
	}
	for i, n := range all.residuals {
		p.residuals[i] += g * float64(n)
	}
}

// How far a term goes along its gradient, and what information holds it back at the start.
const (
	interceptRate, interceptPrior = 1, 5
	termRate, termPrior           = .5, 10
	pooledCap, routeCap           = 2, 1 // the most information that one day's questions count for
)

// Learn moves the tables of a horizon by what all routes left of one day's
// questions, whose outcome is known on the given day.
func (p *Pooled) Learn(h Horizon, day fare.Day, all *Statistics) {
	p.rebase(day)
	g, t := gain(p.epoch, day), &p.tables[h]
	t.intercept += climb(all.learned[h].intercept, &t.information, g, pooledCap, interceptRate, interceptPrior)
	for i, a := range all.learned[h].cells {
		t.cells[i] += climb(a, &t.informations[i], g, pooledCap, termRate, termPrior)
	}
}

// climb is the step of a term: its gradient over its information so far, both capped.
func climb(a amounts, information *float64, g, limit, rate, prior float64) float64 {
	slope, weight := a.values()
	if a == (amounts{}) {
		return 0
	}
	capped := min(1, limit/max(weight, 1e-9))
	*information += g * capped * weight
	return rate * capped * slope / (prior + *information/g)
}

// View is the pooled part as of a day, made ready to answer: a few kilobytes
// that never change.
type View struct {
	day    fare.Day
	curve  [curveSpans]float64
	below  [bins + 1]float64 // share of all residuals below each step's lower edge
	tables *[horizons]table
}

// On is the pooled part as it is seen on a day, which is later than what was folded in.
func (p *Pooled) On(day fare.Day) *View {
	v := &View{day: day}
	fade := 1 / gain(p.epoch, day)
	for i, c := range p.curve {
		v.curve[i] = c.sum * fade / (c.weight*fade + prior)
	}
	total := 0.
	for i, n := range p.residuals {
		total += n
		v.below[i+1] = total
	}
	for i := range v.below {
		if total > 0 {
			v.below[i] /= total
		} else {
			v.below[i] = .5 // where nothing is known every percentile is the middle one
		}
	}
	tables := p.tables
	v.tables = &tables
	return v
}
