// Package verdict judges whether a route's cheapest fare is cheap, and how certain this judgement
// is. Start at Build and Judge. JudgeDeparture judges the fare of one departure or of a range of
// dates, by the rule in package departure.
//
// A route's cheapest fare is a minimum over many departures, so it is compared only with the same
// minimum on other days: the daily lows. docs/evidence.md describes the method.
//
// If the fares of a history are in several currencies, Build converts them at the newest rates, so
// that a fare that is constant in its own currency stays constant.
//
// The package does no I/O.
package verdict

import (
	"slices"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
)

const (
	// A fare is fresh if it was found less than FreshFor before the newest fare.
	FreshFor = 24 * time.Hour
	LiveDays = departure.LiveDays
	// HistoryDays is how many days of observations a summary is built from.
	HistoryDays   = 400
	LowDays       = 3 * 365
	MinSample     = departure.MinCount
	MinMonth      = 5
	MinDepartures = 8
)

type Low struct {
	Day    fare.Day
	Price  fare.Cents // in hundredths of the summary's currency
	Quoted fare.Money // zero if quoted in the summary's currency
}

type Live = departure.Live

// Month summarizes the fares that depart in a calendar month, whatever the year. Amounts are in EUR
// cents.
type Month struct {
	Month   int
	Median  fare.Cents
	Minimum fare.Cents
	Sample  int
}

// Window is a booking window. From and To are days before departure. Amounts are in EUR cents.
type Window struct {
	From, To int
	Median   fare.Cents
	Sample   int
	Saving   fare.Cents // median outside the window minus median inside; 0 if all fares are inside
}

type View struct {
	Newest       int64 // Unix seconds
	Observations int
	Lows         []Low   // sorted by price, then by day
	Live         []Live  // the fare of the route is the first one that has not departed; see liveOn
	Months       []Month // sorted by median
	Window       *Window
}

type RouteSummary struct {
	AsOf        fare.Day
	DeepRequest int64 // Unix seconds of the last request for a year of departures; 0: never
	Currency    fare.Currency
	PerEuro     float64
	// Basis is set for a pair of airports that is compared with the fares of both cities.
	Basis *Basis
	View
	NonStop *View // nil if all stops are unknown
}

// WithoutStops returns the summary of the non-stop fares. It returns false if all stops are
// unknown.
func (s RouteSummary) WithoutStops() (RouteSummary, bool) {
	if s.NonStop == nil {
		return RouteSummary{}, false
	}
	s.View = *s.NonStop
	return s, true
}

type Options struct {
	// If Rates has no rate for the currency of the earlier summary, Build uses the rate of that
	// summary.
	Rates fare.Rates
}

// The parameter earlier supplies the lows before the last HistoryDays days.
func Build(observations []fare.Observation, earlier RouteSummary, asOf fare.Day, o Options) RouteSummary {
	if !slices.IsSortedFunc(observations, fare.Observation.Compare) {
		observations = slices.Clone(observations)
		slices.SortFunc(observations, fare.Observation.Compare)
	}
	s := RouteSummary{AsOf: asOf, DeepRequest: earlier.DeepRequest}
	priced := s.rank(within(observations, asOf), earlier, o.Rates)
	s.View = s.view(priced, s.convertLows(earlier, earlier.Lows, o.Rates))
	if slices.ContainsFunc(priced.quoted, func(q fare.Observation) bool { return q.Stops != fare.StopsUnknown }) {
		var lows []Low
		if earlier.NonStop != nil {
			lows = s.convertLows(earlier, earlier.NonStop.Lows, o.Rates)
		}
		v := s.view(priced.withoutStops(), lows)
		s.NonStop = &v
	}
	return s
}

func (s RouteSummary) view(p priced, earlier []Low) View {
	v := View{Observations: len(p.quoted)}
	if n := len(p.quoted); n > 0 {
		v.Newest = p.quoted[n-1].Found
	}
	v.Lows = carry(p.lows(s.AsOf), earlier, s.AsOf)
	v.Live = p.liveOn(s.AsOf, nil)
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

// within needs observations in order of Found.
func within(observations []fare.Observation, asOf fare.Day) []fare.Observation {
	from, to := foundFrom(observations, asOf-HistoryDays+1), foundFrom(observations, asOf+1)
	return observations[from:max(from, to)]
}

func foundFrom(observations []fare.Observation, day fare.Day) int {
	i, _ := slices.BinarySearchFunc(observations, day, func(o fare.Observation, d fare.Day) int { return int(o.FoundDay() - d) })
	return i
}

// Cheapest returns false if no live fare departs today or later, or if the summary is more than
// LiveDays old or from a day after today.
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
