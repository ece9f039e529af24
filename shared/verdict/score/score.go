// Package score keeps the score of the service: what its verdicts said, and what
// came of it. It is pure; refreshes keep what it makes, and a replay of recorded
// fares makes the same of the same fares.
//
// # What is compared
//
// Once a week, at the first refresh of a series in it, a Round is made: of up to
// PerRound departures that have a fare, and of the route, what an answer says of
// them that day. Which departures is decided by a hash of the day and of the day of
// departure, before anything is known of what follows. Seven days later (14 for
// the chance of 14 days, 28 for the interval of the route's percentile) the first
// refresh for which those days are over looks up in the history what came, and
// adds it to Counts: whole numbers, of which sums are the same in any order. What
// could not be compared is counted by why. Nothing is ever taken back.
//
// A round holds what was said as it was said; a later rule is not asked again.
package score

import (
	"slices"

	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
)

const (
	// Rule is the number of the rules that verdicts are made by. What an earlier
	// rule said is not compared: it is raised with every change of a rule that
	// moves levels, percentiles, chances or intervals.
	Rule = 1

	// PerRound is how many departures of a series are compared a week.
	PerRound = 12

	// StaleDays is the age of a fare, in days, from which it is not compared:
	// part of what followed it would be that it had not been there any more.
	StaleDays = 3

	// IntervalDays is how many days must follow a verdict for its interval to be tried.
	IntervalDays = 28
)

// Reason is why what was said could not be compared with what came.
type Reason int

const (
	Gone        Reason = iota // the departure leaves within the horizon
	Unseen                    // it was not seen again within it
	Stale                     // the fare had been found StaleDays before or earlier
	RuleChanged               // the rule is another one now
	Currency                  // fares of the series are ranked in another currency now
	Reasons
)

// The sizes of the tables of Counts.
const (
	Horizons = 2                    // 7 and 14 days
	Levels   = 4                    // ottimo to caro
	Spans    = 5                    // of days ahead
	Sures    = 3                    // alta, media, bassa
	Ages     = 2                    // found on the day, or up to StaleDays-1 days before
	Steps    = departure.CurveSteps // of the rule's own chance, by 5 points
	Bands    = 9                    // of the published chance, by 5 points: the last is of 40 % and more
	Places   = 20                   // of the percentile, by 5 points
)

// LeadEdges are the days ahead at which the second and later spans begin.
var LeadEdges = [Spans - 1]int{7, 21, 45, 90}

func spanOf(lead int) int {
	n := 0
	for _, e := range LeadEdges {
		if lead >= e {
			n++
		}
	}
	return n
}

// Counts is what came of what was said. Said and Shuffled are sums of hundredths,
// Change of ten-thousandths.
type Counts struct {
	Rounds   int64 // of which something was compared, or found not to be comparable
	Horizons [Horizons]HorizonCounts
	Places   [Sures][Places]int64 // percentiles of departures, by reliability
	Route    RouteCounts
}

// HorizonCounts is of statements about departures, and one horizon.
type HorizonCounts struct {
	Missed [Reasons]int64 // not comparable
	Own    [Steps]Case    // by the rule's own chance; Said is in half percent
	Bands  [Bands]Wait    // by the published chance
	Levels [Levels][Spans]Cell
	Both   [Levels]Pair // of the rows that the rival answers too, by the rule's level
	Rival  [Levels]Pair // the same rows by the rival's
	Ages   [Ages]Case
	Sures  [Sures]Case
}

// Case is statements, the sum of their stated chances, and how many fell.
type Case struct{ N, Said, Fell int64 }

// Wait is what became of who waited.
type Wait struct {
	N, Said, Fell, Rose int64
	Dearer, Change      int64 // of the fare that was seen last within the horizon
}

// Cell is what followed a level at some lead time. Shuffled is how many would have
// fallen if every fare were drawn anew from the comparables, in hundredths.
type Cell struct{ N, Fell, Rose, Shuffled int64 }

// Pair is statements and how many fell.
type Pair struct{ N, Fell int64 }

// RouteCounts is of verdicts about a route: its cheapest fare of any date.
type RouteCounts struct {
	Missed    [Reasons]int64
	Levels    [Levels]RouteCell
	Places    [Places]int64
	Intervals [Sures]Held
}

// RouteCell is what the cheapest fare of the route did within a week.
type RouteCell struct{ N, Fell, Rose, Change int64 }

// Held is intervals of 90 %, and how many held what came.
type Held struct{ N, Held int64 }

// each calls for all numbers, in the order in which they are stored. What is added to Counts comes last.
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
			do(&cs[i].Said)
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
			for _, n := range []*int64{&w.N, &w.Said, &w.Fell, &w.Rose, &w.Dearer, &w.Change} {
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
		do(&c.Route.Intervals[i].Held)
	}
}

// Add adds other counts.
func (c *Counts) Add(other *Counts) {
	var more []int64
	other.each(func(n *int64) { more = append(more, *n) })
	i := 0
	c.each(func(n *int64) { *n += more[i]; i++ })
}

// Empty tells whether nothing was counted.
func (c *Counts) Empty() bool { return *c == Counts{} }

// Compared is how many statements of a horizon were compared, Stated how many there were.
func (h *HorizonCounts) Compared() (n int64) {
	for _, b := range h.Bands {
		n += b.N
	}
	return n
}

func (h *HorizonCounts) Stated() int64 { return h.Compared() + total(h.Missed[:]) }

// Compared is how many verdicts about routes were compared, Stated how many there were.
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

// order is the order in which departures are taken into a round of a day.
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
