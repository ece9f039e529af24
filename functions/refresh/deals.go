package refresh

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/deals"
	"verdetto/shared/verdict/departure"
)

type summaries map[fare.Trip]map[fare.City]verdict.RouteSummary

func (all summaries) add(of fare.Series, s verdict.RouteSummary) {
	if all[of.Trip] == nil {
		all[of.Trip] = map[fare.City]verdict.RouteSummary{}
	}
	all[of.Trip][of.Destination] = s
}

func (r *Refresher) updateDeals(ctx context.Context, origin fare.City, stored summaries,
	pooled *departure.Pooled) error {
	for trip, of := range stored {
		if err := r.updateDealsOf(ctx, origin, trip, of, pooled); err != nil {
			return err
		}
	}
	return nil
}

// updateDealsOf reads the departure states for one-way deals, so it must run after they are stored.
// Deals for return trips are not listed by month.
func (r *Refresher) updateDealsOf(ctx context.Context, origin fare.City, trip fare.Trip,
	stored map[fare.City]verdict.RouteSummary, pooled *departure.Pooled) error {
	var fresh []deals.Entry
	for destination, s := range stored {
		of := fare.Series{Route: fare.Route{Origin: origin, Destination: destination}, Trip: trip}
		var sheets seriesState
		if trip == fare.OneWay {
			var err error
			if sheets, err = r.readState(ctx, of); err != nil {
				return err
			}
		}
		e, err := dealsOf(destination, s, sheets, pooled)
		if err != nil {
			return fmt.Errorf("judge deals of %s: %w", of, err)
		}
		fresh = append(fresh, e)
	}
	if len(fresh) == 0 {
		return nil
	}
	return store.RetryConflicts(ctx, func() error {
		had, version, err := r.Fares.Deals(ctx, origin, trip)
		old, err := store.Decode(had, err, deals.Decode)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return fmt.Errorf("read deals of %s: %w", origin, err)
		}
		old.Entries = slices.DeleteFunc(old.Entries,
			func(e deals.Entry) bool { return isDayAhead(e.AsOf, fare.DayOf(r.Now())) })
		data := old.Merge(fresh).Encode()
		if bytes.Equal(data, had) {
			return nil
		}
		return r.Fares.PutDeals(ctx, origin, trip, data, version)
	})
}

// dealsOf judges the cheapest fare of a series with its summary, and the cheapest fare of each
// month with the departure states.
func dealsOf(destination fare.City, s verdict.RouteSummary, sheets seriesState,
	pooled *departure.Pooled) (deals.Entry, error) {
	e := deals.Entry{Destination: destination, AsOf: s.AsOf, Observations: s.Observations,
		Collected: s.CollectedSince()}
	var err error
	if e.Any, err = faresOf(s, sheets.any, pooled); err != nil {
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
	f, err := faresOf(without, sheet, pooled)
	e.NonStop = &f
	return e, err
}

func faresOf(s verdict.RouteSummary, sheet *departure.Learner, pooled *departure.Pooled) (f deals.Fares, err error) {
	f.Route = asDeals(verdict.CheapestAhead(s))
	if sheet == nil || sheet.AsOf == 0 {
		return f, nil // the series has no departure state yet
	}
	months, err := verdict.CheapestOfMonths(&sheet.State, pooled)
	f.Months = asDeals(months)
	for _, a := range verdict.AirlinesOf(sheet.Live) {
		only := s.OfAirlines(fare.OnlyAirlines([]fare.Airline{a}), &sheet.State)
		f.Airlines = append(f.Airlines, asDeals(verdict.CheapestAhead(only))...)
	}
	return f, err
}

func asDeals(judged []verdict.Judged) (all []deals.Deal) {
	for _, j := range judged {
		j.Verdict.Minimum = 0 // deals do not store it
		all = append(all, deals.Deal{Judged: j})
	}
	return all
}
