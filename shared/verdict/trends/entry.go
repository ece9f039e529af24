package trends

import (
	"slices"

	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

func EntryOf(destination fare.City, s verdict.RouteSummary) Entry {
	e := Entry{
		Destination: destination, AsOf: s.AsOf, Newest: s.Newest, Observations: s.Observations,
		Previous: previous(s), Live: []Live{}, Months: append([]verdict.Month{}, s.Months...),
	}
	all, _ := verdict.PercentileAt(s, 0)
	e.Sample, e.Minimum, e.Median = all.Size, all.Minimum, all.Median
	for _, j := range verdict.CheapestAhead(s) {
		live := Live{Depart: j.Fare.Depart, Price: j.Fare.Price, Found: j.Fare.Found, Level: j.Verdict.Level,
			Certainty: j.Verdict.Reliability, Percentile: j.Verdict.Percentile}
		e.Live = append(e.Live, live)
	}
	return e
}

func previous(s verdict.RouteSummary) fare.Cents {
	last := slices.MaxFunc(append([]verdict.Low{{}}, s.Lows...), func(a, b verdict.Low) int {
		return int(within(a.Day, s.AsOf) - within(b.Day, s.AsOf))
	})
	if within(last.Day, s.AsOf) == 0 {
		return 0
	}
	return s.Euro(last.Price)
}

// within returns day if it lies 7 to 13 days before asOf, and 0 otherwise.
func within(day, asOf fare.Day) fare.Day {
	if day > asOf-Cycle || day <= asOf-2*Cycle {
		return 0
	}
	return day
}
