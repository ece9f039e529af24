package refresh

import (
	"context"
	"fmt"
	"slices"

	"verdetto/shared/fare"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/deals"
	"verdetto/shared/verdict/departure"
)

type summaries map[fare.Trip]map[fare.City]mergeResult

func (all summaries) add(series fare.Series, m mergeResult) {
	if all[series.Trip] == nil {
		all[series.Trip] = map[fare.City]mergeResult{}
	}
	all[series.Trip][series.Destination] = m
}

func (r *Refresher) updateDeals(ctx context.Context, origin fare.City, stored summaries,
	pooled *departure.Pooled) error {
	for trip, merged := range stored {
		if err := r.updateDealsOf(ctx, origin, trip, merged, pooled); err != nil {
			return err
		}
	}
	return nil
}

// updateDealsOf must be called after the departure states are stored.
func (r *Refresher) updateDealsOf(ctx context.Context, origin fare.City, trip fare.Trip,
	stored map[fare.City]mergeResult, pooled *departure.Pooled) error {
	var fresh []deals.Entry
	for destination, m := range stored {
		if m.deal != nil {
			fresh = append(fresh, *m.deal)
			continue
		}
		series := fare.Series{Route: fare.Route{Origin: origin, Destination: destination}, Trip: trip}
		sheets, err := r.readState(ctx, series)
		if err != nil {
			return err
		}
		e, err := dealsOf(series, m.summary, sheets, pooled, true)
		if err != nil {
			return err
		}
		fresh = append(fresh, e)
	}
	if len(fresh) == 0 {
		return nil
	}
	return r.Fares.UpdateDeals(ctx, origin, trip, func(old deals.Origin) deals.Origin {
		old.Entries = slices.DeleteFunc(old.Entries,
			func(e deals.Entry) bool { return isDayAhead(e.AsOf, fare.DayOf(r.Now())) })
		return old.Merge(fresh)
	})
}

func dealsOf(series fare.Series, s verdict.RouteSummary, sheets seriesState,
	pooled *departure.Pooled, all bool) (e deals.Entry, err error) {
	e = deals.Entry{Destination: series.Destination, AsOf: s.AsOf, Observations: s.Observations,
		Collected: s.CollectedSince()}
	defer func() {
		if err != nil {
			err = fmt.Errorf("judge deals of %s: %w", series, err)
		}
	}()
	all = all && series.Trip == fare.OneWay
	if e.Any, err = faresOf(s, sheets.any, pooled, all); err != nil {
		return e, err
	}
	without, known := s.WithoutStops()
	if !known {
		return e, nil
	}
	sheet := sheets.nonStop
	if sheet == nil && sheets.any != nil && sheets.any.NonStopOnly() {
		sheet = sheets.any
	}
	f, err := faresOf(without, sheet, pooled, all)
	e.NonStop = &f
	return e, err
}

func faresOf(s verdict.RouteSummary, sheet *departure.Learner,
	pooled *departure.Pooled, all bool) (f deals.Fares, err error) {
	if sheet == nil || sheet.AsOf == 0 {
		f.Route, err = asDeals(nil, nil, verdict.CheapestAhead(s))
		return f, err
	}
	state := &sheet.State
	if f.Route, err = asDeals(state, pooled, verdict.CheapestAhead(s)); err != nil || !all {
		return f, err
	}
	months, err := verdict.CheapestOfMonths(state, pooled)
	if err != nil {
		return f, err
	}
	if f.Months, err = asDeals(state, pooled, months); err != nil {
		return f, err
	}
	var airlines []verdict.Judged
	for _, a := range verdict.AirlinesOf(sheet.Live) {
		airlines = append(airlines, verdict.CheapestAhead(s.OfAirlines(fare.OnlyAirlines([]fare.Airline{a}), state))...)
	}
	f.Airlines, err = asDeals(state, pooled, airlines)
	return f, err
}

func asDeals(state *departure.State, pooled *departure.Pooled, judged []verdict.Judged) (all []deals.Deal, err error) {
	days := make([]verdict.Verdict, len(judged))
	if state != nil {
		days, err = verdict.OwnDays(state, pooled, judged, state.AsOf.Time())
	}
	for i, j := range judged {
		if err == nil {
			j.Verdict.Minimum = 0 // deals do not store the minimum
			ofDay := days[i]
			all = append(all, deals.Deal{Judged: j, OwnDay: verdict.Verdict{Level: ofDay.Level, Reliability: ofDay.Reliability,
				Median: ofDay.Median}})
		}
	}
	return all, err
}
