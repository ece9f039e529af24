package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"verdetto/shared/fare"
)

// The score lies in a partition of its own: its sum, and an item for each week,
// that of the Monday on which it begins. Both are written with the pooled part,
// by who closes a cycle, and so each cycle is in them once.
const (
	scorePartition  = "SCORE"
	scoreSum        = "SUM"
	scoreWeekPrefix = "WEEK#"
)

// Score is what is written of the score when cycles are closed. What has no data is not written.
type Score struct {
	Sum   []byte              // score.Sum
	Weeks map[fare.Day][]byte // score.Sum, by the first day of the week
}

// ScoreWeek is the encoded score of the week that begins on Monday.
type ScoreWeek struct {
	Monday fare.Day
	Data   []byte
}

func weekKey(monday fare.Day) Key { return Key{scorePartition, scoreWeekPrefix + monday.String()} }

func (s Score) ops() (ops []Op) {
	if s.Sum != nil {
		ops = append(ops, Op{Mode: Set, Item: Item{Key: Key{scorePartition, scoreSum}, Data: s.Sum}})
	}
	for _, monday := range slices.Sorted(maps.Keys(s.Weeks)) {
		ops = append(ops, Op{Mode: Set, Item: Item{Key: weekKey(monday), Data: s.Weeks[monday]}})
	}
	return ops
}

// ScoreSum gives the encoded sum of the score; nothing where nothing was counted yet.
func (f Fares) ScoreSum(ctx context.Context, read Consistency) ([]byte, error) {
	return f.score(ctx, Key{scorePartition, scoreSum}, read)
}

// ScoreOfWeek gives, read strongly, the encoded score of the week that begins on
// a Monday; nothing where nothing was counted in it yet.
func (f Fares) ScoreOfWeek(ctx context.Context, monday fare.Day) ([]byte, error) {
	return f.score(ctx, weekKey(monday), Strong)
}

func (f Fares) score(ctx context.Context, key Key, read Consistency) ([]byte, error) {
	item, err := f.Table.Get(ctx, key, read)
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the score: %w", err)
	}
	return item.Data, nil
}

// ScoreWeeks lists the scores of the weeks that begin on a Monday or later, in order.
func (f Fares) ScoreWeeks(ctx context.Context, from fare.Day, read Consistency) ([]ScoreWeek, error) {
	items, err := f.Table.Query(ctx, Range{Partition: scorePartition, Prefix: scoreWeekPrefix, After: scoreWeekPrefix + (from - 1).String(), Read: read})
	if err != nil {
		return nil, fmt.Errorf("read the score by week: %w", err)
	}
	weeks := make([]ScoreWeek, len(items))
	for i, item := range items {
		if weeks[i].Monday, err = fare.ParseDay(item.Sort[len(scoreWeekPrefix):]); err != nil {
			return nil, fmt.Errorf("read the score by week: %w", err)
		}
		weeks[i].Data = item.Data
	}
	return weeks, nil
}
