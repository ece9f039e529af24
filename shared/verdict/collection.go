package verdict

import (
	"time"

	"verdetto/shared/fare"
)

// Raccolta says how much of the history that a route's verdict needs is collected.
type Raccolta struct {
	DaGiorni      int    `json:"daGiorni" minimum:"0" doc:"Past days with a known cheapest fare"`
	DiGiorni      int    `json:"diGiorni" minimum:"8" doc:"Such days that a verdict needs" example:"8"`
	Dal           string `json:"dal,omitempty" format:"date" doc:"The first of these days, UTC. Before there is one, the day on which the collection began. Absent if an earlier version stored the list of routes"`
	PrimoVerdetto string `json:"primoVerdetto" format:"date" doc:"Earliest day of the first verdict, UTC: each day until then must have a fare"`
}

// NewRaccolta returns the state of a collection that had days past days on asOf, the first of them
// on since. If since is not known, it is 0.
func NewRaccolta(days int, since, asOf, today fare.Day) Raccolta {
	first := max(asOf+fare.Day(MinSample-days), today+1)
	r := Raccolta{DaGiorni: days, DiGiorni: MinSample, PrimoVerdetto: first.String()}
	if days == 0 {
		since = asOf
	}
	if since > 0 {
		r.Dal = since.String()
	}
	return r
}

// BeforeFares returns the state of a service that has no fares yet. It began to ask for them at a
// time since, which is zero if the service has not asked.
func BeforeFares(since time.Time, today fare.Day) *Raccolta {
	r := NewRaccolta(0, today, today, today)
	if !since.IsZero() {
		r.Dal = min(fare.DayOf(since), today).String()
	}
	return &r
}

// Collection returns the state of the route's collection on a day. It returns false if the route
// has enough days for a verdict.
func (s RouteSummary) Collection(today fare.Day) (Raccolta, bool) {
	if len(s.sample()) >= MinSample {
		return Raccolta{}, false
	}
	return NewRaccolta(len(s.sample()), s.firstLow(), s.AsOf, today), true
}

// CollectedSince returns the first past day with a known cheapest fare, if the route has too few such
// days for a verdict. Otherwise it returns 0.
func (s RouteSummary) CollectedSince() fare.Day {
	if len(s.sample()) >= MinSample {
		return 0
	}
	return s.firstLow()
}

// firstLow returns the first past day with a known cheapest fare, or 0.
func (s RouteSummary) firstLow() (first fare.Day) {
	for _, l := range s.sample() {
		if first == 0 || l.Day < first {
			first = l.Day
		}
	}
	return first
}

// collected adds the state of the collection to an answer without a verdict.
func (s RouteSummary) collected(a Analysis, now time.Time) Analysis {
	if r, ok := s.Collection(fare.DayOf(now)); ok {
		a.Raccolta = &r
	}
	return a
}
