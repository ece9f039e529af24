package departure

import (
	"slices"

	"verdetto/shared/fare"
)

// Route is the departure rule's state of one route. The zero value is a route without fares.
type Route struct {
	epoch fare.Day
	level mean // mean of log prices, converted to one lead time
	count int  // fares ever seen
	// residuals holds, for each group of lead times (days before departure), the weight of the
	// fares per step of 5 %, lowest step first. The step says how far a fare is from the usual
	// price.
	residuals [groups][]bar
	terms     [horizons]term
	single    bool // residuals are not grouped by lead time: all are in the first group
	// noCurve is true if residuals were added while the lead-time curve was unknown. They contain
	// the curve, which later answers add again. So they are removed when the curve is known.
	noCurve bool
}

// group returns the index in residuals (distances from the usual price) of the group of lead times
// (days before departure) that contains a range of lead times. span is the index of the range, as
// in curveEdges.
func (r *Route) group(span int) int {
	if r.single {
		return 0
	}
	return groupOf[span]
}

// bar holds the weight (mass) of all residuals (distances from the usual price) in one step of 5 %.
// bin is the number of the step.
type bar struct {
	bin  uint8
	mass float64
}

// term is what this route adds to the log odds of a fall within 7 or 14 days.
type term struct {
	value       float64
	information float64 // decreases with age
	cases       float64 // number of known outcomes; old outcomes count less
}

// Count returns the number of fares of the route ever added to r.
func (r *Route) Count() int { return r.count }

// rebase sets the epoch (reference day of the weights) if there is none, or a new one after
// epochDays days. With a new epoch it removes residuals (distances from the usual price) of
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

// negligible is the weight below which residuals (distances from the usual price) are removed. A
// fare has this weight 20 half-lives after it was seen.
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

// Outcome is a question whose outcome is known: whether the fare of the departure fell.
type Outcome struct {
	Cells Cells
	Fell  bool
}

// Learn updates the route with the outcomes (did the fare fall?) of one day's questions about the
// route. It adds to s the gradients for the pooled statistics (sums over all routes). v holds the
// pooled statistics of the day on which the outcomes became known. v must not contain these
// outcomes yet.
func (r *Route) Learn(h Horizon, v *View, outcomes []Outcome, s *Statistics) {
	if len(outcomes) == 0 {
		return
	}
	r.rebase(v)
	own, all := amounts{}, &s.learned[h]
	term, t := &r.terms[h], &v.tables[h]
	for _, o := range outcomes {
		said := logistic(t.logOdds(term.value, o.Cells))
		slope, information := -said, said*(1-said)
		if o.Fell {
			slope = 1 - said
		}
		own.add(slope, information)
		all.intercept.add(slope, information)
		for _, cell := range o.Cells {
			all.cells[cell].add(slope, information)
		}
	}
	g := gain(r.epoch, v.day, halfLife)
	term.value += climb(own, &term.information, g, routeCap, termRate, termPrior)
	term.cases += g * float64(len(outcomes))
}

// Fell reports whether a price fell by at least 5 %.
func Fell(from, to fare.Cents) bool {
	return float64(to)/100 <= (1-Fall)*(float64(from)/100)
}

// Rose reports whether a price rose by at least 5 %.
func Rose(from, to fare.Cents) bool { return float64(to) >= (1+Fall)*float64(from) }
