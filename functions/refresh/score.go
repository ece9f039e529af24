package refresh

import (
	"context"

	"verdetto/shared/departure"
	"verdetto/shared/fare"
	"verdetto/shared/score"
	"verdetto/shared/store"
)

// keepScore counts what came of what was said of a series, and notes what is said
// of it now. What is said is read from the sheet as it is stored: answers are.
func (s *seriesState) keepScore(from score.Source, c *score.Counts) error {
	from.Sheet = &s.any.Sheet
	if s.said.Due(from.Day) {
		stored, err := departure.DecodeSheet(s.any.Encode())
		if err != nil {
			return err
		}
		from.Sheet = stored
	}
	s.said = s.said.Refresh(from, c)
	return nil
}

// scoreTally adds what was left for cycles to the score, in memory; written gives
// what is to be stored with the cycles.
type scoreTally struct {
	fares store.Fares
	sum   *score.Sum
	weeks map[fare.Day]*score.Sum
}

// add adds what was left for one cycle. The score is read when it is first needed.
func (t *scoreTally) add(ctx context.Context, cycle fare.Day, c *score.Counts) error {
	if c.Empty() {
		return nil
	}
	if t.sum == nil {
		data, err := t.fares.ScoreSum(ctx, store.Strong)
		if err != nil {
			return err
		}
		if t.sum, err = score.DecodeSum(data); err != nil {
			return err
		}
		t.weeks = map[fare.Day]*score.Sum{}
	}
	monday := fare.CycleOf(cycle).First()
	week := t.weeks[monday]
	if week == nil {
		data, err := t.fares.ScoreOfWeek(ctx, monday)
		if err != nil {
			return err
		}
		if week, err = score.DecodeSum(data); err != nil {
			return err
		}
		t.weeks[monday] = week
	}
	t.sum.Add(cycle, c)
	week.Add(cycle, c)
	return nil
}

func (t *scoreTally) written() (s store.Score) {
	if t.sum == nil {
		return s
	}
	s.Sum, s.Weeks = t.sum.Encode(), map[fare.Day][]byte{}
	for monday, week := range t.weeks {
		s.Weeks[monday] = week.Encode()
	}
	return s
}
