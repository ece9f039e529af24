package refresh

import (
	"context"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

// A computer with a wrong clock can store dates in the future. Such dates would block refreshes
// until those days come. So work dated more than 24 hours ahead counts as never done and is
// repeated. Fares with future dates stay stored, because answers ignore them.

// isAhead reports whether finished work is dated more than 24 hours in the future, by a wrong
// clock.
func isAhead(at, now time.Time) bool { return at.After(now.Add(24 * time.Hour)) }

// isDayAhead reports whether a day is more than one day in the future.
func isDayAhead(day, today fare.Day) bool { return day > today+1 }

// withoutAhead removes dates in the future from a summary. The next refresh then sets these dates
// again.
func withoutAhead(s verdict.RouteSummary, now time.Time) verdict.RouteSummary {
	if isAhead(time.Unix(s.DeepRequest, 0), now) {
		s.DeepRequest = 0
	}
	if isDayAhead(s.AsOf, fare.DayOf(now)) {
		s.AsOf = 0
	}
	return s
}

// lastAnswer returns when the source last answered for an origin. It returns the zero time if the
// source never answered, or if the stored time lies in the future.
func (r *Refresher) lastAnswer(ctx context.Context, origin fare.City) (time.Time, error) {
	at, err := r.Fares.LastAnswer(ctx, origin)
	if isAhead(at, r.Now()) {
		at = time.Time{}
	}
	return at, err
}
