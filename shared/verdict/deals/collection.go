package deals

import (
	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

// Collection returns the state of the collection for the destination with the most days. It returns
// false if that has enough days for a verdict, or if there are no destinations.
func (o Origin) Collection(today fare.Day) (verdict.Collection, bool) {
	days, latest := -1, Entry{}
	for _, e := range o.Entries {
		for _, d := range e.Any.Route {
			if n := d.Verdict.Sample; n > days {
				days, latest = n, e
			}
		}
	}
	if days < 0 || days >= verdict.MinSample {
		return verdict.Collection{}, false
	}
	return verdict.NewCollection(days, latest.Collected, latest.AsOf, today), true
}
