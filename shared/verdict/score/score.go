// Package score compares the service's verdicts with what happened afterwards. It does no I/O:
// refreshes store its results. A replay of the same recorded fares produces the same results.
//
// # How it works
//
// The first refresh of a series in a week creates a Round, which holds that day's answers about the
// route and about at most PerRound departures with a fare. A hash of the day and the day of
// departure selects the departures, before any outcome is known.
//
// After 7 days, and for the chance within 14 days after 14 days, a refresh looks up the outcomes in
// the history and adds them to Counts. Counts are integers, so that sums do not depend on the order
// of addition. Answers that cannot be compared are counted by Reason.
package score

import (
	"fmt"
	"slices"

	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
)

const (
	// Rule is the version of the rules behind the verdicts. Raise it with every change that moves
	// levels, percentiles or chances of a fall: answers of an earlier version are not compared with
	// outcomes.
	Rule = 3

	// PerRound is the maximum number of departures that a Round compares.
	PerRound = 12

	// StaleDays is the age, in days, from which a fare is not compared: it may no longer have been
	// available when the service answered.
	StaleDays = 3
)

// Reason is why an answer could not be compared with an outcome.
type Reason int

const (
	Gone   Reason = iota // departs within the horizon
	Unseen               // not seen within the horizon
	Stale                // the fare was at least StaleDays old
	RuleChanged
	Currency // the currency of the series changed
	Reasons
)

// The sizes of the tables in Counts.
const (
	Horizons = 2
	Levels   = 4
	Spans    = 5 // see LeadEdges
	Sures    = 3
	Ages     = 2                    // fares found on the day, or up to StaleDays-1 days before
	Steps    = departure.CurveSteps // cells of the rule's own chance of a fall, 5 points each
	Bands    = 9                    // cells of the published chance of a fall, 5 points each; the last is 40 % and more
	Places   = 20                   // cells of the percentile, 5 points each
)

// LeadEdges are the lead times, in days, at which the second and later ranges begin.
var LeadEdges = [Spans - 1]int{7, 21, 45, 90}

func LeadSpan(lead int) int {
	n := 0
	for _, e := range LeadEdges {
		if lead >= e {
			n++
		}
	}
	return n
}

// LeadName returns the name of a range of lead times, such as 7-20 or 90+.
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

// Counts holds the outcomes of answers, all as integers: Stated and Shuffled in hundredths, Change
// in ten-thousandths.
type Counts struct {
	Rounds   int64 // rounds whose outcomes within 7 days are counted
	Horizons [Horizons]HorizonCounts
	Places   [Sures][Places]int64 // percentiles of departures, by reliability
	Route    RouteCounts
	Leads    [Spans][Places]int64 // percentiles of departures, by lead time
}

type HorizonCounts struct {
	Missed [Reasons]int64 // answers that were not compared
	Own    [Steps]Case    // by the rule's own chance; Stated is in units of 0.5 %
	Bands  [Bands]Wait    // by published chance
	Levels [Levels][Spans]Cell
	Both   [Levels]Pair // the answers that the rival rule judges too, by the published level
	Rival  [Levels]Pair // the same answers, by the level of the rival rule
	Ages   [Ages]Case
	Sures  [Sures]Case
}

// Case counts answers: Stated is the sum of their stated chances, Fell the number of actual falls.
type Case struct{ N, Stated, Fell int64 }

// Wait counts what happened while a traveller waited. Change is the sum of the price changes.
type Wait struct {
	N, Stated, Fell, Rose int64
	Dearer, Change        int64 // measured on the last fare seen within the horizon
}

// Cell counts the outcomes of answers with one level and range of lead times. Shuffled, in
// hundredths, is the number of falls to expect if the later fares were drawn at random from the
// fares with which the judged one was compared.
type Cell struct{ N, Fell, Rose, Shuffled int64 }

type Pair struct{ N, Fell int64 }

type RouteCounts struct {
	Missed   [Reasons]int64
	Levels   [Levels]RouteCell
	Reserved [Places + 2*Sures]int64 // formerly the percentiles and intervals of routes; keeps the stored order
}

// RouteCell counts the changes of a route's cheapest fare within 7 days after a verdict.
type RouteCell struct{ N, Fell, Rose, Change int64 }

// each calls do for every number in the stored order. New fields must come last.
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
	c.Route.each(do)
	for i := range c.Leads {
		all(c.Leads[i][:])
	}
}

func (r *RouteCounts) each(do func(*int64)) {
	for i := range r.Missed {
		do(&r.Missed[i])
	}
	for i := range r.Levels {
		cell := &r.Levels[i]
		for _, n := range []*int64{&cell.N, &cell.Fell, &cell.Rose, &cell.Change} {
			do(n)
		}
	}
	for i := range r.Reserved {
		do(&r.Reserved[i])
	}
}

func (c *Counts) Add(other *Counts) {
	if other.Empty() {
		return
	}
	var more []int64
	other.each(func(n *int64) { more = append(more, *n) })
	i := 0
	c.each(func(n *int64) { *n += more[i]; i++ })
}

func (c *Counts) Empty() bool { return *c == Counts{} }

func (h *HorizonCounts) Compared() (n int64) {
	for _, b := range h.Bands {
		n += b.N
	}
	return n
}

func (h *HorizonCounts) Stated() int64 { return h.Compared() + total(h.Missed[:]) }

func (r *RouteCounts) Compared() (n int64) {
	for _, l := range r.Levels {
		n += l.N
	}
	return n
}

func (r *RouteCounts) Stated() int64 { return r.Compared() + total(r.Missed[:]) }

func total(all []int64) (n int64) {
	for _, v := range all {
		n += v
	}
	return n
}

// order returns the departures in a pseudo-random order that depends only on their days and the
// given day. The first ones enter the round.
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
