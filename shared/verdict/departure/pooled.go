package departure

import (
	"math"

	"verdetto/shared/fare"
)

// Residuals are counted in steps of 5 %, from -302.5 % to +302.5 %. Values outside this range count
// in the first or the last step.
const (
	bins   = 121
	step   = .05
	middle = 60.5 // a residual of 0 lies in the middle of its step
)

func binOf(residual float64) int {
	return min(bins-1, max(0, int(math.Floor(residual/step+middle))))
}

// Pooled holds the statistics of all routes together: the lead-time curve, the residuals, and the
// tables from which the chance of a fall is computed. Start returns a Pooled with only the
// constants of rule.json.
type Pooled struct {
	epoch     fare.Day
	curve     [curveSpans]mean
	residuals [bins]float64
	tables    [horizons]table
	rule      *constants // nil: those of the present rule

	// Experience holds corrections from the service's score, or is nil. Learning does not use it.
	Experience *Experience
}

// mean is a sum of values with fading weights, and the sum of these weights.
type mean struct{ sum, weight float64 }

// Start returns the pooled statistics of a service that starts on a day, without any fares.
func Start(day fare.Day) *Pooled { return &Pooled{epoch: day, tables: initial} }

// constants are the values in which the first and the present rule differ. Half-lives are in days.
type constants struct {
	level     float64 // half-life of a route's mean
	residuals float64 // half-life of the residuals
	onSale    bool    // departures on sale are used
	beside    bool    // the cheapest other departure on sale is a property of the chance of a fall
	// half shrinks percentiles towards 50 while the residuals of other routes are unknown. With
	// half, the percentiles on a service's first day are wrong by 21 points.
	half bool
}

var presentRule = &constants{level: levelHalfLife, residuals: residualHalfLife, onSale: true, beside: true}

// StartPlainForm is Start for a simpler form of the rule, which the reference program for tests
// uses. It ignores the cheapest other departure, and its percentiles of the first day differ; see
// constants.half.
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
		return presentRule
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

// Statistics are the sums that refreshes add to the pooled statistics: for one route, one origin
// city, or all routes. They are integers, so that the order of addition does not matter. For each
// horizon they hold the outcomes of one day's questions.
type Statistics struct {
	curve     [curveSpans]amounts
	residuals [bins]int64
	learned   [horizons]gradient
}

// amounts holds a sum and its weight, or a gradient and its information. Both are in units of
// 2^-40.
type amounts struct{ sum, weight int64 }

// gradient is the gradient of the log likelihood, for each term of the chance of a fall within one
// horizon.
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

// Fold adds one day's fares of all routes to the pooled statistics. It ignores the outcomes in
// Statistics.
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

// The rate at which each term of the chance of a fall follows its gradient, and its prior
// information.
const (
	interceptRate, interceptPrior = 1, 5
	termRate, termPrior           = .5, 10
	besidePrior                   = 50   // larger: few routes have too few outcomes to learn it at the same rate
	pooledCap, routeCap           = 2, 1 // the most information that one day's questions can add
)

// Learn updates the tables for a horizon with the outcomes of one day's questions of all routes.
// day is the day on which these outcomes became known.
func (p *Pooled) Learn(h Horizon, day fare.Day, all *Statistics) {
	p.rebase(day)
	g, t := gain(p.epoch, day, halfLife), &p.tables[h]
	t.intercept += climb(all.learned[h].intercept, &t.information, g, pooledCap, interceptRate, interceptPrior)
	for i, a := range all.learned[h].cells {
		prior := float64(termPrior)
		if i >= besideFirst {
			prior = besidePrior
		}
		if i != besideUnknown { // a service with few departures on sale would learn a second intercept
			t.cells[i] += climb(a, &t.informations[i], g, pooledCap, termRate, prior)
		}
	}
}

// HasOutcomes reports whether the tables of a horizon have learned from outcomes. It returns false
// if p is nil.
func (p *Pooled) HasOutcomes(h Horizon) bool { return p != nil && p.tables[h].information > 0 }

// climb returns by how much a term changes: gradient divided by information. limit caps the weight
// of the day.
func climb(a amounts, information *float64, g, limit, rate, prior float64) float64 {
	slope, weight := a.values()
	if a == (amounts{}) {
		return 0
	}
	capped := min(1, limit/max(weight, 1e-9))
	*information += g * capped * weight
	return rate * capped * slope / (prior + *information/g)
}

// View holds the pooled statistics on one day, prepared for answers. It is immutable and takes a
// few KB.
type View struct {
	day    fare.Day
	rule   *constants
	curve  [curveSpans]float64
	below  [bins + 1]float64 // share of all residuals below each step's lower edge
	tables *[horizons]table
	// isPooled reports whether percentiles are shrunk towards the residuals of all routes.
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
