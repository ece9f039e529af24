package deals

import (
	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

// Collection describes the destination with the most days that have a low. It returns false if these
// are enough for a verdict, or if no destination has a fare.
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
