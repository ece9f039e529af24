package answer

import (
	"context"

	"verdetto/shared/verdict"
)

// Comparables returns the quartiles and the number of the fares comparable to the departure in the
// question, which needs no fare itself. The quartiles are nil if there are too few comparable
// fares. Of the summary in f, only Basis is set.
func (r *Reader) Comparables(ctx context.Context, q Question) (f SeriesData, of *verdict.Quartiles, count int,
	err error) {
	d, err := r.departures(ctx, q)
	if err != nil {
		return d.SeriesData, nil, 0, err
	}
	of, count, d.Summary.Basis, err = verdict.QuartilesOf(d.sheet, d.pooled, q.When.Date, r.Now())
	return d.SeriesData, of, count, err
}

// Fares returns the departures of a route that have a fare, unjudged. If each is false, it returns
// only the cheapest departure of every month. It fails with NoCalendar if no departure has a fare.
func (r *Reader) Fares(ctx context.Context, q Question, each bool) (f SeriesData, all []verdict.Live, err error) {
	d, err := r.departures(ctx, q)
	if err != nil {
		return d.SeriesData, nil, err
	}
	all, err = verdict.FaresOf(d.sheet, d.pooled, each, r.Now())
	if err == nil && len(all) == 0 {
		err = r.noFare(Question{NonStop: q.NonStop, Airlines: q.Airlines}, d)
	}
	return d.SeriesData, all, err
}
