// Package score compares the service's verdicts with their outcomes. It does no I/O: refreshes
// store its results, and a replay of the same recorded fares produces the same results.
//
// # How it works
//
// The first refresh of a series in a week creates a Round. It holds that day's answers about the
// route and about up to PerRound departures with a fare. A hash of the day and the day of departure
// selects the departures, before any outcome is known.
//
// After 7 days a refresh looks up the outcomes in the history. The chance within 14 days waits for
// 14 days, the interval of the route's percentile for 28. It adds them to Counts, which are
// integers, so that sums do not depend on their order. Answers that cannot be compared are counted
// by Reason. Counts never decrease.
//
// A round stores the answers themselves; later rules do not recompute them.
package score

import (
	"fmt"
	"slices"

	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
)

const (
	// Rule is the version of the rules behind the verdicts. Raise it with every change that moves
	// levels, percentiles, chances or intervals. Answers of an earlier version are not compared.
	Rule = 2

	// PerRound is the maximum number of departures of a series to compare per week.
	PerRound = 12

	// StaleDays is the age of a fare, in days, from which it is not compared. It may no longer have
	// been available when the answer was given.
	StaleDays = 3

	// IntervalDays is the number of days after a verdict before its interval is checked.
	IntervalDays = 28
)

// Reason says why an answer could not be compared with an outcome.
type Reason int

// The reasons; Reasons is their number.
const (
	Gone        Reason = iota // the departure leaves within the horizon
	Unseen                    // it was not seen again within the horizon
	Stale                     // the fare was at least StaleDays old
	RuleChanged               // the version of the rules changed
	Currency                  // the currency of the series changed
	Reasons
)

// The sizes of the tables of Counts.
const (
	Horizons = 2                    // 7 and 14 days
	Levels   = 4                    // ottimo to caro
	Spans    = 5                    // lead-time spans
	Sures    = 3                    // alta, media, bassa
	Ages     = 2                    // found on the day, or up to StaleDays-1 days before
	Steps    = departure.CurveSteps // of the rule's own chance, 5 points each
	Bands    = 9                    // of the published chance, 5 points each; the last is 40 % and more
	Places   = 20                   // of the percentile, 5 points each
)

// LeadEdges are the lead times, in days, at which the second and later spans begin.
var LeadEdges = [Spans - 1]int{7, 21, 45, 90}

// LeadSpan returns the span of a lead time.
func LeadSpan(lead int) int {
	n := 0
	for _, e := range LeadEdges {
		if lead >= e {
			n++
		}
	}
	return n
}

// LeadName returns the name of a span, such as 7-20 or 90+.
func LeadName(span int) string {
	from := 0
	if span > 0 {
		from = LeadEdges[span-1]
	}
	if span == len(LeadEdges) {
		return fmt.Sprintf("%d+", from)
	}
	return fmt.Sprintf("%d-%d", from, LeadEdges[span]-1)
}

// Counts holds the outcomes of answers. Stated and Shuffled are sums of hundredths, Change of
// ten-thousandths.
type Counts struct {
	Rounds   int64 // rounds with at least one answer compared or missed
	Horizons [Horizons]HorizonCounts
	Places   [Sures][Places]int64 // percentiles of departures, by reliability
	Route    RouteCounts
	Leads    [Spans][Places]int64 // percentiles of departures, by lead time
}

// HorizonCounts holds the outcomes of answers about departures, for one horizon.
type HorizonCounts struct {
	Missed [Reasons]int64 // not comparable
	Own    [Steps]Case    // by the rule's own chance; Stated is in half percent
	Bands  [Bands]Wait    // by published chance
	Levels [Levels][Spans]Cell
	Both   [Levels]Pair // answers that also have a rival, by the rule's level
	Rival  [Levels]Pair // the same answers, by the rival's level
	Ages   [Ages]Case
	Sures  [Sures]Case
}

// Case counts answers, the sum of their stated chances, and the falls.
type Case struct{ N, Stated, Fell int64 }

// Wait counts the outcomes of waiting.
type Wait struct {
	N, Stated, Fell, Rose int64
	Dearer, Change        int64 // of the last fare seen within the horizon
}

