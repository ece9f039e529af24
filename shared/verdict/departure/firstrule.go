package departure

import (
	"math"

	"verdetto/shared/fare"
)

// The first rule had one half-life of 60 days for all sums, and knew nothing of the departures on
// sale. Its stored states are converted when they are read, so that they answer at once. The next
// refresh of a series renews its state from the stored history, without a request to the source.

// convertFirstRule converts what the first rule stored. The mean and the residuals become those of
// a route that was always seen as often: their weights shrink as the half-lives did.
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

// convertFirstRule converts the residuals that the first rule pooled until a day.
func (p *Pooled) convertFirstRule(day fare.Day) {
	residual := asHalfLife(p.epoch, day, residualHalfLife)
	for i := range p.residuals {
		p.residuals[i] *= residual
	}
}

// asHalfLife returns the factor that converts a sum with a half-life of 60 days, stored as of epoch.
func asHalfLife(epoch, day fare.Day, to float64) float64 {
	since := day - epoch
	if since < 0 || since > 2*240 { // no such epoch was stored
		since = 0
	}
	return to / halfLife * math.Exp2(float64(since)*(1/to-1/halfLife))
}

// renew folds the fares of the days before AsOf again, with the pooled part of now. It keeps what
// the rules have in common: the route's terms and the number of its fares.
func (s *Learner) renew(p *Pooled, fares []Live) {
	s.FirstRule = false
	var fresh Learner
	eachDay(fares, func(day fare.Day, of []Live) {
		if day < s.AsOf {
			fresh.fold(p.View(day), of, new(Statistics))
		}
	})
	if fresh.Route.count == 0 {
		return
	}
	for h, t := range s.Route.terms {
		since := gain(s.Route.epoch, fresh.Route.epoch, halfLife)
		fresh.Route.terms[h] = term{t.value, t.information / since, t.cases / since}
	}
	fresh.Route.count = max(fresh.Route.count, s.Route.count)
	s.Route, s.Minima = fresh.Route, fresh.Minima
}
