package notify

import (
	"fmt"
	"slices"

	"verdetto/shared/fare"
	"verdetto/shared/fare/packed"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
)

// A history has at most one observation per day, oldest first.
type history []Observation

const maxHistory = 64

// add first removes observations whose day comes from a wrong clock. It then replaces an
// observation of the same day, or ignores e if h has a later day.
func (h history) add(e Observation) history {
	for len(h) > 0 && store.IsWrongDay(h[len(h)-1].Day, e.Day) {
		h = h[:len(h)-1]
	}
	if n := len(h); n > 0 && h[n-1].Day >= e.Day {
		if h[n-1].Day > e.Day {
			return h
		}
		h = h[:n-1]
	}
	h = append(slices.Clip(h), e)
	return h[max(0, len(h)-maxHistory):]
}

// format is the first byte of a stored history without Observation.Low, and of stored news without
// a known flight.
const format = 1

// Stored histories and news contain indexes into these lists, so append new names at the end.
var (
	levels        = []verdict.Level{verdict.Unjudged, verdict.Great, verdict.Good, verdict.Fair, verdict.Expensive}
	reliabilities = []verdict.Reliability{"", verdict.HighReliability, verdict.MediumReliability, verdict.LowReliability}
)

func oneOf[T ~string](words []T, r *packed.Reader) T {
	at := r.Int()
	if at < 0 || at >= int64(len(words)) {
		r.Fail(fmt.Errorf("%d is not one of %d", at, len(words)))
		return ""
	}
	return words[at]
}

const withLows = 2

func (h history) encode() []byte {
	first := format
	if slices.ContainsFunc(h, func(e Observation) bool { return e.Low > 0 }) {
		first = withLows
	}
	w := packed.NewWriter(byte(first), 8*len(h)+2)
	w.Int(int64(len(h)))
	day := fare.Day(0)
	for _, e := range h {
		w.Int(int64(e.Day-day), int64(e.Price), int64(slices.Index(levels, e.Level)))
		if first == withLows {
			w.Int(int64(e.Low))
		}
		day = e.Day
	}
	return w
}

func decodeHistory(data []byte) (history, error) {
	if len(data) == 0 {
		return nil, nil
	}
	first := format
	if data[0] == withLows {
		first = withLows
	}
	r := packed.NewReader(data, byte(first))
	var h history
	day := fare.Day(0)
	for range r.Count(r.Int()) {
		day += fare.Day(r.Int())
		e := Observation{Day: day, Price: fare.Cents(r.Int()), Level: oneOf(levels, &r)}
		if first == withLows {
			e.Low = fare.Day(r.Int())
		}
		h = append(h, e)
	}
	if err := r.Err(); err != nil {
		return nil, fmt.Errorf("decode a history of refreshes: %w", err)
	}
	return h, nil
}

// dueOf reports whether to notify the subscriber of the last observation in h.
func dueOf(a store.Alert, h history) (due bool, s State) {
	w, s := watchOf(a), stateOf(a)
	if len(h) == 0 {
		return false, s
	}
	if store.IsWrongDay(a.Mailed, h[len(h)-1].Day) {
		a.Mailed, s.LastDay = 0, 0
	}
	for _, seen := range h[:len(h)-1] {
		if seen.Day >= max(a.Mailed, a.Since) {
			s = w.Pass(s, seen)
		}
	}
	last := h[len(h)-1]
	if last.Day < a.Paused || last.Day < a.Since {
		return false, s
	}
	if a.Digest {
		return false, w.Pass(s, last)
	}
	return w.Due(s, last)
}

// If no earlier observation is as cheap, lowFor adds the Low of the oldest observation, because h
// contains only the latest observations.
func (h history) lowFor(seen Observation) fare.Day {
	for i := len(h) - 1; i >= 0; i-- {
		e := h[i]
		if e.Day < seen.Day && e.Price <= seen.Price {
			return seen.Day - e.Day
		}
	}
	for _, e := range h {
		if e.Day < seen.Day {
			return seen.Day - e.Day + e.Low
		}
	}
	return 0
}

// If the price is unchanged, lowThisWeek counts back from the day on which this price was first
// seen, at most 6 days before seen.Day, so that an unchanged low price remains a low.
func (h history) lowThisWeek(seen Observation) fare.Day {
	today := seen.Day
	for len(h) > 0 && h[len(h)-1].Price == seen.Price && h[len(h)-1].Day > today-7 {
		seen, h = h[len(h)-1], h[:len(h)-1]
	}
	return max(seen.Low, h.lowFor(seen))
}
