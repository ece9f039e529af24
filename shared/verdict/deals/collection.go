package deals

import (
	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

// Collection returns the state of the collection for the destination with the most days. It returns
// false if a destination has enough days for a verdict, or if there are no destinations.
func (o Origin) Collection(today fare.Day) (verdict.Raccolta, bool) {
	days, asOf := -1, fare.Day(0)
	for _, e := range o.Entries {
		for _, d := range e.Any.Route {
			if n := d.Verdict.Campione; n > days {
				days, asOf = n, e.AsOf
			}
		}
	}
	if days < 0 || days >= verdict.MinSample {
		return verdict.Raccolta{}, false
	}
	return verdict.NewRaccolta(days, asOf, today), true
}
