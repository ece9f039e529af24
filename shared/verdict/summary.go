// Package verdict says whether today's cheapest fare on a route is cheap, and
// how sure that is, from the route's own observed history.
//
// The rule in one paragraph. Today's cheapest fare is a minimum over many
// departures, so it is compared only with the same minimum on other days: for
// each past day on which something was found, the cheapest fare that was live
// on that day (the as-of low). The percentile of today's cheapest fare among
// those lows, ties counted half, gives the level; the width of its interval, in
// which days that are alike count as fewer, gives the reliability. Fewer than
// MinSample lows never give a verdict.
//
// The package is pure. Build does the arithmetic once per refresh and leaves a
// RouteSummary of a few kilobytes; Judge answers from it in time that does not
// depend on how many observations there were.
package verdict

import (
	"slices"

	"verdetto/shared/fare"
)

const (
	// LiveDays is how old, in days, an observation may be and still count as a fare one could find.
	LiveDays = 7
	// HistoryDays is how long single observations are stored.
	HistoryDays = 400
	// LowDays is how long as-of lows are stored: three years.
	LowDays = 3 * 365
	// MinSample is the smallest sample that may give a verdict.
	MinSample = 8
	// MinMonth is how many observations a departure month needs to be ranked.
	MinMonth = 5
	// MinDepartures is how many departures the booking window must rest on.
	MinDepartures = 8
)

// Low is the cheapest fare that was live on a day.
type Low struct {
	Day   fare.Day
	Price fare.Cents
}

// Live is a fare that could be found on the summary's day.
type Live struct {
	Depart fare.Day
	Price  fare.Cents
	Found  int64 // Unix seconds
}

// Month is all observed fares that depart in a month of the year.
type Month struct {
	Month   int // 1 to 12
	Median  fare.Cents
	Minimum fare.Cents
	Sample  int
}

// Window is a range of lead times, in days before departure.
type Window struct {
	From, To int
	Median   fare.Cents // of the fares observed inside it
	Sample   int        // how many those are
	Saving   fare.Cents // median outside less median inside; 0 or less: none
}

// RouteSummary is all that a verdict needs of a route.
type RouteSummary struct {
	AsOf         fare.Day // the day of the refresh that made it
	Newest       int64    // when the newest observation was found, Unix seconds
	Observations int
	Lows         []Low   // of days before AsOf, cheapest first, then oldest first
	Live         []Live  // by departure; see cheapestAhead
	Months       []Month // cheapest first
	Window       *Window // nil where there is too little data
}

// Build makes the summary of a route as of a day from its observations, in any
// order, and from the lows of an earlier summary. Lows of days that the
// observations no longer cover are carried over; all others are made anew, so
// building twice from the same observations gives the same summary.
func Build(observations []fare.Observation, earlier []Low, asOf fare.Day) RouteSummary {
	if !slices.IsSortedFunc(observations, fare.Observation.Compare) {
		observations = slices.Clone(observations)
		slices.SortFunc(observations, fare.Observation.Compare)
	}
	observations = within(observations, asOf)
	s := RouteSummary{AsOf: asOf, Observations: len(observations)}
	if n := len(observations); n > 0 {
		s.Newest = observations[n-1].Found
	}
	fresh, live := lows(observations, asOf)
	s.Lows = carry(fresh, earlier, asOf)
	s.Live = cheapestAhead(live, asOf)
	s.Months = months(observations)
	s.Window = window(observations)
	return s
}

// within cuts observations, which are in order of Found, to those of the history on a day.
func within(observations []fare.Observation, asOf fare.Day) []fare.Observation {
	from, _ := slices.BinarySearchFunc(observations, asOf-HistoryDays+1, func(o fare.Observation, d fare.Day) int {
		return int(o.FoundDay() - d)
	})
	to, _ := slices.BinarySearchFunc(observations, asOf+1, func(o fare.Observation, d fare.Day) int {
		return int(o.FoundDay() - d)
	})
	return observations[from:max(from, to)]
}

