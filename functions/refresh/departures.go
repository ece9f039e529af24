package refresh

import (
	"context"
	"errors"
	"fmt"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/deals"
	"verdetto/shared/verdict/departure"
	"verdetto/shared/verdict/score"
)

func (r *Refresher) pooled(ctx context.Context) (departure.Cycle, error) {
	if r.cycle != nil {
		return *r.cycle, nil
	}
	c, err := r.Fares.Pooled(ctx)
	return r.usable(c, err)
}

func (r *Refresher) storedPooled(ctx context.Context) (c departure.Cycle, stored store.Stored[departure.Cycle], err error) {
	if stored, err = r.Fares.StoredPooled(ctx, store.Strong); err == nil {
		c, err = stored.Value()
	}
	c, err = r.usable(c, err)
	return c, stored, err
}

func (r *Refresher) usable(c departure.Cycle, err error) (departure.Cycle, error) {
	if errors.Is(err, store.ErrNotFound) {
		err = nil
	}
	if err != nil || isDayAhead(c.Day, fare.DayOf(r.Now())) {
		c = departure.Cycle{}
	}
	return c, err
}

type seriesState struct {
	any, nonStop *departure.Learner // nonStop is nil if the series has no separate non-stop state
	rounds       score.Rounds
	stored       store.Departures
}

func (r *Refresher) readState(ctx context.Context, series fare.Series) (s seriesState, err error) {
	if r.Replay != nil {
		replayed, err := r.Replay.series(ctx, r, series)
		if err != nil {
			return s, err
		}
		return replayed.state()
	}
	if s.stored, err = r.Fares.Departures(ctx, series); err != nil {
		return s, err
	}
	if err = s.decode(); err != nil && !errors.Is(err, store.ErrNotFound) {
		return s, fmt.Errorf("read departures of %s: %w", series, err)
	}
	if err != nil || isDayAhead(s.any.AsOf, fare.DayOf(r.Now())) {
		s.any, s.nonStop, s.rounds = &departure.Learner{}, nil, score.Rounds{}
	}
	return s, nil
}

func (s *seriesState) decode() (err error) {
	var open store.Learning
	if s.stored.Learning.Exists() {
		if open, err = s.stored.Learning.Value(); err != nil {
			return err
		}
	}
	s.rounds = open.Rounds
	if s.any, err = learnerOf(s.stored.Any, open.All); err == nil && s.stored.NonStop.Exists() {
		s.nonStop, err = learnerOf(s.stored.NonStop, open.NonStop)
	}
	return err
}

func learnerOf(stored store.Stored[*departure.State], open departure.Questions) (*departure.Learner, error) {
	state, err := stored.Value()
	if err == nil {
		err = state.Unpack()
	}
	if err != nil {
		return nil, err
	}
	return &departure.Learner{State: *state, Questions: open}, nil
}

func (s *seriesState) prepare(summary verdict.RouteSummary, q verdict.DayQuotes) {
	if s.nonStop == nil && q.StopsKnown && q.SomeStops {
		s.nonStop = &departure.Learner{}
		if s.any.Stops == departure.AllNonStop {
			s.nonStop = s.any.Clone()
		}
	}
	s.any.Convert(summary.Currency, summary.PerEuro)
	s.any.Facts = summary.Facts()
	switch {
	case s.nonStop != nil:
		without, _ := summary.WithoutStops()
		s.nonStop.Facts = without.Facts()
		s.any.Stops = departure.SomeStops
		s.nonStop.Convert(summary.Currency, summary.PerEuro)
		s.nonStop.Stops = departure.OnlyNonStop
	case q.StopsKnown:
		s.any.Stops = departure.AllNonStop
	default:
		s.any.Stops = departure.StopsUnknown
	}
}

