package verdict

import (
	"time"

	"verdetto/shared/fare"
)

// Raccolta says how much of the history that a verdict needs is collected.
type Raccolta struct {
	DaGiorni      int    `json:"daGiorni" minimum:"0" doc:"Past days with a known cheapest fare"`
	DiGiorni      int    `json:"diGiorni" minimum:"8" doc:"Such days that a verdict needs" example:"8"`
	Dal           string `json:"dal,omitempty" format:"date" doc:"The first of these days, UTC. Before there is one, the day on which the collection began. Absent if an earlier version stored the list of routes"`
	PrimoVerdetto string `json:"primoVerdetto" format:"date" doc:"Earliest day of the first verdict, UTC: each day until then must have a fare"`
}

// NewRaccolta returns the state of a collection that had days past days on asOf. since is the first
// of them, or 0 if unknown.
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

// BeforeFares returns the state of a service without any fares. since is when it began to ask for
// them, or zero if it has not.
func BeforeFares(since time.Time, today fare.Day) *Raccolta {
	r := NewRaccolta(0, today, today, today)
	if !since.IsZero() {
		r.Dal = min(fare.DayOf(since), today).String()
	}
	return &r
}

// Collection returns the state of the route's collection. It returns false if the route has enough
// days for a verdict.
func (s RouteSummary) Collection(today fare.Day) (Raccolta, bool) {
	if len(s.sample()) >= MinSample {
		return Raccolta{}, false
	}
	return NewRaccolta(len(s.sample()), s.firstLow(), s.AsOf, today), true
}

// CollectedSince returns the first past day with a low while the route has too few of them for a
// verdict, otherwise 0.
func (s RouteSummary) CollectedSince() fare.Day {
	if len(s.sample()) >= MinSample {
		return 0
	}
	return s.firstLow()
}

// firstLow returns the first past day with a low, or 0.
func (s RouteSummary) firstLow() (first fare.Day) {
	for _, l := range s.sample() {
		if first == 0 || l.Day < first {
			first = l.Day
		}
	}
	return first
}

func (s RouteSummary) collected(a Analysis, now time.Time) Analysis {
	if r, ok := s.Collection(fare.DayOf(now)); ok {
		a.Raccolta = &r
	}
	return a
}
