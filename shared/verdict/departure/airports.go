package departure

import (
	"cmp"
	"slices"
)

// Scaled combines the live fares of pair with the statistics of s, scaled by ratio. It drops the
// histories of single departures, which belong to other fares.
func (s *State) Scaled(ratio float64, pair *State) *State {
	c := *s
	c.Route, c.Minima, c.pasts = *s.Route.clone(), *s.Minima.clone(), Departures{}
	if s.PerEuro > 0 && pair.PerEuro > 0 {
		ratio *= pair.PerEuro / s.PerEuro
	}
	c.Route.scale(ratio)
	for i := range c.Minima {
		c.Minima[i].scale(ratio)
	}
	c.AsOf, c.Currency, c.PerEuro, c.Stops, c.Live = pair.AsOf, pair.Currency, pair.PerEuro, pair.Stops, pair.Live
	return &c
}

// OnlyLive builds a state as of s.AsOf from the fares in live alone.
func (s *State) OnlyLive(p *Pooled, live []Live) *State {
	if p == nil {
		p = Start(s.AsOf)
	}
	first := &Learner{State: State{Currency: s.Currency, PerEuro: s.PerEuro, Stops: s.Stops}}
	found := slices.Clone(live)
	slices.SortFunc(found, func(a, b Live) int {
		return cmp.Or(cmp.Compare(a.FoundDay(), b.FoundDay()), cmp.Compare(a.Depart, b.Depart))
	})
	first.Advance(s.AsOf, p, found, new(Statistics))
	return &first.State
}
