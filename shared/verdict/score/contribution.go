package score

import (
	"fmt"

	"verdetto/shared/fare"
	"verdetto/shared/fare/packed"
	"verdetto/shared/verdict/departure"
)

// Contribution holds the statistics that refreshes compute in one cycle, one complete pass over all
// series (route and kind of trip). Learned is for the rule that judges departures; Counts is for
// the score.
type Contribution struct {
	Learned departure.Statistics
	Counts  Counts
}

const (
	contributionFormat = 2
	sumFormat          = 1
)

// Empty reports whether l holds no statistics and no counts.
func (l *Contribution) Empty() bool { return l.Learned == departure.Statistics{} && l.Counts.Empty() }

// Add adds the statistics and counts in other to l.
func (l *Contribution) Add(other *Contribution) {
	l.Learned.Add(&other.Learned)
	l.Counts.Add(&other.Counts)
}

// Encode packs the statistics and counts.
func (l *Contribution) Encode() []byte {
	w := packed.NewWriter(contributionFormat, 900)
	w.Bytes(l.Learned.Encode())
	w.Bytes(l.Counts.Encode())
	return w
}

// DecodeContribution parses the bytes that Contribution.Encode returned.
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

// Sum holds the sum of the counts of several cycles. Since is the day of the first of these cycles,
// Until the day of the last. Source is the source of the fares.
type Sum struct {
	Since, Until fare.Day // 0: no counts
	Source       string   // the source's own name
	Counts
}

// Add adds the counts of one cycle to the sum.
func (s *Sum) Add(cycle fare.Day, source string, c *Counts) {
	if s.Since == 0 {
		s.Since = cycle
	}
	s.Until, s.Source = max(s.Until, cycle), source
	s.Counts.Add(c)
}

// Encode packs a sum.
func (s *Sum) Encode() []byte {
	w := packed.NewWriter(sumFormat, 1024)
	w.Int(int64(s.Since), int64(s.Until))
	w.Bytes([]byte(s.Source))
	w.Bytes(s.Counts.Encode())
	return w
}

// DecodeSum parses the bytes that Sum.Encode returned. If data is empty, it returns an empty sum.
func DecodeSum(data []byte) (*Sum, error) {
	s := new(Sum)
	if len(data) == 0 {
		return s, nil
	}
	r := packed.NewReader(data, sumFormat)
	since, until, source, counts := r.Int(), r.Int(), string(r.Bytes()), r.Bytes()
	if max(since, -since, until, -until) > maxDay {
		r.Fail(errRange)
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
