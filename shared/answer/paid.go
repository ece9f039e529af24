package answer

import (
	"context"
	"errors"

	"verdetto/shared/fare"
	"verdetto/shared/fare/paid"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
)

// recordedIn is the country (ISO 3166-1 alpha-2) of the routes whose sold tickets are on record.
const recordedIn = "BR"

// paidOn returns what passengers paid on the route of a question, or nil if that is not known. The
// record is about one-way tickets of all airlines between cities. So questions about returns,
// airports, airlines or stops have no such figure. Only a route within recordedIn costs a read.
func (r *Reader) paidOn(ctx context.Context, q Question, f SeriesData) *verdict.Riferimento {
	if f.Origin.Country != recordedIn || f.Destination.Country != recordedIn || q.Trip != fare.OneWay ||
		q.NonStop || q.Airlines != "" || f.Series.Airports != (fare.Airports{}) || q.When != nil && q.When.Back != 0 {
		return nil
	}
	data, err := r.Stored.Baseline(ctx, f.Series.Origin)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	var of paid.Origin
	if err == nil {
		of, err = paid.Decode(data)
	}
	if err != nil {
		r.Log.ErrorContext(ctx, "answer without what passengers paid", "error", err)
		return nil
	}
	if m, ok := of.Mean(f.Series.Destination); ok {
		return verdict.NewRiferimento(of, m)
	}
	return nil
}
