package refresh

import (
	"context"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

// Work dated more than a day ahead counts as never done: a wrong clock must have stored such a date.

func isAhead(at, now time.Time) bool { return at.After(now.Add(24 * time.Hour)) }

func isDayAhead(day, today fare.Day) bool { return day > today+1 }

func withoutAhead(s verdict.RouteSummary, now time.Time) verdict.RouteSummary {
	if isAhead(time.Unix(s.DeepRequest, 0), now) {
		s.DeepRequest = 0
	}
	if isDayAhead(s.AsOf, fare.DayOf(now)) {
		s.AsOf = 0
	}
	return s
}

func (r *Refresher) lastAnswer(ctx context.Context, origin fare.City) (time.Time, error) {
	at, err := r.Fares.LastAnswer(ctx, origin)
	if isAhead(at, r.Now()) {
		at = time.Time{}
	}
	return at, err
}
