package verdict

import (
	"cmp"
	"slices"
	"time"

	"verdetto/shared/fare"
)

// lows walks through the past days on which something was found and takes the
// cheapest fare that was fresh on each. asOf itself is no past day.
func (p priced) lows(asOf fare.Day, fresh time.Duration) (past []Low) {
	if len(p.quoted) == 0 {
		return nil
	}
	newest := newOffers(p.ranked)
	walk := lowWalk{priced: p, fresh: fresh, newest: &newest}
	walk.until(asOf, func(l Low) { past = append(past, l) })
	return past
}

// lowWalk goes through observations day by day.
type lowWalk struct {
	priced
	fresh    time.Duration
	newest   *offers
	from, at int // the first that is fresh, and the first of the next day
}

// until goes on through the days before another.
func (w *lowWalk) until(asOf fare.Day, found func(Low)) {
	for w.at < len(w.ranked) {
		day := w.ranked[w.at].FoundDay()
		if day >= asOf {
			return
		}
		for next := (day + 1).Time().Unix(); w.at < len(w.ranked) && w.ranked[w.at].Found < next; w.at++ {
		}
		for oldest := w.ranked[w.at-1].Found - int64(w.fresh/time.Second); w.ranked[w.from].Found <= oldest; w.from++ {
		}
		low := -1
		for at := range w.newest.among(w.ranked[w.from:w.at]) {
			if at += w.from; w.ranked[at].Depart >= day && (low < 0 || w.ranked[at].Price < w.ranked[low].Price) {
				low = at
			}
		}
		if low >= 0 {
			found(Low{day, w.ranked[low].Price, w.foreign(low)})
		}
	}
}

// offers finds the newest of each offer: fares of the same departure, stay and
// number of stops are the same offer, of which the newer price stands.
type offers struct {
	first  fare.Day // departure
	nights int16    // the least
	stays  int      // how many different nights
	latest []int    // by offer: 1 + the number of its newest in the present run
	used   []int    // offers in the present run
}

func newOffers(observations []fare.Observation) offers {
	first, last := departures(observations)
	least, most := observations[0].Nights, observations[0].Nights
	for _, o := range observations {
		least, most = min(least, o.Nights), max(most, o.Nights)
	}
	stays := int(most-least) + 1
	return offers{first: first, nights: least, stays: stays, latest: make([]int,
		(int(last-first)+1)*stays*int(fare.MoreStops+1))}
}

// among goes through the newest of each offer, by number in a run of observations in order of Found.
func (s *offers) among(run []fare.Observation) func(yield func(int) bool) {
	for _, at := range s.used {
		s.latest[at] = 0
	}
	s.used = s.used[:0]
	for i, o := range run {
		at := (int(o.Depart-s.first)*s.stays+int(o.Nights-s.nights))*int(fare.MoreStops+1) + int(o.Stops)
		switch had := s.latest[at] - 1; {
		case had < 0:
			s.used = append(s.used, at)
			s.latest[at] = i + 1
		case run[had].Found < o.Found || o.Price < run[had].Price:
			// Of two fares seen at the same moment the cheaper one counts.
			s.latest[at] = i + 1
		}
	}
	return func(yield func(int) bool) {
		for _, at := range s.used {
			if !yield(s.latest[at] - 1) {
				return
			}
		}
	}
}

// departures gives the first and the last departure date.
func departures(observations []fare.Observation) (first, last fare.Day) {
	first, last = observations[0].Depart, observations[0].Depart
	for _, o := range observations {
		first, last = min(first, o.Depart), max(last, o.Depart)
	}
	return first, last
}

// liveOn selects the fares that are the cheapest not yet departed on asOf or on
// one of the LiveDays after it: of the fresh ones first, and for the days when
// all of those have departed, of those found in the LiveDays before. newest is
// made where there is none.
func (p priced) liveOn(asOf fare.Day, fresh time.Duration, newest *offers) []Live {
	oldest := (asOf - LiveDays).Time().Unix()
	from, _ := slices.BinarySearchFunc(p.ranked, oldest, func(o fare.Observation,
		found int64) int {
		return cmp.Compare(o.Found, found)
	})
	if from == len(p.ranked) {
		return nil
	}
	freshFrom := p.ranked[len(p.ranked)-1].Found - int64(fresh/time.Second)
	if newest == nil {
		of := newOffers(p.ranked[from:])
		newest = &of
	}
	var now, before []Live
	for at := range newest.among(p.ranked[from:]) {
		o := p.ranked[from+at]
		l := p.live(from + at)
		switch {
		case o.Depart < asOf:
		case o.Found > freshFrom:
			now = append(now, l)
		default:
			before = append(before, l)
		}
	}
	steps := cheapestAhead(now, asOf)
	left := asOf - 1 // the last departure of the fresh ones
	if n := len(steps); n > 0 {
		left = steps[n-1].Depart
	}
	if left >= asOf+LiveDays {
		return steps
	}
	before = slices.DeleteFunc(before, func(l Live) bool { return l.Depart <= left })
	return append(steps, cheapestAhead(before, asOf)...)
}

// cheapestAhead selects of live fares those that are the cheapest not yet departed
// on asOf or on one of the LiveDays after it: each is cheaper than all that
// depart later. So the first one that has not departed is the cheapest.
func cheapestAhead(live []Live, asOf fare.Day) []Live {
	slices.SortFunc(live, func(a, b Live) int {
		return cmp.Or(cmp.Compare(a.Depart, b.Depart), a.Before(b))
	})
	var steps []Live // from the last departure to the first
	for i, l := range slices.Backward(live) {
		if i > 0 && live[i-1].Depart == l.Depart {
			continue // it is not the cheapest of its day
		}
		if len(steps) > 0 && l.Price >= steps[len(steps)-1].Price {
			continue
		}
		if l.Depart >= asOf+LiveDays {
			steps = steps[:0] // this one outlasts the summary: later ones are not needed
		}
		steps = append(steps, l)
	}
	slices.Reverse(steps)
	return steps
}

// carry joins the lows made now with the earlier ones of the days that the
// stored observations cover only in part: those before HistoryDays, and the day
// after, of which fresh fares may have been found before it.
func carry(made, earlier []Low, asOf fare.Day) []Low {
	full := asOf - HistoryDays + 2
	carried := map[fare.Day]bool{}
	var all []Low
	for _, l := range earlier {
		if l.Day < full && l.Day > asOf-LowDays {
			all = append(all, l)
			carried[l.Day] = true
		}
	}
	for _, l := range made {
		if !carried[l.Day] {
			all = append(all, l)
		}
	}
	slices.SortFunc(all, Low.compare)
	return all
}

// compare orders the cheapest first, then the oldest.
func (l Low) compare(m Low) int {
	return cmp.Or(cmp.Compare(l.Price, m.Price), cmp.Compare(l.Day, m.Day))
}
