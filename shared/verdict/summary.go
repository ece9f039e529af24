// Package verdict judges whether a route's cheapest fare is cheap, and how certain this judgement
// is. Start at Build and Judge. JudgeDeparture judges the fare of one departure or of a range of
// dates; package departure has the rule for these.
//
// A route is judged by its own observed history. Today's cheapest fare is a minimum over many
// departures, so it is compared only with the same minimum on other days: the lowest fare found on
// each of the last HistoryDays days, today excepted. The share of days with a lower low is the
// percentile. The level follows from that share plus half of the days with an equal low, and from
// the distance to the median. It describes now against the past, and predicts nothing. The
// reliability says how well the observed days stand for all days of the period. With fewer than
// MinSample lows there is no verdict.
//
// Fares are ranked as quoted. If a history has several currencies, Build converts it, at the newest
// rates, to the currency of most fares, so that a fare that is constant in its own currency stays
// constant. After the ranking, the published amounts are converted to euro at the same rates.
//
// The package does no I/O. A refresh calls Build and stores the RouteSummary. Judge reads only the
// RouteSummary, so its time does not depend on the number of observations.
package verdict

import (
	"slices"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
)

const (
	// FreshFor is the maximum age of a fresh fare, relative to the newest fare. Older fares are
	// often no longer available; see docs/evidence-tables.md.
	FreshFor = 24 * time.Hour
	// LiveDays is the maximum age, at the refresh, of a fare that is shown where there is no fresh
	// one. A summary is valid for as many days.
	LiveDays = departure.LiveDays
	// HistoryDays is the number of days for which single observations are stored.
	HistoryDays = 400
	// LowDays is the number of days for which the daily lows are stored.
	LowDays = 3 * 365
	// MinSample is the number of daily lows that a verdict needs.
	MinSample = departure.MinCount
	// MinMonth is the number of observations that a departure month needs to be ranked.
	MinMonth = 5
	// MinDepartures is the number of departures that a booking window needs.
	MinDepartures = 8
)

// Low is the lowest fare found on a UTC day.
type Low struct {
	Day    fare.Day
	Price  fare.Cents // in hundredths of the summary's currency
	Quoted fare.Money // if quoted in another currency; else zero
}

type Live = departure.Live

// Month summarizes the prices, in EUR cents, of all observed fares that depart in a month of any
// year.
type Month struct {
	Month   int
	Median  fare.Cents
	Minimum fare.Cents
	Sample  int
}

// Window is a booking window: the range of lead times, in days, with cheap fares. Amounts are in
// EUR cents.
type Window struct {
	From, To int
	Median   fare.Cents // of the fares in the window
	Sample   int
	Saving   fare.Cents // median outside minus median inside; 0 if all fares are inside
}

// View holds the facts about all fares of a series, or about its non-stop fares.
type View struct {
	Newest       int64 // Found of the newest observation
	Observations int
	Lows         []Low   // of days before AsOf, cheapest first, then oldest first
	Live         []Live  // the first that has not departed is the cheapest; see liveOn
	Months       []Month // cheapest first
	Window       *Window // nil without enough data
}

// RouteSummary holds all that a verdict on a series needs.
type RouteSummary struct {
	AsOf        fare.Day
	DeepRequest int64         // when a year of departures was last requested, in Unix seconds; 0: never
	Currency    fare.Currency // the currency in which most fares are quoted
	PerEuro     float64
	// Basis is set for a pair of airports that is compared with the fares of both cities.
	Basis   *Basis
	View          // of all fares
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
	// Rates are the newest rates. If they lack the currency of the earlier summary, Build uses that
	// summary's rate.
	Rates fare.Rates
}

// Build returns the summary of a series on the day asOf. Lows of days that the observations no
// longer cover come from the earlier summary, the other lows and the statistics from the
// observations. So building twice gives the same summary.
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

// within returns the observations, in order of Found, of the HistoryDays days up to asOf.
func within(observations []fare.Observation, asOf fare.Day) []fare.Observation {
	from, to := foundFrom(observations, asOf-HistoryDays+1), foundFrom(observations, asOf+1)
	return observations[from:max(from, to)]
}

// foundFrom returns the index of the first observation of a day or later.
func foundFrom(observations []fare.Observation, day fare.Day) int {
	i, _ := slices.BinarySearchFunc(observations, day, func(o fare.Observation, d fare.Day) int { return int(o.FoundDay() - d) })
	return i
}

// Cheapest returns the cheapest live fare that departs today or later. It returns false if there is
// none, or if the summary is more than LiveDays old or of a later day.
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
