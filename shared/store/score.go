package store

import (
	"context"
	"maps"
	"slices"

	"verdetto/shared/fare"
)

// The score counts how often published verdicts were right: one sum over all time, and one item per
// week. Both are written together with the statistics of a cycle, so each cycle counts once.
const (
	scorePartition  = "SCORE"
	scoreWeekPrefix = "WEEK#"
)

var scoreSumKey = Key{scorePartition, "SUM"}

// Score holds the parts of the stored score that one write changes, without those that lack data.
type Score struct {
	Sum   []byte              // score.Sum
	Weeks map[fare.Day][]byte // score.Sum, by the first day of the week
}

// ScoreWeek is the encoded score of a week.
type ScoreWeek struct {
	Monday fare.Day
	Data   []byte
}

func weekKey(monday fare.Day) Key { return Key{scorePartition, scoreWeekPrefix + monday.String()} }

func (s Score) ops() (ops []Op) {
	if s.Sum != nil {
		ops = append(ops, set(Item{Key: scoreSumKey, Data: s.Sum}))
	}
	for _, monday := range slices.Sorted(maps.Keys(s.Weeks)) {
		ops = append(ops, set(Item{Key: weekKey(monday), Data: s.Weeks[monday]}))
	}
	return ops
}

// ScoreSum returns the encoded score over all time, or nil before the first cycle.
func (f Fares) ScoreSum(ctx context.Context, read Consistency) ([]byte, error) {
	data, _, err := f.get(ctx, scoreSumKey, read, "the score")
	return data, unless(err, ErrNotFound)
}

// ScoreOfWeek returns the encoded score of the week that begins on the given Monday, or nil. The
// read is strong.
func (f Fares) ScoreOfWeek(ctx context.Context, monday fare.Day) ([]byte, error) {
	data, _, err := f.get(ctx, weekKey(monday), Strong, "the score")
	return data, unless(err, ErrNotFound)
}

// ScoreWeeks returns the scores of the weeks that begin on the given Monday or later, oldest first.
func (f Fares) ScoreWeeks(ctx context.Context, from fare.Day, read Consistency) ([]ScoreWeek, error) {
	after := scoreWeekPrefix + (from - 1).String()
	r := Range{Partition: scorePartition, Prefix: scoreWeekPrefix, After: after, Read: read}
	weeks, err := list(ctx, f.Table, r, func(item Item) (ScoreWeek, error) {
		monday, err := fare.ParseDay(item.Sort[len(scoreWeekPrefix):])
		return ScoreWeek{monday, item.Data}, err
	})
	return weeks, wrap(err, "read the score by week")
}
