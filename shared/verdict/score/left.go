package score

import (
	"fmt"

	"verdetto/shared/fare"
	"verdetto/shared/fare/packed"
	"verdetto/shared/verdict/departure"
)

// Left is what a series leaves in a cycle: for the pooled part of the rule, and for the score.
type Left struct {
	Learned departure.Statistics
	Counts  Counts
}

const (
	leftFormat = 2 // 1 is that of departure.Statistics alone
	sumFormat  = 1
)

// Empty tells whether nothing is left.
func (l *Left) Empty() bool { return l.Learned == departure.Statistics{} && l.Counts.Empty() }

// Add adds what others have left.
func (l *Left) Add(other *Left) {
	l.Learned.Add(&other.Learned)
	l.Counts.Add(&other.Counts)
}

// Encode packs what is left; without counts as departure.Statistics.
func (l *Left) Encode() []byte {
	if l.Counts.Empty() {
		return l.Learned.Encode()
	}
	w := packed.NewWriter(leftFormat, 900)
	w.Bytes(l.Learned.Encode())
	w.Bytes(l.Counts.Encode())
	return w
}

// DecodeLeft reads what Encode wrote, also of a version that kept no score.
func DecodeLeft(data []byte) (*Left, error) {
	var counts []byte
	if len(data) > 0 && data[0] == leftFormat {
		r := packed.NewReader(data, leftFormat)
		data, counts = r.Bytes(), r.Bytes()
		if err := r.Err(); err != nil {
			return nil, fmt.Errorf("decode what was left: %w", err)
		}
	}
	learned, err := departure.DecodeStatistics(data)
	if err != nil {
		return nil, err
	}
	l := &Left{Learned: *learned}
	if counts != nil {
		c, err := DecodeCounts(counts)
		if err != nil {
			return nil, err
		}
		l.Counts = *c
	}
	return l, nil
}

// Sum is all that was counted, from which cycle to which, and of which source's fares.
type Sum struct {
	Since, Until fare.Day // 0: nothing was counted
	Source       string   // as it calls itself
	Counts
}

// Add adds what was left for a cycle.
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

// DecodeSum reads what Encode wrote; of nothing it gives an empty sum.
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
