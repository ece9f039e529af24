package departure

import "verdetto/shared/fare"

// MustRenew reports whether a state must be rebuilt from its fares, because the lead-time curve was
// unknown when the fares were added, and is known now.
func (p *Pooled) MustRenew(s *State) bool {
	return s.Route.noCurve && p != nil && p.View(s.AsOf).hasCurve
}

// renew keeps the route's terms, and adds to sums the residuals that Fold could not add while the
// curve was unknown.
func (s *Learner) renew(p *Pooled, fares []Live, sums *Statistics) {
	var fresh Learner
	var folded Statistics
	eachDay(fares, func(day fare.Day, found []Live) {
		if day < s.AsOf {
			fresh.fold(p.View(day), found, &folded)
		}
	})
	sums.Add(&Statistics{residuals: folded.residuals})
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
