package answer

import (
	"context"
	"errors"
	"slices"

	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
)

// A pair of airports is judged from its own stored series or, if that is missing or old, from the
// departures of the cities. If the source does not state airports, the answer is about the cities.

func (f SeriesData) between() SeriesData {
	f.Origin, f.Destination = f.Origin.At(f.Series.Airports.From), f.Destination.At(f.Series.Airports.To)
	return f
}

func (f SeriesData) ofCities() SeriesData {
	f.Series = f.Series.OfCities()
	return f
}

func (r *Reader) departuresBetween(ctx context.Context, q Question, f SeriesData) (departures, error) {
	d := departures{SeriesData: f.between()}
	err := r.readSheet(ctx, &d, q.NonStop)
	switch {
	case err == nil && r.isCurrent(d.sheet.AsOf):
		r.recordDemand(ctx, f.Series, nil)
		return d, nil
	case err != nil && !errors.Is(err, store.ErrNotFound):
		return d, err
	}
	cities, err := r.departuresOfCities(ctx, q, departures{SeriesData: f.ofCities()})
	if err != nil || !verdict.HasAirports(cities.sheet.Live) || f.isUnnamed(cities.sheet.Live) {
		return cities, err
	}
	r.recordDemand(ctx, f.Series, nil)
	d.sheet, d.pooled = verdict.StateBetween(cities.sheet, cities.pooled, f.Series.Airports), cities.pooled
	return d, nil
}

// isUnnamed reports whether our tables lack an airport of f and no live fare is between the airports
// of f. The source may then report the fares of the airport as fares of the city.
func (f SeriesData) isUnnamed(live []verdict.Live) bool {
	listed := func(p places.Place, a fare.Airport) bool {
		return a == fare.Airport{} || slices.Contains(p.Airports, a.String())
	}
	return !(listed(f.Origin, f.Series.Airports.From) && listed(f.Destination, f.Series.Airports.To)) &&
		!slices.ContainsFunc(live, func(l verdict.Live) bool { return f.Series.Airports.Include(l.Flight) })
}

func (r *Reader) findBetween(ctx context.Context, q Question, f SeriesData) (SeriesData, error) {
	named := f.between()
	var err error
	named.Summary, err = r.Stored.Summary(ctx, f.Series)
	switch {
	case err == nil && r.isCurrent(named.Summary.AsOf):
		r.recordDemand(ctx, f.Series, nil)
		return named.nonStop(q)
	case err != nil && !errors.Is(err, store.ErrNotFound):
		return named, err
	}
	cities, err := r.findCities(ctx, q, f.ofCities())
	if err != nil || !verdict.HasAirports(cities.Summary.Live) {
		return cities, err
	}
	d, err := r.departuresBetween(ctx, q, f)
	if err != nil || d.Series != f.Series {
		return cities, err
	}
	named.Summary, err = verdict.SummaryBetween(cities.Summary, d.sheet)
	return named, err
}

func (r *Reader) isCurrent(asOf fare.Day) bool { return asOf >= fare.DayOf(r.Now())-verdict.LiveDays }
