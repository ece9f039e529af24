// Package verdict says whether today's cheapest fare on a route is cheap, and
// how sure that is, from the route's own observed history.
//
// The rule in one paragraph. Today's cheapest fare is a minimum over many
// departures, so it is compared only with the same minimum on other days: for
// each past day on which something was found, the cheapest of the fares that
// were fresh on that day (the as-of low). The percentile of today's cheapest fare
// among those lows, ties counted half, gives the level; the width of its interval,
// in which days that are alike count as fewer, gives the reliability. Fewer than
// MinSample lows never give a verdict.
//
// Fares are ranked as they were quoted. Where a history holds several currencies
// it is converted as a whole, at the newest rates, into the one that most fares
// are quoted in: a fare that does not move in its own currency does not move.
// What is shown is converted to euro at the same rates, after the ranking.
//
// The package is pure. Build does the arithmetic once per refresh and leaves a
// RouteSummary of a few kilobytes; Judge answers from it in time that does not
// depend on how many observations there were.
package verdict

import (
	"slices"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
)

const (
	// FreshFor is how much older than the newest fare of a day another may be and
	// still count among the fares that were there on that day. Of those that are
	// older, few can be found again (docs/evidence.md).
	FreshFor = 24 * time.Hour
	// LiveDays is how old, in days, an observation may be and still be shown, with
	// its age, where nothing fresh is left; and for how long a summary holds.
	LiveDays = departure.LiveDays
	// HistoryDays is how long single observations are stored.
	HistoryDays = 400
	// LowDays is how long as-of lows are stored: three years.
	LowDays = 3 * 365
	// MinSample is the smallest sample that may give a verdict.
	MinSample = departure.MinCount
	// MinMonth is how many observations a departure month needs to be ranked.
	MinMonth = 5
	// MinDepartures is how many departures the booking window must rest on.
	MinDepartures = 8
)

// Low is the cheapest fare that was fresh on a day.
type Low struct {
	Day    fare.Day
	Price  fare.Cents // hundredths of the summary's currency
	Quoted fare.Money // what was quoted, where that was in another currency; else nothing
}

// Live is a fare that could be found on the summary's day, in its currency.
type Live = departure.Live

// Month is all observed fares that depart in a month of the year, in euro.
type Month struct {
	Month   int // 1 to 12
	Median  fare.Cents
	Minimum fare.Cents
	Sample  int
}

// Window is a range of lead times, in days before departure. Amounts are of euro.
type Window struct {
	From, To int
	Median   fare.Cents // of the fares observed inside it
	Sample   int        // how many those are
	Saving   fare.Cents // median outside less median inside; 0 or less: none
}

// View is what is known of the fares of a series: of all, or of those without stops.
type View struct {
	Newest       int64 // when the newest observation was found, Unix seconds
	Observations int
	Lows         []Low   // of days before AsOf, cheapest first, then oldest first
	Live         []Live  // the first that has not departed is the cheapest; see liveOn
	Months       []Month // cheapest first
	Window       *Window // nil where there is too little data
}

// RouteSummary is all that a verdict needs of a series: a route and a kind of trip.
type RouteSummary struct {
	AsOf     fare.Day      // the day of the refresh that made it
	Asked    int64         // when the source was last asked for a year of departures, Unix seconds; 0: never
	Currency fare.Currency // in which lows and live fares are ranked: the one that most fares are quoted in
	PerEuro  float64       // how many of its units one euro bought on AsOf
	// Doubted are the reliabilities, alta first, of which the score of the service
	// says that they were overconfident: they are told a step lower.
	Doubted [3]bool
	View          // of all fares
	NonStop *View // of fares without stops; nil where of no fare its stops are known
}

// WithoutStops is the summary of the fares without stops; false where of no fare its stops are known.
func (s RouteSummary) WithoutStops() (RouteSummary, bool) {
	if s.NonStop == nil {
		return RouteSummary{}, false
	}
	s.View = *s.NonStop
	return s, true
}

// Options are what a summary is built with.
type Options struct {
	Rates fare.Rates    // the newest; without them a currency keeps the rate of the earlier summary
	Fresh time.Duration // in place of FreshFor, for measuring; 0: FreshFor
}

// Build makes the summary of a series as of a day from its observations, in any
// order, and from an earlier summary. Lows of days that the observations no
// longer cover are carried over; all others are made anew, so building twice
// from the same observations gives the same summary.
func Build(observations []fare.Observation, earlier RouteSummary, asOf fare.Day, o Options) RouteSummary {
	if !slices.IsSortedFunc(observations, fare.Observation.Compare) {
		observations = slices.Clone(observations)
		slices.SortFunc(observations, fare.Observation.Compare)
	}
	if o.Fresh == 0 {
		o.Fresh = FreshFor
	}
	s := RouteSummary{AsOf: asOf, Asked: earlier.Asked}
	priced := s.rank(within(observations, asOf), earlier, o.Rates)
	s.View = s.view(priced, s.convertLows(earlier, earlier.Lows, o.Rates), o.Fresh)
	if slices.ContainsFunc(priced.quoted, func(q fare.Observation) bool { return q.Stops != fare.StopsUnknown }) {
		var lows []Low
		if earlier.NonStop != nil {
			lows = s.convertLows(earlier, earlier.NonStop.Lows, o.Rates)
		}
		v := s.view(priced.withoutStops(), lows, o.Fresh)
		s.NonStop = &v
	}
	return s
}

// view makes what is known of some fares of the series.
func (s RouteSummary) view(p priced, earlier []Low, fresh time.Duration) View {
	v := View{Observations: len(p.quoted)}
	if n := len(p.quoted); n > 0 {
		v.Newest = p.quoted[n-1].Found
	}
	v.Lows = carry(p.lows(s.AsOf, fresh), earlier, s.AsOf)
	v.Live = p.liveOn(s.AsOf, fresh, nil)
	v.Months = months(p.ranked)
	for i := range v.Months {
		m := &v.Months[i]
		m.Median, m.Minimum = s.Euro(m.Median), s.Euro(m.Minimum)
	}
	if v.Window = window(p.ranked); v.Window != nil {
		w := v.Window
		w.Median, w.Saving = s.Euro(w.Median), s.Euro(w.Median+w.Saving)-s.Euro(w.Median)
	}
	return v
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