func (s *seriesState) quotesFrom(summary verdict.RouteSummary, p *departure.Pooled) fare.Day {
	if p.MustRenew(&s.any.State) || s.nonStop != nil && p.MustRenew(&s.nonStop.State) {
		return 0 // day 0, because renewing the state needs the whole history
	}
	from := min(s.any.AsOf, summary.AsOf-departure.LiveDays, s.rounds.From(summary.AsOf))
	if s.nonStop != nil {
		return min(from, s.nonStop.AsOf)
	}
	if _, known := summary.WithoutStops(); known && s.any.Stops != departure.AllNonStop {
		return 0 // the new non-stop state needs the whole history
	}
	return from
}

// foldDepartures returns neither an entry nor an error if the stored state is of a later day.
func (r *Refresher) foldDepartures(ctx context.Context, series fare.Series, history []fare.Observation,
	summary verdict.RouteSummary, pooled departure.Cycle) (*deals.Entry, error) {
	s, err := r.readState(ctx, series)
	today := summary.AsOf
	if err != nil || s.any.AsOf > today {
		return nil, err
	}
	learned := pooled.Pooled
	q := summary.DayQuotes(history, s.quotesFrom(summary, pooled.Pooled), r.Rates)
	s.prepare(summary, q)
	isStart := pooled.Pooled == nil
	if isStart {
		pooled.Pooled = departure.Start(today)
	}
	var added score.Contribution
	var unused departure.Statistics
	again, isNew, fares := s.any.AsOf == today, s.any.AsOf == 0, q.All
	s.any.Advance(today, pooled.Pooled, fares, &added.Learned)
	if isStart && isNew {
		s.any.AddCurve(&added.Learned)
	}
	if s.nonStop != nil {
		// The statistics of s.nonStop are discarded, because s.any counts the same fares.
		s.nonStop.Advance(today, pooled.Pooled, q.NonStop, &unused)
	}
	if err := s.keepScore(score.Source{Day: today, Pooled: pooled.Pooled, Summary: summary, Quotes: fares},
		&added.Counts); err != nil {
		return nil, fmt.Errorf("keep the score of %s: %w", series, err)
	}
	w := &added
	if added.Empty() {
		w = nil
	} else if again {
		if err := r.addEarlier(ctx, series, today, w); err != nil {
			return nil, err
		}
	}
	if err := r.putState(ctx, series, &s, w); err != nil {
		return nil, err
	}
	e, err := dealsOf(series, summary, s, learned, r.Replay.isLast(series, today))
	return &e, err
}

// If another refresh changes the series at the same time, putState fails, so no contribution is lost.
func (r *Refresher) addEarlier(ctx context.Context, series fare.Series, cycle fare.Day, added *score.Contribution) error {
	earlier, err := r.Fares.ContributionOf(ctx, series, cycle)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read contribution of %s: %w", series, err)
	}
	added.Add(earlier)
	return nil
}

// putState writes the state, the open questions and the contribution together, so that a killed refresh counts no day
// twice. putState also changes s into what a reader of the store gets, because encoding rounds numbers.
func (r *Refresher) putState(ctx context.Context, series fare.Series, s *seriesState, added *score.Contribution) error {
	now := store.Departures{Any: store.States.Pack(&s.any.State)}
	stored, err := now.Any.Value()
	if err == nil {
		s.any.State = *stored
	}
	if err == nil && s.nonStop != nil {
		now.NonStop = store.States.Pack(&s.nonStop.State)
		if stored, err = now.NonStop.Value(); err == nil {
			s.nonStop.State = *stored
		}
	}
	if err != nil {
		return fmt.Errorf("store departures of %s: %w", series, err)
	}
	if r.Replay != nil {
		return r.Replay.putState(ctx, r, series, *s, now, added)
	}
	now.Learning = s.learning()
	return r.Fares.PutDepartures(ctx, series, s.stored, now, contributionOf(s.any.AsOf, added))
}

func (s *seriesState) learning() store.Stored[store.Learning] {
	open := store.Learning{All: s.any.Questions, Rounds: s.rounds}
	if s.nonStop != nil {
		open.NonStop = s.nonStop.Questions
	}
	return store.Learnings.Pack(open)
}

func contributionOf(day fare.Day, added *score.Contribution) store.Contribution {
	if added == nil {
		return store.Contribution{}
	}
	return store.NewContribution(day, added, (day + contributionDays).Time())
}
