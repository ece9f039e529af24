package refresh

import (
	"context"
	"maps"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict/departure"
	"verdetto/shared/verdict/score"
)

// keepScore judges with the stored form of the state, as answers to users do.
func (s *seriesState) keepScore(from score.Source, c *score.Counts) error {
	from.State = &s.any.State
	if s.rounds.Due(from.Day) {
		stored, err := store.States.Pack(&s.any.State).Value()
		if err != nil {
			return err
		}
		from.State = stored
	}
	s.rounds = s.rounds.Refresh(from, c)
	return nil
}

type scoreTally struct {
	fares  store.Fares
	source string
	sum    *score.Sum
	weeks  map[fare.Day]*score.Sum
}

func (t *scoreTally) add(ctx context.Context, cycle fare.Day, c *score.Counts) error {
	if c.Empty() {
		return nil
	}
	if err := t.read(ctx); err != nil {
		return err
	}
	monday := fare.CycleOf(cycle).First()
	week := t.weeks[monday]
	if week == nil {
		var err error
		if week, err = t.fares.ScoreOfWeek(ctx, monday); err != nil {
			return err
		}
		t.weeks[monday] = week
	}
	t.sum.Add(cycle, t.source, c)
	week.Add(cycle, t.source, c)
	return nil
}

func (t *scoreTally) read(ctx context.Context) (err error) {
	if t.sum == nil {
		t.sum, err = t.fares.ScoreSum(ctx, store.Strong)
		t.weeks = map[fare.Day]*score.Sum{}
	}
	return err
}

func (t *scoreTally) learn(ctx context.Context, p *departure.Pooled, before, last fare.Day) error {
	monday := fare.CycleOf(last + 1).First()
	if monday == fare.CycleOf(before+1).First() {
		return nil
	}
	if err := t.read(ctx); err != nil {
		return err
	}
	from := monday - 7*score.MaxWeeks
	all, err := t.fares.ScoreWeeks(ctx, from, store.Strong)
	if err != nil {
		return err
	}
	maps.Copy(all, t.weeks)
	if e := score.Learn(t.sum, score.Whole(all, monday)); e != nil {
		p.Experience = e
	}
	return nil
}

func (t *scoreTally) changed() store.Score {
	if len(t.weeks) == 0 {
		return store.Score{}
	}
	return store.Score{Sum: t.sum, Weeks: t.weeks}
}
