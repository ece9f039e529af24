package store

import (
	"context"
	"errors"
	"maps"
	"slices"

	"verdetto/shared/fare"
	"verdetto/shared/verdict/score"
)

// PutPooled writes the score together with the pooled statistics, so that each day counts once.
const (
	scorePartition  = "SCORE"
	scoreWeekPrefix = "WEEK#"
)

var scoreSumKey = Key{scorePartition, "SUM"}

var sums = &record[*score.Sum]{"score", score.DecodeSum, (*score.Sum).Encode}

type Score struct {
	Sum   *score.Sum
	Weeks map[fare.Day]*score.Sum
}

func weekKey(monday fare.Day) Key { return Key{scorePartition, scoreWeekPrefix + monday.String()} }

func (s Score) ops() (ops []Op) {
	if s.Sum != nil {
		ops = append(ops, set(Item{Key: scoreSumKey, Data: sums.encode(s.Sum)}))
	}
	for _, monday := range slices.Sorted(maps.Keys(s.Weeks)) {
		ops = append(ops, set(Item{Key: weekKey(monday), Data: sums.encode(s.Weeks[monday])}))
	}
	return ops
}

func (f Fares) ScoreSum(ctx context.Context, read Consistency) (*score.Sum, error) {
	return f.score(ctx, scoreSumKey, read)
}

func (f Fares) ScoreOfWeek(ctx context.Context, monday fare.Day) (*score.Sum, error) {
	return f.score(ctx, weekKey(monday), Strong)
}

// score fails if the stored score has an unknown format, since no refresh can compute the score anew.
func (f Fares) score(ctx context.Context, key Key, read Consistency) (*score.Sum, error) {
	sum, version, err := sums.value(ctx, f.Table, key, read)
	if version == 0 && errors.Is(err, ErrNotFound) {
		return new(score.Sum), nil
	}
	return sum, err
}

func (f Fares) ScoreWeeks(ctx context.Context, from fare.Day, read Consistency) (map[fare.Day]*score.Sum, error) {
	after := scoreWeekPrefix + (from - 1).String()
	items, err := f.Table.Query(ctx, Range{Partition: scorePartition, Prefix: scoreWeekPrefix, After: after, Read: read})
	weeks := map[fare.Day]*score.Sum{}
	for _, item := range items {
		monday, fault := fare.ParseDay(item.Sort[len(scoreWeekPrefix):])
		if fault == nil {
			weeks[monday], fault = sums.decode(item.Data)
		}
		err = errors.Join(err, fault)
	}
	return weeks, wrap(err, "read the score by week")
}
