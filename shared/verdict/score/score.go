// Package score compares the service's verdicts with what happened afterwards. It does no I/O:
// refreshes store its results. A replay of the same recorded fares produces the same results.
//
// # How it works
//
// The first refresh of a series (route and kind of trip) in a week creates a Round. It holds that
// day's answers about the route and about at most PerRound departures with a fare. A hash of the
// day and the day of departure selects the departures, before any outcome is known.
//
// After 7 days a refresh looks up the outcomes in the history. The outcome of the chance of a fall
// within 14 days is known after 14 days. The refresh adds the outcomes to Counts. Counts are integers, so that sums do not depend on
// the order of addition. Answers that cannot be compared are counted by Reason. Counts never
// decrease.
//
// A round stores the answers themselves. So a later version of the rules does not change what is
// compared.
package score

import (
	"fmt"
	"slices"

	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
)

const (
	// Rule is the version of the rules behind the verdicts. Raise it with every change that moves
	// levels, percentiles or chances of a fall. Answers of an earlier version are not compared with
	// outcomes (did the fare fall?).
	Rule = 3

	// PerRound is the maximum number of departures of a series (route and kind of trip) that a
	// Round compares per week.
	PerRound = 12

	// StaleDays is the age, in days, from which a fare is not compared with its outcome (did the
	// fare fall?). An older fare may no longer have been available when the service answered.
	StaleDays = 3
)

// Reason is the reason why an answer could not be compared with an outcome (did the fare fall?).
type Reason int

// The values of Reason. Reasons is their number.
const (
	Gone        Reason = iota // the departure date is within the horizon of 7 or 14 days
	Unseen                    // no fare of the departure was seen within the horizon
	Stale                     // the fare was at least StaleDays old
	RuleChanged               // the version of the rules changed
	Currency                  // the currency of the series changed
	Reasons
)

// The sizes of the tables in Counts. Each table counts answers by cell.
const (
	Horizons = 2                    // 7 and 14 days
	Levels   = 4                    // ottimo to caro
	Spans    = 5                    // ranges of lead times, see LeadEdges
	Sures    = 3                    // reliabilities: alta, media, bassa
	Ages     = 2                    // found on the day, or up to StaleDays-1 days before
	Steps    = departure.CurveSteps // cells of the rule's own chance of a fall, 5 points each
	Bands    = 9                    // cells of the published chance of a fall, 5 points each; the last is 40 % and more
	Places   = 20                   // cells of the percentile, 5 points each
)

// LeadEdges are the lead times (days before departure), in days, at which the second and later
// ranges of lead times begin. The first range begins at 0.
var LeadEdges = [Spans - 1]int{7, 21, 45, 90}

// LeadSpan returns the index of the range that contains a lead time (days before departure) in
// days. The index is from 0 to Spans-1.
func LeadSpan(lead int) int {
	n := 0
	for _, e := range LeadEdges {
		if lead >= e {
			n++
		}
	}
	return n
}

// LeadName returns the name of a range of lead times (days before departure) in days, such as 7-20
// or 90+.
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

// Counts holds the outcomes (did the fare fall?) of answers. The fields Stated and Shuffled hold
// hundredths, the field Change ten-thousandths. So all fields are integers.
type Counts struct {
	Rounds   int64 // rounds with at least one answer that was compared or could not be compared
	Horizons [Horizons]HorizonCounts
	Places   [Sures][Places]int64 // percentiles of departures, by reliability
	Route    RouteCounts
	Leads    [Spans][Places]int64 // percentiles of departures, by lead time
}

// HorizonCounts holds the outcomes (did the fare fall?) of answers about departures, within one
// horizon: 7 or 14 days.
type HorizonCounts struct {
	Missed [Reasons]int64 // answers that could not be compared
	Own    [Steps]Case    // by the rule's own chance of a fall; Stated is in units of 0.5 %
	Bands  [Bands]Wait    // by published chance of a fall
	Levels [Levels][Spans]Cell
	Both   [Levels]Pair // answers with a percentile of the baseline (rival), by the rule's level
	Rival  [Levels]Pair // the same answers, by the level of the baseline
	Ages   [Ages]Case
	Sures  [Sures]Case
}

// Case counts answers. N is the number of answers, Stated the sum of their stated chances of a
// fall, Fell the number of actual falls.
type Case struct{ N, Stated, Fell int64 }

// Wait counts what happened to the fare while a traveller waited: how often it fell, rose or was
// more expensive at the end. Change is the sum of the price changes.
type Wait struct {
	N, Stated, Fell, Rose int64
	Dearer, Change        int64 // of the last fare seen within the horizon
}

// Cell counts the outcomes of answers with one level and one range of lead times (days before
// departure). Shuffled is a reference value, in hundredths. It is the number of falls to expect if
// each judged fare were a random fare among its comparable fares.
type Cell struct{ N, Fell, Rose, Shuffled int64 }

// Pair counts answers (N) and the falls after them (Fell).
type Pair struct{ N, Fell int64 }

// RouteCounts holds the outcomes (did the fare fall?) of verdicts about a route's cheapest fare of
// any departure date.
type RouteCounts struct {
	Missed   [Reasons]int64
	Levels   [Levels]RouteCell
	Reserved [Places + 2*Sures]int64 // once the percentiles and intervals of routes; keeps the stored order
}

// RouteCell counts the changes of a route's cheapest fare within 7 days after a verdict.
type RouteCell struct{ N, Fell, Rose, Change int64 }

// each calls do for every number in c, in the order of the stored format. Add new fields of Counts
// at the end of that order.
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

// each calls do for every number in r, in the order of the stored format.
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

// Add adds the counts in other to c.
func (c *Counts) Add(other *Counts) {
	var more []int64
	other.each(func(n *int64) { more = append(more, *n) })
	i := 0
	c.each(func(n *int64) { *n += more[i]; i++ })
}

// Empty reports whether all counts are 0.
func (c *Counts) Empty() bool { return *c == Counts{} }

// Compared returns the number of answers that were compared with outcomes (did the fare fall?)
// within the horizon (7 or 14 days) of h.
func (h *HorizonCounts) Compared() (n int64) {
	for _, b := range h.Bands {
		n += b.N
	}
	return n
}

// Stated returns the number of all answers for the horizon (7 or 14 days) of h, compared or not.
func (h *HorizonCounts) Stated() int64 { return h.Compared() + total(h.Missed[:]) }

// Compared returns the number of route verdicts that were compared with later fares.
func (r *RouteCounts) Compared() (n int64) {
	for _, l := range r.Levels {
		n += l.N
	}
	return n
}

// Stated returns the number of all route verdicts, compared or not.
func (r *RouteCounts) Stated() int64 { return r.Compared() + total(r.Missed[:]) }

func total(all []int64) (n int64) {
	for _, v := range all {
		n += v
	}
	return n
}

// order returns the departures in an order that looks random, but is always the same for the same
// day. The first departures enter the round (one week's answers) of the day.
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
