package answer

import (
	"context"
	"fmt"
	"slices"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
)

// History returns the stored data of a route and, if q.When is set, how the fares of the departure
// or month changed. For that, it reads a whole history from the store.
func (r *Reader) History(ctx context.Context, q Question) (f SeriesData, moves []verdict.Live, err error) {
	if f, err = r.Find(ctx, q); err != nil || q.When == nil {
		return f, nil, err
	}
	moves, err = r.moves(ctx, q, f.Series, f.Summary)
	return f, moves, err
}

// Moves reads a whole history from the store. Prices are in EUR cents.
func (r *Reader) Moves(ctx context.Context, q Question, a Answer) ([]verdict.Live, error) {
	moves, err := r.moves(ctx, q, a.Series, a.Summary)
	for i := range moves {
		moves[i].Price = a.Summary.Euro(moves[i].Price)
	}
	return moves, err
}

func (r *Reader) moves(
	ctx context.Context, q Question, series fare.Series, summary verdict.RouteSummary,
) ([]verdict.Live, error) {
	first, last := q.When.Date, q.When.Date
	if q.When.Span != nil && *q.When.Span == departure.Month {
		first, last = q.When.Span.Ends(q.When.Date)
	}
	rates, err := r.Rates(ctx)
	if err != nil {
		return nil, err
	}
	blocks, err := r.Stored.Blocks(ctx, series, store.Eventual)
	if err != nil {
		return nil, err
	}
	if len(blocks) == 0 && series.Airports != (fare.Airports{}) {
		if blocks, err = r.Stored.Blocks(ctx, series.OfCities(), store.Eventual); err != nil {
			return nil, err
		}
	}
	var all []fare.Observation
	for _, b := range blocks {
		if all, err = fare.Unpack(all, b.Data); err != nil {
			return nil, fmt.Errorf("read history of %s: %w", series, err)
		}
	}
	all = slices.DeleteFunc(all, func(o fare.Observation) bool { return !series.Airports.Include(o.Flight) })
	return summary.Moves(fare.Set(all), first, last, q.NonStop, rates), nil
}
