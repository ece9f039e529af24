package departure

import (
	"slices"

	"verdetto/shared/fare"
)

type Route struct {
	epoch fare.Day
	level mean // the route's mean of log prices minus the curve
	count int
	// residuals holds, for each group of lead times, the weight of the fares in each step, lowest
	// step first.
	residuals [groups][]bar
	terms     [horizons]term
	single    bool // not grouped by lead time: all residuals are in the first group
	// noCurve means that residuals were added while the lead-time curve was unknown. These
	// residuals must be removed once the curve is known.
	noCurve bool
}

func (r *Route) group(span int) int {
	if r.single {
		return 0
	}
	return groupOf[span]
}

type bar struct {
	bin  uint8
	mass float64
}

type term struct {
	value       float64
	information float64
	cases       float64
}

func (r *Route) Count() int { return r.count }

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

// Learn updates the route with outcomes, and adds their gradients to s. v must not contain the
// outcomes yet.
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
