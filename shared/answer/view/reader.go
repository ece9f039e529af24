package view

import (
	"cmp"
	"context"
	"errors"
	"math"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/trends"
)

type Reader struct {
	*answer.Reader
	// AllFares allows weekly lows in answers.
	AllFares bool
}

// The currency must have an exchange rate. If the origin or the route is not covered, Read stores a
// request for the origin and fails with an answer.NoAnswer.
func (r *Reader) Read(ctx context.Context, series fare.Series, currency string) (Trends, error) {
	return r.read(ctx, series, currency, most)
}

func (r *Reader) ReadAll(ctx context.Context, series fare.Series, currency string) (Trends, error) {
	return r.read(ctx, series, currency, math.MaxInt)
}

func (r *Reader) read(ctx context.Context, series fare.Series, currency string, most int) (Trends, error) {
	rates, err := r.Rates(ctx)
	if err != nil {
		return Trends{}, err
	}
	now := r.Now()
	v := view{rates: rates, currency: currency, now: now, today: fare.DayOf(now), allFares: r.AllFares}
	if series.Destination != "" && series.Airports != (fare.Airports{}) {
		t, ok, err := r.between(ctx, v, series)
		if ok || err != nil {
			return t, err
		}
	}
	origin, destination := series.Origin, series.Destination
	all, _, err := r.Stored.Trends(ctx, origin)
	if errors.Is(err, store.ErrNotFound) {
		return Trends{}, r.notCovered(ctx, origin, "")
	}
	if err != nil {
		return Trends{}, err
	}
	if destination == "" {
		return v.origin(origin, all, most), nil
	}
	e, ok := all.Entry(destination)
	if !ok {
		return Trends{}, r.notCovered(ctx, origin, destination)
	}
	summary, err := r.Stored.Summary(ctx, series.OfCities())
	if errors.Is(err, store.ErrNotFound) {
		return Trends{}, r.notCovered(ctx, origin, destination)
	}
	if err != nil {
		return Trends{}, err
	}
	return v.route(origin, e, summary), nil
}

func (r *Reader) between(ctx context.Context, v view, series fare.Series) (Trends, bool, error) {
	f, err := r.Find(ctx, answer.Question{
		From: answer.Code(cmp.Or(series.Airports.From.String(), string(series.Origin))),
		To:   answer.Code(cmp.Or(series.Airports.To.String(), string(series.Destination))),
	})
	if answer.Why(err).Unseen() {
		return Trends{}, false, nil
	}
	if err != nil || f.Series.Airports == (fare.Airports{}) || f.Summary.Observations == 0 {
		return Trends{}, false, err
	}
	e := trends.EntryOf(series.Destination, f.Summary)
	if f.Summary.Basis != nil || e.Sample < verdict.MinSample {
		// The daily lows in f.Summary are those of both cities, or too few, so no change and no weekly lows are shown.
		e.Previous, v.allFares = 0, false
	}
	t := v.route(series.Origin, e, f.Summary)
	t.Airports = airportsOf(verdict.Pair{Airports: f.Series.Airports, Basis: f.Summary.Basis})
	return t, true, nil
}

func (r *Reader) notCovered(ctx context.Context, origin, destination fare.City) error {
	if err := r.Stored.RequestOrigin(ctx, origin, (fare.DayOf(r.Now()) + answer.OriginRequestDays).Time()); err != nil {
		return err
	}
	e := &answer.NoAnswer{Reason: answer.NoRoutes, Collection: r.BeforeFares(ctx)}
	e.Series.Route = fare.Route{Origin: origin, Destination: destination}
	e.Origin, _ = places.Get(origin)
	if e.Destination, _ = places.Get(destination); destination != "" {
		e.Reason = answer.NotCovered
	}
	return e
}
