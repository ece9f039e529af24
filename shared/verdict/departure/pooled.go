package departure

import (
	"math"

	"verdetto/shared/fare"
)

// Residuals are counted in steps of 5 %, from -302.5 % to +302.5 %. Values beyond count in the last
// step.
const (
	bins   = 121
	step   = .05
	middle = 60.5 // a residual of 0 lies in the middle of its step
)

func binOf(residual float64) int {
	return min(bins-1, max(0, int(math.Floor(residual/step+middle))))
}

// Pooled holds the pooled statistics of all routes: the lead-time curve, the residuals, and the
// tables of the chance. Start returns a Pooled with only the constants.
type Pooled struct {
	epoch     fare.Day
	curve     [curveSpans]mean
	residuals [bins]float64
	tables    [horizons]table
	rule      *constants // nil: those of the service

	// Experience holds corrections from the service's score, or is nil. Learning does not use it.
	Experience *Experience
}

// mean is a faded sum and its weight.
type mean struct{ sum, weight float64 }

// Start returns the pooled part of a service without any fares before a day.
func Start(day fare.Day) *Pooled { return &Pooled{epoch: day, tables: initial} }

// constants are those in which the first rule and the second differ. The half-lives are in days.
type constants struct {
	level     float64 // half-life of a route's mean
	residuals float64 // half-life of the residuals
	onSale    bool    // departures on sale are used
	// half shrinks ranks towards 50 while no residuals of other routes are known. It makes the
	// percentiles of a service's first day wrong by 21 points.
	half bool
}

var secondRule = &constants{level: levelHalfLife, residuals: residualHalfLife, onSale: true}

// StartPlainForm is Start for the plain form of the rule, which is the reference of tests. It
// differs on the first day alone.
func StartPlainForm(day fare.Day) *Pooled {
	p := Start(day)
	p.rule = &constants{level: levelHalfLife, residuals: residualHalfLife, onSale: true, half: true}
	return p
}

// StartFirstRule is Start for the first rule. Backtests use it to compare the rules.
func StartFirstRule(day fare.Day) *Pooled {
	p := Start(day)
	p.rule = &constants{level: halfLife, residuals: halfLife, half: true}
	return p
}

func (p *Pooled) constants() *constants {
	if p.rule == nil {
		return secondRule
	}
	return p.rule
}

// rebase starts a new epoch if the current one is over.
func (p *Pooled) rebase(day fare.Day) {
	if day-p.epoch < epochDays {
		return
	}
	fade, residual := 1/gain(p.epoch, day, halfLife), 1/gain(p.epoch, day, p.constants().residuals)
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

// Statistics are the sums that refreshes compute for the pooled part: for a route, an origin or all
// routes. They are integers, so that adding them in any order gives the same result. For each
// horizon they hold the outcomes of one day's questions.
type Statistics struct {
	curve     [curveSpans]amounts
	residuals [bins]int64
	learned   [horizons]gradient
}

// amounts holds a sum and its weight, or a gradient and its information. Both are in units of
// 2^-40.
type amounts struct{ sum, weight int64 }

// gradient is the gradient of the log likelihood of a horizon, by term.
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

// Add adds other statistics.
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

// Fold adds one day's fares of all routes. It ignores outcomes.
func (p *Pooled) Fold(day fare.Day, all *Statistics) {
	p.rebase(day)
	g, residual := gain(p.epoch, day, halfLife), gain(p.epoch, day, p.constants().residuals)
	for i, a := range all.curve {
		sum, weight := a.values()
		p.curve[i].sum += g * sum
		p.curve[i].weight += g * weight
	}
	for i, n := range all.residuals {
		p.residuals[i] += residual * float64(n)
	}
}

// The rate at which a term follows its gradient, and its prior information.
const (
	interceptRate, interceptPrior = 1, 5
	termRate, termPrior           = .5, 10
	pooledCap, routeCap           = 2, 1 // the maximum information of one day's questions
)

// Learn updates the tables of a horizon with the outcomes of one day's questions of all routes.
// They became known on the given day.
func (p *Pooled) Learn(h Horizon, day fare.Day, all *Statistics) {
	p.rebase(day)
	g, t := gain(p.epoch, day, halfLife), &p.tables[h]
	t.intercept += climb(all.learned[h].intercept, &t.information, g, pooledCap, interceptRate, interceptPrior)
	for i, a := range all.learned[h].cells {
		t.cells[i] += climb(a, &t.informations[i], g, pooledCap, termRate, termPrior)
	}
}

// HasOutcomes reports whether the tables of a horizon have learned from outcomes. It is false for
// nil.
func (p *Pooled) HasOutcomes(h Horizon) bool { return p != nil && p.tables[h].information > 0 }

// climb returns the change of a term: gradient over information, with the day's weight capped.
func climb(a amounts, information *float64, g, limit, rate, prior float64) float64 {
	slope, weight := a.values()
	if a == (amounts{}) {
		return 0
	}
	capped := min(1, limit/max(weight, 1e-9))
	*information += g * capped * weight
	return rate * capped * slope / (prior + *information/g)
}

// View is the immutable pooled part as of a day, prepared for answers. It takes a few KB.
type View struct {
	day    fare.Day
	rule   *constants
	curve  [curveSpans]float64
	below  [bins + 1]float64 // share of all residuals below each step's lower edge
	tables *[horizons]table
	// isPooled reports whether ranks are shrunk to the residuals of all routes.
	isPooled bool
}

// View returns the view of a day. The day must be later than all folded days.
func (p *Pooled) View(day fare.Day) *View {
	v := &View{day: day, rule: p.constants()}
	fade := 1 / gain(p.epoch, day, halfLife)
	for i, c := range p.curve {
		v.curve[i] = c.sum * fade / (c.weight*fade + prior)
	}
	total := 0.
	for i, n := range p.residuals {
		total += n
		v.below[i+1] = total
	}
	v.isPooled = total > 0 || v.rule.half
	for i := range v.below {
		if total > 0 {
			v.below[i] /= total
		} else {
			v.below[i] = .5 // without any residuals
		}
	}
	tables := p.tables
	v.tables = &tables
	return v
}
