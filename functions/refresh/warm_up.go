package refresh

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
	"verdetto/shared/verdict/score"
)

// warmUp rebuilds missing or unusable pooled statistics from the stored fares. The pooled statistics are written last,
// so a killed warmUp starts again.

type warming struct {
	series  fare.Series
	summary verdict.RouteSummary
	state   seriesState
	quotes  verdict.DayQuotes
}

func foundOn(day fare.Day, fares []departure.Live) []departure.Live {
	byDay := func(f departure.Live, day fare.Day) int { return int(f.FoundDay() - day) }
	first, _ := slices.BinarySearchFunc(fares, day, byDay)
	end, _ := slices.BinarySearchFunc(fares, day+1, byDay)
	return fares[first:end:end]
}

func (r *Refresher) warmUp(ctx context.Context, today fare.Day) error {
	err := store.RetryConflicts(ctx, func() error { return r.warmUpOnce(ctx, today) })
	if err != nil {
		return fmt.Errorf("fold what is stored: %w", err)
	}
	return nil
}

func (r *Refresher) warmUpOnce(ctx context.Context, today fare.Day) error {
	previous, err := r.Fares.StoredPooled(ctx, store.Strong)
	if err != nil {
		return err
	}
	series, days, err := r.readWarming(ctx, today)
	if err != nil {
		return err
	}
	var none *score.Contribution
	if stored, err := r.Fares.Contributions(ctx, today); err != nil {
		return err
	} else if len(stored) > 0 {
		// An empty contribution replaces the contribution of an earlier refresh of today, because the history contains
		// the fares of that refresh too.
		none = new(score.Contribution)
	}
	if len(days) == 0 {
		return nil
	}
	pooled := startPooled(series, days[0])
	for _, day := range days {
		var sums departure.Statistics
		v := pooled.View(day)
		for _, s := range series {
			s.learn(v, &sums)
		}
		for _, h := range departure.Horizons() {
			pooled.Learn(h, day, &sums)
		}
		if day == today {
			break
		}
		sums, v = departure.Statistics{}, pooled.View(day)
		for _, s := range series {
			s.fold(v, day, &sums)
		}
		pooled.Fold(day, &sums)
	}
	for _, s := range series {
		s.state.any.Stand(today, s.quotes.All)
		if s.state.nonStop != nil {
			s.state.nonStop.Stand(today, s.quotes.NonStop)
		}
		// The service's answers on the stored days are not known, so the score starts today.
		if err := s.state.keepScore(score.Source{Day: today, Pooled: pooled, Summary: s.summary,
			Quotes: s.quotes.All}, new(score.Counts)); err != nil {
			return fmt.Errorf("keep the score of %s: %w", s.series, err)
		}
		if err := r.putState(ctx, s.series, &s.state, none); err != nil {
			return err
		}
	}
	if err := r.dealsOfAll(ctx, series, pooled); err != nil {
		return err
	}
	now := store.Cycles.Pack(departure.Cycle{Day: today - 1, Pooled: pooled, Warmed: today})
	return r.Fares.PutPooled(ctx, previous, now, store.Score{})
}

func startPooled(series []*warming, day fare.Day) *departure.Pooled {
	all := make([][]departure.Quote, 0, len(series))
	for _, s := range series {
		var quotes []departure.Quote
		for _, l := range foundOn(day, s.quotes.All) {
			quotes = append(quotes, departure.Quote{Lead: int(l.Depart - day), Price: l.Price})
		}
		all = append(all, quotes)
	}
	pooled := departure.Start(day)
	pooled.StartCurve(day, all)
	return pooled
}

func (r *Refresher) dealsOfAll(ctx context.Context, series []*warming, pooled *departure.Pooled) error {
	byOrigin := map[fare.City]summaries{}
	for _, s := range series {
		if byOrigin[s.series.Origin] == nil {
			byOrigin[s.series.Origin] = summaries{}
		}
		byOrigin[s.series.Origin].add(s.series, mergeResult{summary: s.summary})
	}
	for origin, stored := range byOrigin {
		if err := r.updateDeals(ctx, origin, stored, pooled); err != nil {
			return err
		}
	}
	return nil
}

func (s *warming) learn(v *departure.View, left *departure.Statistics) {
	s.state.any.Learn(v, left)
	if s.state.nonStop != nil {
		s.state.nonStop.Learn(v, new(departure.Statistics))
	}
}

func (s *warming) fold(v *departure.View, day fare.Day, left *departure.Statistics) {
	if fares := foundOn(day, s.quotes.All); len(fares) > 0 {
		s.state.any.Fold(v, fares, left)
	}
	if fares := foundOn(day, s.quotes.NonStop); len(fares) > 0 && s.state.nonStop != nil {
		s.state.nonStop.Fold(v, fares, new(departure.Statistics))
	}
}

func (r *Refresher) readWarming(ctx context.Context, today fare.Day) (all []*warming, days []fare.Day, err error) {
	origins, err := r.Fares.Covered(ctx, "", 0)
	if err != nil {
		return nil, nil, err
	}
	found := map[fare.Day]bool{}
	for _, origin := range origins {
		routes, _, err := r.trends(ctx, origin)
		if err != nil {
			return nil, nil, err
		}
		for _, e := range routes.Entries {
			for _, trip := range fare.Trips() {
				one := fare.Series{Route: fare.Route{Origin: origin, Destination: e.Destination}, Trip: trip}
				s, err := r.readOne(ctx, one, today)
				if err != nil {
					return nil, nil, err
				}
				if s == nil {
					continue
				}
				all = append(all, s)
				for _, q := range s.quotes.All {
					found[q.FoundDay()] = true
				}
			}
		}
	}
	if len(found) > 0 {
		found[today] = true
	}
	return all, slices.Sorted(maps.Keys(found)), nil
}

func (r *Refresher) readOne(ctx context.Context, one fare.Series, today fare.Day) (*warming, error) {
	h, err := r.readHistory(ctx, one, store.Strong)
	if err != nil || len(h.cycles) == 0 {
		return nil, err
	}
	stored, err := r.summary(ctx, one, store.Strong)
	if err != nil {
		return nil, err
	}
	summary := stored.RouteSummary
	if summary.AsOf == 0 || summary.AsOf > today {
		return nil, nil
	}
	s := &warming{series: one, summary: summary, state: seriesState{any: &departure.Learner{}}}
	if r.Replay == nil {
		s.state.stored, err = r.Fares.Departures(ctx, one)
	}
	if err != nil {
		return nil, err
	}
	if s.state.stored.NonStop.Exists() {
		s.state.nonStop = &departure.Learner{}
	}
	summary.AsOf = today
	s.quotes = summary.DayQuotes(h.all(), 0, r.Rates)
	s.state.prepare(summary, s.quotes)
	return s, nil
}
