package answer

import (
	"context"

	"verdetto/shared/verdict"
)

// Comparables says what the fares of a route come to for the departure that the
// question names, whether or not it has one; nothing where too few fares are
// comparable, of which count says how many there are.
func (r *Reader) Comparables(ctx context.Context, q Question) (f Found, of *verdict.Quartili, count int, err error) {
	d, err := r.departures(ctx, q)
	if err != nil {
		return d.Found, nil, 0, err
	}
	of, count, err = verdict.QuartilesOf(d.sheet, d.pooled, q.When.Date, r.Now())
	return d.Found, of, count, err
}

// Fares lists the departures of a route that have a fare, without judging them;
// without each of them the cheapest of every month. The error is NoCalendar where there are none.
func (r *Reader) Fares(ctx context.Context, q Question, each bool) (f Found, all []verdict.Prezzo, err error) {
	d, err := r.departures(ctx, q)
	if err != nil {
		return d.Found, nil, err
	}
	all, err = verdict.FaresOf(d.sheet, d.pooled, each, r.Now())
	if err == nil && len(all) == 0 {
		err = &NoCalendar{d.Found, q.NonStop}
	}
	return d.Found, all, err
}
