package refresh

import (
	"context"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

// A wrong clock leaves dates in the future, which would block refreshes until those days come. So
// work dated more than 24 hours ahead counts as never done and is redone. Observations stay,
// because answers ignore days in the future.

// isAhead reports whether a wrong clock dated finished work in the future.
func isAhead(at, now time.Time) bool { return at.After(now.Add(24 * time.Hour)) }

// isDayAhead is isAhead for days.
func isDayAhead(day, today fare.Day) bool { return day > today+1 }

// withoutAhead returns the summary without its dates in the future, so that it is rebuilt.
func withoutAhead(s verdict.RouteSummary, now time.Time) verdict.RouteSummary {
	if isAhead(time.Unix(s.DeepRequest, 0), now) {
		s.DeepRequest = 0
	}
	if isDayAhead(s.AsOf, fare.DayOf(now)) {
		s.AsOf = 0
	}
	return s
}

// lastAnswer returns when the source last answered for an origin, or the zero time if never or if
// that time lies in the future.
func (r *Refresher) lastAnswer(ctx context.Context, origin fare.City) (time.Time, error) {
	at, err := r.Fares.LastAnswer(ctx, origin)
	if isAhead(at, r.Now()) {
		at = time.Time{}
	}
	return at, err
}
