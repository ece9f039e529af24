package score

import (
	"fmt"

	"verdetto/shared/fare"
	"verdetto/shared/fare/packed"
	"verdetto/shared/verdict/departure"
)

type Contribution struct {
	Learned departure.Statistics
	Counts  Counts
}

const (
	contributionFormat = 2
	sumFormat          = 1
)

func (l *Contribution) Empty() bool { return l.Learned == departure.Statistics{} && l.Counts.Empty() }

func (l *Contribution) Add(other *Contribution) {
	l.Learned.Add(&other.Learned)
	l.Counts.Add(&other.Counts)
}

func (l *Contribution) Encode() []byte {
	w := packed.NewWriter(contributionFormat, 900)
	w.Bytes(l.Learned.Encode())
	w.Bytes(l.Counts.Encode())
	return w
}

func DecodeContribution(data []byte) (*Contribution, error) {
	r := packed.NewReader(data, contributionFormat)
	first, second := r.Bytes(), r.Bytes()
	if err := r.Err(); err != nil {
		return nil, fmt.Errorf("decode contribution: %w", err)
	}
	learned, err := departure.DecodeStatistics(first)
	if err != nil {
		return nil, err
	}
	counts, err := DecodeCounts(second)
	if err != nil {
		return nil, err
	}
	return &Contribution{*learned, *counts}, nil
}

type Sum struct {
	Since, Until fare.Day
	Source       string
	Counts
}

func (s *Sum) Add(day fare.Day, source string, c *Counts) {
	if s.Since == 0 {
		s.Since = day
	}
	s.Until, s.Source = max(s.Until, day), source
	s.Counts.Add(c)
}

func (s *Sum) Encode() []byte {
	w := packed.NewWriter(sumFormat, 1024)
	w.Int(int64(s.Since), int64(s.Until))
	w.Bytes([]byte(s.Source))
	w.Bytes(s.Counts.Encode())
	return w
}

func DecodeSum(data []byte) (*Sum, error) {
	s := new(Sum)
	if len(data) == 0 {
		return s, nil
	}
	r := packed.NewReader(data, sumFormat)
	since, until, source, counts := r.Int(), r.Int(), string(r.Bytes()), r.Bytes()
	if max(since, -since, until, -until) > maxDay {
		r.Fail(packed.ErrRange)
	}
	err := r.Err()
	if err == nil {
		var c *Counts
		if c, err = DecodeCounts(counts); err == nil {
			*s = Sum{fare.Day(since), fare.Day(until), source, *c}
		}
	}
	if err != nil {
		return nil, fmt.Errorf("decode score: %w", err)
	}
	return s, nil
}
