package answer

import (
	"context"
	"errors"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
)

// For a question about some airlines, the live fares come from the departure state if there is one,
// because the summary has only the cheapest fares of all airlines together.

func (d departures) limitedTo(a fare.Airlines) departures {
	if d.sheet != nil && a != "" {
		limited := *d.sheet
		limited.Airlines, d.sheet = a, &limited
	}
	return d
}

func (r *Reader) ofAirlines(ctx context.Context, q Question, f SeriesData) (SeriesData, error) {
	if q.Airlines == "" {
		return f, nil
	}
	d, err := r.departuresOf(ctx, q, f)
	if err == nil {
		f.Summary = f.Summary.OfAirlines(q.Airlines, d.sheet)
	}
	return f, err
}

// Airlines returns the airlines of the live fares, those with the most fares first. known is false
// if the stored fares are missing or too old.
func (r *Reader) Airlines(ctx context.Context, series fare.Series, nonStop bool) (all []fare.Airline, known bool,
	err error) {
	s, err := r.Stored.Sheet(ctx, series.OfCities(), nonStop)
	if errors.Is(err, store.ErrNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	return verdict.AirlinesOf(s.Live), len(s.Live) > 0 && r.isCurrent(s.AsOf), nil
}
