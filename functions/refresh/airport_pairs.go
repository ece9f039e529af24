package refresh

import (
	"context"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
)

func (r *Refresher) mergeAirports(ctx context.Context, series fare.Series, observations []fare.Observation,
	pooled departure.Cycle, now time.Time, _ bool) (m mergeResult, err error) {
	err = store.RetryConflicts(ctx, func() (err error) {
		m, err = r.mergeAirportsOnce(ctx, series, observations, pooled, now)
		return err
	})
	return m, err
}

func (r *Refresher) mergeAirportsOnce(ctx context.Context, series fare.Series, observations []fare.Observation,
	pooled departure.Cycle, now time.Time) (m mergeResult, err error) {
	today := fare.DayOf(now)
	old, err := r.summary(ctx, series, store.Strong)
	if err != nil || old.AsOf > today {
		return mergeResult{summary: old.RouteSummary}, err
	}
	cities, err := r.readCities(ctx, series.OfCities())
	if err != nil {
		return m, err
	}
	for _, o := range cities.history {
		if series.Airports.Include(o.Flight) {
			observations = append(observations, o)
		}
	}
	h, err := r.readHistory(ctx, series, store.Strong)
	if err != nil {
		return m, err
	}
	changed, added := h.add(observations)
	if err := r.putHistory(ctx, series, h, changed); err != nil {
		return m, err
	}
	all := h.all()
	merged := verdict.Build(all, verdict.RouteSummary{DeepRequest: max(old.DeepRequest, now.Unix())}, today,
		verdict.Options{Rates: r.Rates})
	quotes := merged.DayQuotes(all, 0, r.Rates)
	basis := verdict.BasisOf(merged, quotes.All, cities.summary, cities.summary.DayQuotes(cities.history, 0, r.Rates).All)
	if err := r.putAirportStates(ctx, series, merged, quotes, cities, basis, pooled); err != nil {
		return m, err
	}
	m = mergeResult{added: added, changed: true, summary: merged.Compared(cities.summary, basis, r.Rates)}
	_, err = r.Fares.PutSummary(ctx, series, old.stored, store.Summaries.Pack(m.summary))
	return m, err
}

type citiesOf struct {
	history []fare.Observation
	summary verdict.RouteSummary
	seriesState
}

func (r *Refresher) readCities(ctx context.Context, series fare.Series) (c citiesOf, err error) {
	summary, err := r.summary(ctx, series, store.Strong)
	if err != nil {
		return c, err
	}
	c.summary = summary.RouteSummary
	h, err := r.readHistory(ctx, series, store.Eventual)
	if err != nil {
		return c, err
	}
	c.history = h.all()
	c.seriesState, err = r.readState(ctx, series)
	return c, err
}

func (r *Refresher) putAirportStates(ctx context.Context, series fare.Series, merged verdict.RouteSummary,
	q verdict.DayQuotes, cities citiesOf, basis verdict.Basis, pooled departure.Cycle) error {
	stored, err := r.Fares.Departures(ctx, series)
	if err != nil {
		return err
	}
	if pooled.Pooled == nil {
		pooled.Pooled = departure.Start(merged.AsOf)
	}
	s := seriesState{any: new(departure.Learner), stored: stored}
	s.prepare(merged, q)
	s.any.Advance(merged.AsOf, pooled.Pooled, q.All, new(departure.Statistics))
	w := store.Departures{Any: store.States.Pack(verdict.ComparedState(&s.any.State, &cities.any.State, merged, basis))}
	if s.nonStop != nil {
		s.nonStop.Advance(merged.AsOf, pooled.Pooled, q.NonStop, new(departure.Statistics))
		facts, _ := merged.WithoutStops()
		state := &s.nonStop.State
		if cities.nonStop != nil {
			state = verdict.ComparedState(state, &cities.nonStop.State, facts, basis)
		}
		w.NonStop = store.States.Pack(state)
	}
	return r.Fares.PutDepartures(ctx, series, stored, w, store.Contribution{})
}
