package departure

import (
	"math"

	"verdetto/shared/fare"
)

// The first rule is the earlier version of the rule in this package. It had a single half-life of
// 60 days for all sums, and ignored the departures on sale. States stored by the first rule are
// converted when they are read, so the service can answer at once. The next refresh of a series
// (route and kind of trip) rebuilds its state from the stored history.

// convertFirstRule converts a state that the first rule stored. It assumes that the route was seen
// equally often on all days. Then all weights become smaller by the ratio of the half-lives.
func (s *State) convertFirstRule() {
	s.Route.convertFirstRule(s.AsOf)
	for i := range s.Minima {
		s.Minima[i].convertFirstRule(s.AsOf)
	}
}

func (r *Route) convertFirstRule(asOf fare.Day) {
	level := asHalfLife(r.epoch, asOf, levelHalfLife)
	r.level.sum *= level
	r.level.weight *= level
	residual := asHalfLife(r.epoch, asOf, residualHalfLife)
	for _, bars := range r.residuals {
		for i := range bars {
			bars[i].mass *= residual
		}
	}
}

// convertFirstRule converts the weights of the pooled residuals (distances from the usual price)
// that the first rule stored to the half-life of the present rule. day is the newest day with fares
// in these residuals.
func (p *Pooled) convertFirstRule(day fare.Day) {
	residual := asHalfLife(p.epoch, day, residualHalfLife)
	for i := range p.residuals {
		p.residuals[i] *= residual
	}
}

// asHalfLife returns the factor that converts a sum with a half-life of 60 days to another
// half-life. The weights of the sum are relative to the day epoch. The parameter to is the other
// half-life in days.
func asHalfLife(epoch, day fare.Day, to float64) float64 {
	since := day - epoch
	if since < 0 || since > 2*240 { // no such epoch was stored
		since = 0
	}
	return to / halfLife * math.Exp2(float64(since)*(1/to-1/halfLife))
}

// MustRenew reports whether a state must be rebuilt from its history: the first rule stored it, or
// the lead-time curve was unknown when its fares were added and is known now.
func (p *Pooled) MustRenew(s *State) bool {
	return s.FirstRule || s.Route.noCurve && p != nil && p.View(s.AsOf).hasCurve
}

// renew rebuilds the state from the fares of the days before AsOf, with the present pooled
// statistics (sums over all routes). It keeps the route's term in the chance of a fall, and the
// number of its fares. It adds to sums the residuals that Fold did not add while the curve was
// unknown.
func (s *Learner) renew(p *Pooled, fares []Live, sums *Statistics) {
	var fresh Learner
	var of Statistics
	eachDay(fares, func(day fare.Day, found []Live) {
		if day < s.AsOf {
			fresh.fold(p.View(day), found, &of)
		}
	})
	if !s.FirstRule {
		sums.Add(&Statistics{residuals: of.residuals})
	}
	if s.FirstRule = false; fresh.Route.count == 0 {
		return
	}
	for h, t := range s.Route.terms {
		since := gain(s.Route.epoch, fresh.Route.epoch, halfLife)
		fresh.Route.terms[h] = term{t.value, t.information / since, t.cases / since}
	}
	fresh.Route.count = max(fresh.Route.count, s.Route.count)
	s.Route, s.Minima = fresh.Route, fresh.Minima
}
