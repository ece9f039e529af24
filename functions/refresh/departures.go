package refresh

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
	"verdetto/shared/verdict/score"
)

// The rule for one departure is a fold over days. A refresh of a series folds every
// earlier day with fares that is not folded yet into the series' sheet, with the
// pooled part of the last complete cycle, and leaves statistics for its own cycle.
// Sheets, open questions and statistics are written together, so a day is folded
// and scored once, wherever a refresh is killed.

// pooled reads the cycle that was completed last; nothing where none ever was.
func (r *Refresher) pooled(ctx context.Context) (departure.Cycle, error) {
	c, _, err := r.pooledVersion(ctx, store.Eventual)
	return c, err
}

func (r *Refresher) pooledVersion(ctx context.Context,
	read store.Consistency) (c departure.Cycle, version int64, err error) {
	data, version, err := r.Fares.Pooled(ctx, read)
	if errors.Is(err, store.ErrNotFound) {
		return c, 0, nil
	}
	if err == nil {
		c, err = departure.DecodeCycle(data)
	}
	if isDayAhead(c.Day, fare.DayOf(r.Now())) {
		c = departure.Cycle{}
	}
	return c, version, err
}

// seriesState is what is kept of the departures of a series, as it was read.
type seriesState struct {
	any, nonStop *departure.Learner // nonStop is nil where there is no sheet of its own
	said         score.Rounds       // of all fares
	stored       store.Departures
}

func (r *Refresher) readState(ctx context.Context, of fare.Series) (s seriesState, err error) {
	if s.stored, err = r.Fares.Departures(ctx, of); err != nil {
		return s, err
	}
	var open departure.Learning
	if s.stored.Learning.Version > 0 {
		if open, err = departure.DecodeLearning(s.stored.Learning.Data); err != nil {
			return s, fmt.Errorf("read departures of %s: %w", of, err)
		}
		if s.said, err = score.DecodeRounds(open.Said); err != nil {
			return s, fmt.Errorf("read what was said of %s: %w", of, err)
		}
	}
	if s.any, err = decodeState(s.stored.Any, open.All); err == nil && s.stored.NonStop.Version > 0 {
		s.nonStop, err = decodeState(s.stored.NonStop, open.NonStop)
	}
	if err != nil {
		return s, fmt.Errorf("read departures of %s: %w", of, err)
	}
	if isDayAhead(s.any.AsOf, fare.DayOf(r.Now())) { // made anew from the whole history
		s.any, s.nonStop, s.said = &departure.Learner{}, nil, score.Rounds{}
	}
	return s, nil
}

func decodeState(stored store.Versioned, open departure.Questions) (*departure.Learner, error) {
	if stored.Version == 0 {
		return &departure.Learner{}, nil
	}
	sheet, err := departure.DecodeState(stored.Data)
	if err != nil {
		return nil, err
	}
	return &departure.Learner{State: *sheet, Questions: open}, nil
}

// prepare brings a state into the currency of a summary, says which fares there
// are, and makes the state of those without stops where they are not all.
func (s *seriesState) prepare(summary verdict.RouteSummary, q verdict.DayQuotes) {
	if s.nonStop == nil && q.StopsKnown && q.SomeStops {
		s.nonStop = &departure.Learner{} // made from the whole history
		if s.any.Stops == departure.AllNonStop {
			s.nonStop = s.any.Clone() // until now they were all
		}
	}
	s.any.In(summary.Currency, summary.PerEuro)
	s.any.Facts = summary.Facts()
	switch {
	case s.nonStop != nil:
		without, _ := summary.WithoutStops()
		s.nonStop.Facts = without.Facts()
		s.any.Stops = departure.SomeStops
		s.nonStop.In(summary.Currency, summary.PerEuro)
		s.nonStop.Stops = departure.OnlyNonStop
	case q.StopsKnown:
		s.any.Stops = departure.AllNonStop
	default:
		s.any.Stops = departure.StopsUnknown
	}
}

// quotesFrom is the first day of which a state wants to see the fares, for a summary
// of its series: those of the last days are looked at again for what is live, those
// that were spoken of for what came of it.
func (s *seriesState) quotesFrom(summary verdict.RouteSummary) fare.Day {
	from := min(s.any.AsOf, summary.AsOf-departure.LiveDays, s.said.From(summary.AsOf))
	if s.nonStop != nil {
		return min(from, s.nonStop.AsOf)
	}
	if _, known := summary.WithoutStops(); known && s.any.Stops != departure.AllNonStop {
		return 0 // those without stops begin to be told apart, on all days
	}
	return from
}

// foldDepartures brings what is kept of a series' departures to the day of a refresh.
func (r *Refresher) foldDepartures(ctx context.Context, of fare.Series, history []fare.Observation,
	summary verdict.RouteSummary, pooled departure.Cycle) error {
	s, err := r.readState(ctx, of)
	if err != nil {
		return err
	}
	today := summary.AsOf
	if s.any.AsOf > today {
		return nil // made by a later refresh
	}
	q := summary.DayQuotes(history, s.quotesFrom(summary), r.Rates)
	s.prepare(summary, q)
	if pooled.Pooled == nil {
		pooled.Pooled = departure.Start(today)
	}
	var left score.Left
	var unused departure.Statistics
	again, fares := s.any.AsOf == today, q.All
	s.any.Advance(today, pooled.Pooled, fares, &left.Learned)
	if s.nonStop != nil {
		// Fares without stops are among all fares: counted once, they leave nothing.
		s.nonStop.Advance(today, pooled.Pooled, q.NonStop, &unused)
	}
	if err := s.keepScore(score.Source{Day: today, Pooled: pooled.Pooled, Summary: summary, Quotes: fares},
		&left.Counts); err != nil {
		return fmt.Errorf("keep the score of %s: %w", of, err)
	}
	w := store.Left{}
	if !left.Empty() {
		if again { // something came late: it comes on top of what was left today
			if err := r.addLeft(ctx, of, today, &left); err != nil {
				return err
			}
		}
		w = store.Left{Cycle: today, Data: left.Encode(), Expires: (today + keepLeft).Time()}
	}
	return r.Fares.PutDepartures(ctx, of, s.changes(), w)
}

// addLeft adds what a series has left for a cycle so far. It is written together
// with the sheet that it belongs to, so it is of the sheet that was read, or the write fails.
func (r *Refresher) addLeft(ctx context.Context, of fare.Series, cycle fare.Day, left *score.Left) error {
	data, err := r.Fares.LeftBy(ctx, of, cycle)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	had, err := score.DecodeLeft(data)
	if err != nil {
		return fmt.Errorf("read what %s left: %w", of, err)
	}
	left.Add(had)
	return nil
}

// changes are the items to be written: those that differ from what was read.
func (s *seriesState) changes() store.Departures {
	open := departure.Learning{All: s.any.Questions, Said: s.said.Encode()}
	var d store.Departures
	d.Any = changed(s.stored.Any, s.any.Encode())
	if s.nonStop != nil {
		open.NonStop = s.nonStop.Questions
		d.NonStop = changed(s.stored.NonStop, s.nonStop.Encode())
	}
	d.Learning = changed(s.stored.Learning, open.Encode())
	return d
}

// changed is an item to be written, without data where it is as it was.
func changed(had store.Versioned, data []byte) store.Versioned {
	if had.Version > 0 && slices.Equal(had.Data, data) {
		return store.Versioned{}
	}
	return store.Versioned{Data: data, Version: had.Version}
}
