package answer

import (
	"context"
	"fmt"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
)

// History returns the data of a route. If the question contains a departure or a month, it also
// returns how the fares of those departures changed. Only then it reads the whole history of the
// series, about 13 read units for a year of departures. All other data are in the summary.
func (r *Reader) History(ctx context.Context, q Question) (f SeriesData, moves []verdict.Live, err error) {
	if f, err = r.Find(ctx, q); err != nil || q.When == nil {
		return f, nil, err
	}
	moves, err = r.moves(ctx, q, f.Series, f.Summary)
	return f, moves, err
}

// Moves returns how the fares of an answer's departures changed over time, in EUR cents. It reads
// the whole history, as History does.
func (r *Reader) Moves(ctx context.Context, q Question, a Answer) ([]verdict.Live, error) {
	moves, err := r.moves(ctx, q, a.Series, a.Summary)
	for i := range moves {
		moves[i].Price = a.Summary.Euro(moves[i].Price)
	}
	return moves, err
}

// moves reads how the fares of a question's departures changed over time, in the currency of a
// summary.
func (r *Reader) moves(
	ctx context.Context, q Question, of fare.Series, summary verdict.RouteSummary,
) ([]verdict.Live, error) {
	first, last := q.When.Date, q.When.Date
	if q.When.Span != nil && *q.When.Span == departure.Month {
		first, last = q.When.Span.Ends(q.When.Date)
	}
	rates, err := r.Rates(ctx)
	if err != nil {
		return nil, err
	}
	blocks, err := r.Stored.Blocks(ctx, of, store.Eventual)
	if err != nil {
		return nil, err
	}
	var all []fare.Observation
	for _, b := range blocks {
		if all, err = fare.Unpack(all, b.Data); err != nil {
			return nil, fmt.Errorf("read history of %s: %w", of, err)
		}
	}
	return summary.Moves(fare.Set(all), first, last, q.NonStop, rates), nil
}
