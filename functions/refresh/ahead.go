package refresh

import (
	"context"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

// A clock that was wrong once leaves dates in the future. They would keep refreshes
// from everything until their day comes, so what is stored for later than tomorrow counts as
// never done, and is made anew. Observations stay: no answer counts those of days to come.

// isAhead reports whether a wrong clock has dated something that was done.
func isAhead(at, now time.Time) bool { return at.After(now.Add(24 * time.Hour)) }

// isDayAhead is isAhead for days.
func isDayAhead(day, today fare.Day) bool { return day > today+1 }

// withoutAhead returns a summary whose dates in the future are forgotten: it is made anew.
func withoutAhead(s verdict.RouteSummary, now time.Time) verdict.RouteSummary {
	if isAhead(time.Unix(s.Asked, 0), now) {
		s.Asked = 0
	}
	if isDayAhead(s.AsOf, fare.DayOf(now)) {
		s.AsOf = 0
	}
	return s
}

// asked is when the source last answered for an origin; zero if that lies in the future.
func (r *Refresher) asked(ctx context.Context, origin fare.City) (time.Time, error) {
	at, err := r.Fares.Asked(ctx, origin)
	if isAhead(at, r.Now()) {
		at = time.Time{}
	}
	return at, err
}