// lows walks through the days on which something was found and takes the
// cheapest fare that was live on each: the newest observation of each departure
// date, no older than LiveDays, departing that day or later. What is live on
// asOf comes back apart; asOf itself is no past day.
func lows(observations []fare.Observation, asOf fare.Day) (past []Low, live []Live) {
	if len(observations) == 0 {
		return nil, nil
	}
	first, last := departures(observations)
	place := make([]int32, last-first+1) // departure -> 1 + its place in live
	for i := 0; i < len(observations); {
		day := observations[i].FoundDay()
		for next := (day + 1).Time().Unix(); i < len(observations) && observations[i].Found < next; i++ {
			o := observations[i]
			at := place[o.Depart-first] - 1
			switch {
			case at < 0:
				live = append(live, Live{o.Depart, o.Price, o.Found})
				place[o.Depart-first] = int32(len(live))
			case live[at].Found < o.Found || o.Price < live[at].Price:
				// Of two fares seen at the same moment the cheaper one counts.
				live[at] = Live{o.Depart, o.Price, o.Found}
			}
		}
		live = expire(live, place, first, day)
		if day < asOf {
			past = append(past, Low{day, cheapest(live)})
		}
	}
	return past, expire(live, place, first, asOf)
}

// departures gives the first and the last departure date.
func departures(observations []fare.Observation) (first, last fare.Day) {
	first, last = observations[0].Depart, observations[0].Depart
	for _, o := range observations {
		first, last = min(first, o.Depart), max(last, o.Depart)
	}
	return first, last
}

// expire drops what is no longer live on a day and updates place.
func expire(live []Live, place []int32, first, day fare.Day) []Live {
	oldest := (day - LiveDays).Time().Unix()
	still := live[:0]
	for _, l := range live {
		if l.Depart < day || l.Found < oldest {
			place[l.Depart-first] = 0
			continue
		}
		still = append(still, l)
		place[l.Depart-first] = int32(len(still))
	}
	return still
}

func cheapest(live []Live) fare.Cents {
	low := live[0].Price
	for _, l := range live[1:] {
		low = min(low, l.Price)
	}
	return low
}

// carry joins the lows made now with the earlier ones of the days that the
// stored observations cover only in part: those before HistoryDays and the
// LiveDays after, whose windows reach back before it.
func carry(fresh, earlier []Low, asOf fare.Day) []Low {
	full := asOf - HistoryDays + 1 + LiveDays
	carried := map[fare.Day]bool{}
	var all []Low
	for _, l := range earlier {
		if l.Day < full && l.Day > asOf-LowDays {
			all = append(all, l)
			carried[l.Day] = true
		}
	}
	for _, l := range fresh {
		if !carried[l.Day] {
			all = append(all, l)
		}
	}
	slices.SortFunc(all, func(a, b Low) int {
		if a.Price != b.Price {
			return int(a.Price - b.Price)
		}
		return int(a.Day - b.Day)
	})
	return all
}

// cheapestAhead selects of the live fares those that are the cheapest not yet departed
// on asOf or on one of the LiveDays after it: each is cheaper than all that
// depart later. So the first one that has not departed is the cheapest.
func cheapestAhead(live []Live, asOf fare.Day) []Live {
	slices.SortFunc(live, func(a, b Live) int { return int(a.Depart - b.Depart) })
	var steps []Live // from the last departure to the first
	for _, l := range slices.Backward(live) {
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

// Cheapest is the cheapest live fare on a day, if there is one. A summary holds
// for the LiveDays after the refresh that made it, and for no day before it.
func (s RouteSummary) Cheapest(today fare.Day) (Live, bool) {
	if today < s.AsOf || today > s.AsOf+LiveDays {
		return Live{}, false
	}
	for _, l := range s.Live {
		if l.Depart >= today {
			return l, true
		}
	}
	return Live{}, false
}