// Cell counts the outcomes after a level at some lead times. Shuffled is the expected number of
// falls if every fare were a random comparable, in hundredths.
type Cell struct{ N, Fell, Rose, Shuffled int64 }

// Pair counts answers and falls.
type Pair struct{ N, Fell int64 }

// RouteCounts holds the outcomes of verdicts about a route's cheapest fare of any date.
type RouteCounts struct {
	Missed    [Reasons]int64
	Levels    [Levels]RouteCell
	Places    [Places]int64
	Intervals [Sures]Covered
}

// RouteCell counts the changes of the route's cheapest fare within a week.
type RouteCell struct{ N, Fell, Rose, Change int64 }

// Covered counts 90 % intervals and how many of them covered the outcome.
type Covered struct{ N, Covered int64 }

// each calls do for all numbers, in the stored order. Append new numbers of Counts at the end.
func (c *Counts) each(do func(*int64)) {
	do(&c.Rounds)
	all := func(ns []int64) {
		for i := range ns {
			do(&ns[i])
		}
	}
	cases := func(cs []Case) {
		for i := range cs {
			do(&cs[i].N)
			do(&cs[i].Stated)
			do(&cs[i].Fell)
		}
	}
	pairs := func(ps []Pair) {
		for i := range ps {
			do(&ps[i].N)
			do(&ps[i].Fell)
		}
	}
	for i := range c.Horizons {
		h := &c.Horizons[i]
		all(h.Missed[:])
		cases(h.Own[:])
		for b := range h.Bands {
			w := &h.Bands[b]
			for _, n := range []*int64{&w.N, &w.Stated, &w.Fell, &w.Rose, &w.Dearer, &w.Change} {
				do(n)
			}
		}
		for l := range h.Levels {
			for s := range h.Levels[l] {
				cell := &h.Levels[l][s]
				for _, n := range []*int64{&cell.N, &cell.Fell, &cell.Rose, &cell.Shuffled} {
					do(n)
				}
			}
		}
		pairs(h.Both[:])
		pairs(h.Rival[:])
		cases(h.Ages[:])
		cases(h.Sures[:])
	}
	for i := range c.Places {
		all(c.Places[i][:])
	}
	all(c.Route.Missed[:])
	for i := range c.Route.Levels {
		cell := &c.Route.Levels[i]
		for _, n := range []*int64{&cell.N, &cell.Fell, &cell.Rose, &cell.Change} {
			do(n)
		}
	}
	all(c.Route.Places[:])
	for i := range c.Route.Intervals {
		do(&c.Route.Intervals[i].N)
		do(&c.Route.Intervals[i].Covered)
	}
	for i := range c.Leads {
		all(c.Leads[i][:])
	}
}

// Add adds other counts.
func (c *Counts) Add(other *Counts) {
	var more []int64
	other.each(func(n *int64) { more = append(more, *n) })
	i := 0
	c.each(func(n *int64) { *n += more[i]; i++ })
}

// Empty reports whether all counts are 0.
func (c *Counts) Empty() bool { return *c == Counts{} }

// Compared returns the number of compared answers of a horizon.
func (h *HorizonCounts) Compared() (n int64) {
	for _, b := range h.Bands {
		n += b.N
	}
	return n
}

// Stated returns the number of all answers of a horizon.
func (h *HorizonCounts) Stated() int64 { return h.Compared() + total(h.Missed[:]) }

// Compared returns the number of compared verdicts about routes.
func (r *RouteCounts) Compared() (n int64) {
	for _, l := range r.Levels {
		n += l.N
	}
	return n
}

// Stated returns the number of all verdicts about routes.
func (r *RouteCounts) Stated() int64 { return r.Compared() + total(r.Missed[:]) }

func total(all []int64) (n int64) {
	for _, v := range all {
		n += v
	}
	return n
}

// order returns the departures in the order in which they enter a round of a day.
func order(live []departure.Live, day fare.Day) []departure.Live {
	hash := func(l departure.Live) uint64 { // splitmix64
		x := uint64(day)<<32 ^ uint64(l.Depart)
		x += 0x9e3779b97f4a7c15
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		return x ^ x>>31
	}
	taken := slices.Clone(live)
	slices.SortFunc(taken, func(a, b departure.Live) int {
		if hash(a) < hash(b) {
			return -1
		}
		return 1
	})
	return taken
}
