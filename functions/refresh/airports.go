package refresh

import (
	"context"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
)

// A pair of airports in demand has its own series: the fares that the source gave for the pair, and
// those in the cities' history. Its summary and departure states are rebuilt from that history at
// each refresh, so an answer needs one read. As long as the pair has too few fares, they hold the
// cities' statistics scaled to the pair's usual level. A pair adds nothing to the pooled
// statistics, where its fares are already counted with the cities'.

func (r *Refresher) mergeAirports(ctx context.Context, of fare.Series, observations []fare.Observation,
	pooled departure.Cycle, now time.Time, _ bool) (m mergeResult, err error) {
	err = store.RetryConflicts(ctx, func() (err error) {
		m, err = r.mergeAirportsOnce(ctx, of, observations, pooled, now)
		return err
	})
	return m, err
}

func (r *Refresher) mergeAirportsOnce(ctx context.Context, of fare.Series, observations []fare.Observation,
	pooled departure.Cycle, now time.Time) (m mergeResult, err error) {
	today := fare.DayOf(now)
	old, err := r.summary(ctx, of, store.Strong)
	if err != nil || old.AsOf > today {
		return mergeResult{summary: old.RouteSummary}, err
	}
	cities, err := r.readCities(ctx, of.OfCities())
	if err != nil {
		return m, err
	}
	for _, o := range cities.history {
		if of.Airports.Include(o.Flight) {
			observations = append(observations, o)
		}
	}
	h, err := r.readHistory(ctx, of, store.Strong)
	if err != nil {
		return m, err
	}
	changed, added := h.add(observations)
	if err := r.putHistory(ctx, of, h, changed); err != nil {
		return m, err
	}
	all := h.all()
	own := verdict.Build(all, verdict.RouteSummary{DeepRequest: max(old.DeepRequest, now.Unix())}, today,
		verdict.Options{Rates: r.Rates})
	quotes := own.DayQuotes(all, 0, r.Rates)
	basis := verdict.BasisOf(own, quotes.All, cities.summary, cities.summary.DayQuotes(cities.history, 0, r.Rates).All)
	if err := r.putAirportStates(ctx, of, own, quotes, cities, basis, pooled); err != nil {
		return m, err
	}
	m = mergeResult{added: added, changed: true, summary: own.Compared(cities.summary, basis, r.Rates)}
	_, err = r.Fares.PutSummary(ctx, of, old.stored, store.Summaries.Pack(m.summary))
	return m, err
}

type citiesOf struct {
	history []fare.Observation
	summary verdict.RouteSummary
	seriesState
}

func (r *Refresher) readCities(ctx context.Context, of fare.Series) (c citiesOf, err error) {
	summary, err := r.summary(ctx, of, store.Strong)
	if err != nil {
		return c, err
	}
	c.summary = summary.RouteSummary
	h, err := r.readHistory(ctx, of, store.Eventual)
	if err != nil {
		return c, err
	}
	c.history = h.all()
	c.seriesState, err = r.readState(ctx, of)
	return c, err
}

func (r *Refresher) putAirportStates(ctx context.Context, of fare.Series, own verdict.RouteSummary,
	q verdict.DayQuotes, cities citiesOf, basis verdict.Basis, pooled departure.Cycle) error {
	stored, err := r.Fares.Departures(ctx, of)
	if err != nil {
		return err
	}
	if pooled.Pooled == nil {
		pooled.Pooled = departure.Start(own.AsOf)
	}
	s := seriesState{any: new(departure.Learner), stored: stored}
	s.prepare(own, q)
	s.any.Advance(own.AsOf, pooled.Pooled, q.All, new(departure.Statistics))
	w := store.Departures{Any: store.States.Pack(verdict.ComparedState(&s.any.State, &cities.any.State, own, basis))}
	if s.nonStop != nil {
		s.nonStop.Advance(own.AsOf, pooled.Pooled, q.NonStop, new(departure.Statistics))
		facts, _ := own.WithoutStops()
		state := &s.nonStop.State
		if cities.nonStop != nil {
			state = verdict.ComparedState(state, &cities.nonStop.State, facts, basis)
		}
		w.NonStop = store.States.Pack(state)
	}
	return r.Fares.PutDepartures(ctx, of, stored, w, store.Contribution{})
}
