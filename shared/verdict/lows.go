package verdict

import (
	"cmp"
	"slices"
	"time"

	"verdetto/shared/fare"
)

func (p priced) lows(asOf fare.Day) (past []Low) {
	walk := lowWalk{priced: p}
	walk.until(asOf, func(l Low) { past = append(past, l) })
	return past
}

type lowWalk struct {
	priced
	at int
}

// until continues where the previous call ended, and calls found for each later low before asOf.
func (w *lowWalk) until(asOf fare.Day, found func(Low)) {
	for w.at < len(w.ranked) {
		day := w.ranked[w.at].FoundDay()
		if day >= asOf {
			return
		}
		low := -1
		for next := (day + 1).Time().Unix(); w.at < len(w.ranked) && w.ranked[w.at].Found < next; w.at++ {
			if o := w.ranked[w.at]; o.Depart >= day && (low < 0 || o.Price < w.ranked[low].Price) {
				low = w.at
			}
		}
		if low >= 0 {
			found(Low{day, w.ranked[low].Price, w.foreign(low)})
		}
	}
}

// offers finds the newest fare of each combination of departure, nights and stops.
type offers struct {
	first  fare.Day
	nights int16
	stays  int
	latest []int
	used   []int
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

// For each offer in run, among yields the index in run of the newest observation. The sequence is
// valid until the next call of among. run must be in order of Found.
func (s *offers) among(run []fare.Observation) func(yield func(int) bool) {
	for _, at := range s.used {
		s.latest[at] = 0
	}
	s.used = s.used[:0]
	for i, o := range run {
		at := (int(o.Depart-s.first)*s.stays+int(o.Nights-s.nights))*int(fare.MoreStops+1) + int(o.Stops)
		switch latest := s.latest[at] - 1; {
		case latest < 0:
			s.used = append(s.used, at)
			s.latest[at] = i + 1
		case run[latest].Found < o.Found || o.Price < run[latest].Price:
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

func departures(observations []fare.Observation) (first, last fare.Day) {
	first, last = observations[0].Depart, observations[0].Depart
	for _, o := range observations {
		first, last = min(first, o.Depart), max(last, o.Depart)
	}
	return first, last
}

// liveOn returns each fare that, on some day of the next LiveDays days, is the cheapest fare whose
// departure is still ahead. Fares that are not fresh count only if they depart after all fresh fares.
func (p priced) liveOn(asOf fare.Day, newest *offers) []Live {
	oldest := (asOf - LiveDays).Time().Unix()
	from, _ := slices.BinarySearchFunc(p.ranked, oldest, func(o fare.Observation,
		found int64) int {
		return cmp.Compare(o.Found, found)
	})
	if from == len(p.ranked) {
		return nil
	}
	if newest == nil {
		offers := newOffers(p.ranked[from:])
		newest = &offers
	}
	var all []Live
	for at := range newest.among(p.ranked[from:]) {
		all = append(all, p.live(from+at))
	}
	return cheapestLive(all, p.ranked[len(p.ranked)-1].Found-int64(FreshFor/time.Second), asOf)
}

func cheapestLive(all []Live, freshFrom int64, asOf fare.Day) []Live {
	var fresh, older []Live
	for _, l := range all {
		switch {
		case l.Depart < asOf:
		case l.Found > freshFrom:
			fresh = append(fresh, l)
		default:
			older = append(older, l)
		}
	}
	steps := cheapestAhead(fresh, asOf)
	lastFresh := asOf - 1
	if n := len(steps); n > 0 {
		lastFresh = steps[n-1].Depart
	}
	if lastFresh >= asOf+LiveDays {
		return steps
	}
	older = slices.DeleteFunc(older, func(l Live) bool { return l.Depart <= lastFresh })
	return append(steps, cheapestAhead(older, asOf)...)
}

// cheapestAhead returns fares in order of departure. Each is cheaper than all later ones, or as
// cheap but with a better flight.
func cheapestAhead(live []Live, asOf fare.Day) []Live {
	slices.SortFunc(live, func(a, b Live) int {
		return cmp.Or(cmp.Compare(a.Depart, b.Depart), a.Before(b))
	})
	var steps []Live
	for i, l := range slices.Backward(live) {
		if i > 0 && live[i-1].Depart == l.Depart {
			continue
		}
		if n := len(steps); n > 0 {
			if later := steps[n-1]; l.Price > later.Price || l.Price == later.Price && !l.Better(later) {
				continue
			}
		}
		if l.Depart >= asOf+LiveDays {
			steps = steps[:0]
		}
		steps = append(steps, l)
	}
	slices.Reverse(steps)
	return steps
}

func carry(made, earlier []Low, asOf fare.Day) []Low {
	all := slices.Clone(made)
	for _, l := range earlier {
		if l.Day <= asOf-HistoryDays && l.Day > asOf-LowDays {
			all = append(all, l)
		}
	}
	slices.SortFunc(all, Low.compare)
	return all
}

func (l Low) compare(m Low) int {
	return cmp.Or(cmp.Compare(l.Price, m.Price), cmp.Compare(l.Day, m.Day))
}
