package answer

import (
	"context"
	"errors"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
)

// A question may name an airport of a city with several. Then it is about the fares of that airport.
// A pair of airports has a stored series from the first refresh after a question on. Until then it
// is judged from the cities' departures. If the source does not state the airports of the route's
// fares, the answer is about the cities.

// between returns the data as those of the airports of its series.
func (f SeriesData) between() SeriesData {
	f.Origin, f.Destination = f.Origin.At(f.Series.Airports.From), f.Destination.At(f.Series.Airports.To)
	return f
}

// ofCities returns the data as those of all airports of both cities.
func (f SeriesData) ofCities() SeriesData {
	f.Series = f.Series.OfCities()
	return f
}

// departuresBetween returns the departures of a pair of airports.
func (r *Reader) departuresBetween(ctx context.Context, q Question, f SeriesData) (departures, error) {
	d := departures{SeriesData: f.between()}
	data, err := r.Stored.Sheet(ctx, f.Series, q.NonStop)
	err = r.decode(ctx, &d, data, err, q.NonStop)
	switch {
	case err == nil && r.isCurrent(d.sheet.AsOf):
		r.recordDemand(ctx, f.Series, nil)
		return d, nil
	case err != nil && !errors.Is(err, store.ErrNotFound):
		return d, err
	}
	cities, err := r.departuresOfCities(ctx, q, departures{SeriesData: f.ofCities()})
	if err != nil || !verdict.HasAirports(cities.sheet.Live) {
		return cities, err
	}
	r.recordDemand(ctx, f.Series, nil)
	d.sheet, d.pooled = verdict.StateBetween(cities.sheet, cities.pooled, f.Series.Airports), cities.pooled
	return d, nil
}

// findBetween returns the stored data of a pair of airports.
func (r *Reader) findBetween(ctx context.Context, q Question, f SeriesData) (SeriesData, error) {
	data, _, err := r.Stored.Summary(ctx, f.Series, store.Eventual)
	own := f.between()
	own.Summary, err = store.Decode(data, err, verdict.Decode)
	switch {
	case err == nil && r.isCurrent(own.Summary.AsOf):
		r.recordDemand(ctx, f.Series, nil)
		return own.nonStop(q)
	case err != nil && !errors.Is(err, store.ErrNotFound):
		return own, err
	}
	cities, err := r.findCities(ctx, q, f.ofCities())
	if err != nil || !verdict.HasAirports(cities.Summary.Live) {
		return cities, err
	}
	d, err := r.departuresBetween(ctx, q, f)
	if err != nil || d.Series != f.Series {
		return cities, err
	}
	own.Summary, err = verdict.SummaryBetween(cities.Summary, d.sheet)
	return own, err
}

// isCurrent reports whether fares stored on a day can still be live. A pair of airports that was not
// in demand for a while is judged from the cities' departures again.
func (r *Reader) isCurrent(asOf fare.Day) bool { return asOf >= fare.DayOf(r.Now())-verdict.LiveDays }
