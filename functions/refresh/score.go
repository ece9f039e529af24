package refresh

import (
	"context"
	"maps"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict/departure"
	"verdetto/shared/verdict/score"
)

// keepScore compares past answers about a series with what happened since, and records today's
// answers for a later comparison. It uses the state as stored, because answers to users do too.
func (s *seriesState) keepScore(from score.Source, c *score.Counts) error {
	from.State = &s.any.State
	if s.rounds.Due(from.Day) {
		stored, err := departure.DecodeState(s.any.Encode())
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
		data, err := t.fares.ScoreOfWeek(ctx, monday)
		if err != nil {
			return err
		}
		if week, err = score.DecodeSum(data); err != nil {
			return err
		}
		t.weeks[monday] = week
	}
	t.sum.Add(cycle, t.source, c)
	week.Add(cycle, t.source, c)
	return nil
}

func (t *scoreTally) read(ctx context.Context) error {
	if t.sum != nil {
		return nil
	}
	data, err := t.fares.ScoreSum(ctx, store.Strong)
	if err != nil {
		return err
	}
	if t.sum, err = score.DecodeSum(data); err != nil {
		return err
	}
	t.weeks = map[fare.Day]*score.Sum{}
	return nil
}

// learn updates the record of past outcomes in the pooled statistics from the score, once a week
// has ended between the days before and last.
func (t *scoreTally) learn(ctx context.Context, p *departure.Pooled, before, last fare.Day) error {
	monday := fare.CycleOf(last + 1).First() // of the first week that is not over
	if monday == fare.CycleOf(before+1).First() {
		return nil
	}
	if err := t.read(ctx); err != nil {
		return err
	}
	from := monday - 7*score.MaxWeeks
	stored, err := t.fares.ScoreWeeks(ctx, from, store.Strong)
	if err != nil {
		return err
	}
	all := maps.Clone(t.weeks)
	for _, w := range stored {
		if all[w.Monday] == nil {
			if all[w.Monday], err = score.DecodeSum(w.Data); err != nil {
				return err
			}
		}
	}
	if e := score.Learn(t.sum, score.Whole(all, monday)); e != nil {
		p.Experience = e
	}
	return nil
}

func (t *scoreTally) encode() (s store.Score) {
	if len(t.weeks) == 0 {
		return s
	}
	s.Sum, s.Weeks = t.sum.Encode(), map[fare.Day][]byte{}
	for monday, week := range t.weeks {
		s.Weeks[monday] = week.Encode()
	}
	return s
}
