// Package score compares the service's verdicts with what happened afterwards. It does no I/O:
// refreshes store its results.
//
// A refresh adds at most one Round of answers for each series and week. Later refreshes look up the
// outcomes and add them to Counts, which are integers, so that their sums do not depend on the order
// of addition.
package score

import (
	"fmt"
	"slices"

	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
)

const (
	// Raise Rule with every change that moves levels, percentiles or chances of a fall: answers of
	// another version are not compared with outcomes.
	Rule = 3

	PerRound = 12

	// StaleDays is the age, in days, from which a fare is not compared, because it may no longer
	// have been available.
	StaleDays = 3
)

type Reason int

const (
	Gone Reason = iota // departs within the horizon
	Unseen
	Stale
	RuleChanged
	Currency
	Reasons
)

const (
	Horizons = 2
	Levels   = 4
	Spans    = 5
	Sures    = 3
	Ages     = 2
	Steps    = departure.CurveSteps // cells of the rule's own chance of a fall, 5 points each
	Bands    = 9                    // cells of the published chance of a fall, 5 points each; the last is 40 % and more
	Places   = 20
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

// Counts holds only integers: Shuffled is in hundredths of a fall, Change in units of 0.01 %.
type Counts struct {
	Rounds   int64
	Horizons [Horizons]HorizonCounts
	Places   [Sures][Places]int64
	Route    RouteCounts
	Leads    [Spans][Places]int64
}

type HorizonCounts struct {
	Missed [Reasons]int64
	Own    [Steps]Case // Case.Stated is in units of 0.5 %
	Bands  [Bands]Wait
	Levels [Levels][Spans]Cell
	Both   [Levels]Pair // by the published level; only answers that the function rival judges too
	Rival  [Levels]Pair // the same answers as in Both, by the level of the function rival
	Ages   [Ages]Case
	Sures  [Sures]Case
}

// Case counts N answers. Stated is the sum of the chances, Fell is the number of falls.
type Case struct{ N, Stated, Fell int64 }

type Wait struct {
	N, Stated, Fell, Rose int64
	Dearer, Change        int64 // measured on the last fare seen within the horizon
}

// Cell counts answers: Shuffled is the number of falls to expect if the later fares were drawn at
// random from the comparables.
type Cell struct{ N, Fell, Rose, Shuffled int64 }

type Pair struct{ N, Fell int64 }

type RouteCounts struct {
	Missed   [Reasons]int64
	Levels   [Levels]RouteCell
	Reserved [Places + 2*Sures]int64 // not used; keeps the stored order
}

type RouteCell struct{ N, Fell, Rose, Change int64 }

// each calls the function do for every number, in the stored order, so new fields must come last.
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

// order is pseudo-random, and depends only on the departure days and the given day.
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
