package verdict

import (
	"time"

	"verdetto/shared/fare"
)

type Collection struct {
	Days int
	// If Days is above 0, Since is the first day with a daily low, or 0 if this day is unknown.
	Since fare.Day
	First fare.Day
	Begun bool
}

// days is the number of days with a low as of asOf. since is the first of these days, or 0 if
// unknown.
func NewCollection(days int, since, asOf, today fare.Day) Collection {
	if days == 0 {
		since = asOf
	}
	return Collection{Days: days, Since: max(since, 0), First: max(asOf+fare.Day(MinSample-days), today+1)}
}

// since is when the service began to ask for fares, or zero if it has not begun.
func BeforeFares(since, now time.Time) *Collection {
	today := fare.DayOf(now)
	c := NewCollection(0, today, today, today)
	if !since.IsZero() {
		c.Since, c.Begun = min(fare.DayOf(since), today), now.Sub(since) < time.Hour
	}
	return &c
}

func (s RouteSummary) Collection(today fare.Day) (Collection, bool) {
	if len(s.sample()) >= MinSample {
		return Collection{}, false
	}
	return NewCollection(len(s.sample()), s.firstLow(), s.AsOf, today), true
}

// CollectedSince returns the first day with a low. It returns 0 if the route has no low, or if it
// has enough lows for a verdict.
func (s RouteSummary) CollectedSince() fare.Day {
	if len(s.sample()) >= MinSample {
		return 0
	}
	return s.firstLow()
}

func (s RouteSummary) firstLow() (first fare.Day) {
	for _, l := range s.sample() {
		if first == 0 || l.Day < first {
			first = l.Day
		}
	}
	return first
}
