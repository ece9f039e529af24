package departure

import (
	"slices"

	"verdetto/shared/fare"
)

// Route is the rule's state of one route. The zero value has no fares.
type Route struct {
	epoch fare.Day
	level mean // the route's mean of log prices minus the curve
	count int  // fares ever added
	// residuals holds, for each group of lead times, the weight of the fares in each step of the
	// residual, lowest step first.
	residuals [groups][]bar
	terms     [horizons]term
	single    bool // not grouped by lead time: all residuals are in the first group
	// noCurve means that residuals were added while the lead-time curve was unknown. They contain
	// the curve, which later answers add again, so they are removed once the curve is known.
	noCurve bool
}

// group returns the group of residuals to which a range of the lead-time curve belongs.
func (r *Route) group(span int) int {
	if r.single {
		return 0
	}
	return groupOf[span]
}

// bar holds the weight of all residuals in one step.
type bar struct {
	bin  uint8
	mass float64
}

// term is what this route adds to the log odds of a fall.
type term struct {
	value       float64
	information float64 // decreases with age
	cases       float64 // known outcomes; old ones count less
}

func (r *Route) Count() int { return r.count }

// rebase sets the first epoch, or a new one after epochDays, when it also removes residuals of
// negligible weight.
func (r *Route) rebase(v *View) {
	day := v.day
	if r.count == 0 && r.epoch == 0 {
		r.epoch = day
	}
	if day-r.epoch < epochDays {
		return
	}
	level, residual := 1/gain(r.epoch, day, levelHalfLife), 1/gain(r.epoch, day, residualHalfLife)
	r.level.sum *= level
	r.level.weight *= level
	for g, all := range r.residuals {
		for i := range all {
			all[i].mass *= residual
		}
		r.residuals[g] = slices.DeleteFunc(all, func(b bar) bool { return b.mass < negligible })
	}
	fade := 1 / gain(r.epoch, day, halfLife)
	for h := range r.terms {
		r.terms[h].information *= fade
		r.terms[h].cases *= fade
	}
	r.epoch = day
}

// negligible is the weight of a fare 20 half-lives after it was seen.
const negligible = 1e-6

func (r *Route) add(group int, bin uint8, mass float64) {
	all := r.residuals[group]
	i, found := slices.BinarySearchFunc(all, bin, func(b bar, bin uint8) int { return int(b.bin) - int(bin) })
	if found {
		all[i].mass += mass
		return
	}
	r.residuals[group] = slices.Insert(all, i, bar{bin, mass})
}

type Outcome struct {
	Cells Cells
	Fell  bool
}

// Learn updates the route with the outcomes of one day's questions, and adds their gradients to s
// for the pooled statistics. v is the view of the day on which they became known, and must not
// contain them yet.
func (r *Route) Learn(h Horizon, v *View, outcomes []Outcome, s *Statistics) {
	if len(outcomes) == 0 {
		return
	}
	r.rebase(v)
	amount, all := amounts{}, &s.learned[h]
	term, t := &r.terms[h], &v.tables[h]
	for _, o := range outcomes {
		chance := logistic(t.logOdds(term.value, o.Cells))
		slope, information := -chance, chance*(1-chance)
		if o.Fell {
			slope = 1 - chance
		}
		amount.add(slope, information)
		all.intercept.add(slope, information)
		for _, cell := range o.Cells {
			all.cells[cell].add(slope, information)
		}
	}
	g := gain(r.epoch, v.day, halfLife)
	term.value += climb(amount, &term.information, g, routeCap, termRate, termPrior)
	term.cases += g * float64(len(outcomes))
}

func Fell(from, to fare.Cents) bool {
	return float64(to)/100 <= (1-Fall)*(float64(from)/100)
}

func Rose(from, to fare.Cents) bool { return float64(to) >= (1+Fall)*float64(from) }
