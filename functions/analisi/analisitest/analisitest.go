// Package analisitest holds test data in memory: fares and departures of a route from Milan to Bucharest.
package analisitest

import (
	"context"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
	"verdetto/shared/web/limit"
)

var (
	MilBuh = fare.Route{Origin: "MIL", Destination: "BUH"}
	Today  = time.Date(2016, 3, 1, 12, 0, 0, 0, time.UTC)
)

func SummaryOf(days int) verdict.RouteSummary {
	return verdict.Build(ObservationsOf(days), verdict.RouteSummary{}, fare.DayOf(Today), verdict.Options{})
}

func ObservationsOf(days int) (all []fare.Observation) {
	d := fare.DayOf(Today)
	for i := 0; i <= days; i++ {
		for _, ahead := range []fare.Day{5, 25, 50, 70} {
			found := d - fare.Day(i)
			price := fare.Cents(3000 + 17*i + 100*int(50-min(ahead, 50)))
			all = append(all, fare.Observation{Found: found.Time().Unix() + 3600, Depart: found + ahead, Price: price})
		}
	}
	return all
}

type Unlimited struct{ limit.Counters }

func (Unlimited) Take(context.Context, store.Key, int64, int64, time.Time) (int64, error) {
	return 1, nil
}

// DeparturesOf returns a departure state whose fares were found today and on each of the 40 days
// before.
func DeparturesOf(days fare.Day) *departure.State {
	d := fare.DayOf(Today)
	var s departure.Learner
	s.Convert(fare.EUR, 1)
	s.Stops = departure.StopsUnknown
	s.Facts = SummaryOf(40).Facts()
	var all []departure.Live
	for day := d - 40; day <= d; day++ {
		for lead := fare.Day(1); lead <= days; lead++ {
			all = append(all, departure.Live{Depart: day + lead,
				Price: fare.Cents(3100 + 700*((day+lead)%5) + 50*(day%3)), Found: day.Time().Unix() + 3600})
		}
	}
	s.Advance(d, departure.Start(d-40), all, new(departure.Statistics))
	return &s.State
}

type Sheets map[fare.Series]*departure.State

func (s Sheets) Sheet(_ context.Context, series fare.Series, _ bool) (*departure.State, error) {
	if sheet := s[series]; sheet != nil {
		return store.States.Pack(sheet).Value()
	}
	return nil, store.ErrNotFound
}

func (Sheets) Pooled(context.Context) (departure.Cycle, error) {
	day := fare.DayOf(Today)
	pooled := departure.Start(day)
	var sums departure.Statistics
	for _, h := range departure.Horizons() {
		new(departure.Route).Learn(h, pooled.View(day), []departure.Outcome{{}}, &sums)
		pooled.Learn(h, day, &sums)
	}
	return departure.Cycle{Day: day - 1, Pooled: pooled}, nil
}

func (Sheets) Blocks(context.Context, fare.Series, store.Consistency) (all []store.StoredBlock, _ error) {
	for _, b := range fare.Blocks(ObservationsOf(40)) {
		all = append(all, store.StoredBlock{Block: b})
	}
	return all, nil
}
