package refresh

import (
	"context"
	"reflect"
	"slices"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/trends"
)

// updateTrends replaces the entries of the given routes in the stored trends of their origin.
func (r *Refresher) updateTrends(ctx context.Context, origin fare.City, entries []trends.Entry) error {
	return store.RetryConflicts(ctx, func() error { return r.updateTrendsOnce(ctx, origin, entries) })
}

func (r *Refresher) updateTrendsOnce(ctx context.Context, origin fare.City, entries []trends.Entry) error {
	old, version, err := r.trends(ctx, origin)
	if err != nil {
		return err
	}
	old.Entries = slices.DeleteFunc(old.Entries,
		func(e trends.Entry) bool { return isDayAhead(e.AsOf, fare.DayOf(r.Now())) })
	var newer []trends.Entry
	changed := map[fare.City]store.Coverage{}
	for _, e := range entries {
		had, ok := old.Entry(e.Destination)
		if ok && (reflect.DeepEqual(had, e) || had.AsOf > e.AsOf || had.AsOf == e.AsOf &&
			had.Observations > e.Observations) {
			continue // equal, or a refresh that knew more wrote it
		}
		newer = append(newer, e)
		changed[e.Destination] = store.Coverage{Observations: e.Observations, Sample: e.Sample,
			Newest: time.Unix(e.Newest, 0), AsOf: e.AsOf}
	}
	if len(newer) == 0 {
		return nil
	}
	return r.Fares.PutTrends(ctx, origin, old.Merge(newer).Encode(), version, changed)
}

func entryOf(destination fare.City, s verdict.RouteSummary) trends.Entry {
	e := trends.Entry{
		Destination: destination, AsOf: s.AsOf, Newest: s.Newest, Observations: s.Observations,
		Sample: len(s.Lows), Previous: previous(s),
		Live: []trends.Live{}, Months: []trends.Month{},
	}
	if n := len(s.Lows); n > 0 { // Lows are sorted by price
		e.Minimum, e.Median = s.Euro(s.Lows[0].Price), s.Euro((s.Lows[(n-1)/2].Price+s.Lows[n/2].Price)/2)
	}
	for _, j := range verdict.CheapestAhead(s) {
		live := trends.Live{Depart: j.Fare.Depart, Price: j.Fare.Price, Found: j.Fare.Found, Level: j.Verdict.Livello,
			Certainty: j.Verdict.Affidabilita}
		if j.Verdict.Percentile != nil {
			live.Percentile = *j.Verdict.Percentile
		}
		e.Live = append(e.Live, live)
	}
	for _, m := range s.Months {
		e.Months = append(e.Months, trends.Month{Month: m.Month, Median: m.Median, Minimum: m.Minimum,
			Sample: m.Sample})
	}
	return e
}

// previous returns the cheapest price in EUR about one cycle (the days between two refreshes)
// before the day of the summary. It takes the last day with a price that lies one to two cycles
// back. If no such day has a price, it returns 0.
func previous(s verdict.RouteSummary) fare.Cents {
	last := slices.MaxFunc(append([]verdict.Low{{}}, s.Lows...), func(a, b verdict.Low) int {
		return int(within(a.Day, s.AsOf) - within(b.Day, s.AsOf))
	})
	if within(last.Day, s.AsOf) == 0 {
		return 0
	}
	return s.Euro(last.Price)
}

// within returns day if it lies one to two cycles before asOf, and 0 otherwise.
func within(day, asOf fare.Day) fare.Day {
	if day > asOf-trends.Cycle || day <= asOf-2*trends.Cycle {
		return 0
	}
	return day
}
