package answer

import (
	"context"
	"fmt"

	"verdetto/shared/departure"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
)

// History is what is known of a route and, where the question names a departure or
// a month, how the fares of those departures moved. That alone is read from the
// whole history of the series, which for a year of departures costs some 13 read
// units; what else an answer needs lies in the summary.
func (r *Reader) History(ctx context.Context, q Question) (f Found, moves []verdict.Live, err error) {
	if f, err = r.Find(ctx, q); err != nil || q.When == nil {
		return f, nil, err
	}
	first, last := q.When.Date, q.When.Date
	if q.When.Span != nil && *q.When.Span == departure.Month {
		first, last = q.When.Span.Ends(q.When.Date)
	}
	rates, err := r.Rates.Rates(ctx)
	if err != nil {
		return f, nil, err
	}
	blocks, err := r.Sheets.Blocks(ctx, f.Series, store.Eventual)
	if err != nil {
		return f, nil, err
	}
	var all []fare.Observation
	for _, b := range blocks {
		if all, err = fare.Unpack(all, b.Data); err != nil {
			return f, nil, fmt.Errorf("read history of %s: %w", f.Series, err)
		}
	}
	return f, f.Summary.Moves(fare.Set(all), first, last, q.NonStop, rates), nil
}
