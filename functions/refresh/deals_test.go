package refresh_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/deals"
	"verdetto/shared/verdict/departure"
)

func TestDealsSayWhatAnswersSay(t *testing.T) {
	const days = 20
	source := dailyFares(days)
	for name, each := range map[string]func(t *testing.T, s *dayStore){
		"day by day": func(t *testing.T, s *dayStore) { s.days(t, source, days) },
		"at once": func(t *testing.T, s *dayStore) {
			s.setDay(firstDay + days - 1)
			s.mustRefresh(t, source)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := openDays(t)
			each(t, s)
			routes, months, returns := 0, 0, 0
			for _, origin := range source.origins {
				r, m := holdDeals(t, store.Fares{Table: s}, origin, fare.OneWay)
				routes, months = routes+r, months+m
				for _, trip := range fare.Trips()[1:] {
					r, m := holdDeals(t, store.Fares{Table: s}, origin, trip)
					returns += r
					if m > 0 {
						t.Errorf("%d months of returns with %s nights", m, trip)
					}
				}
			}
			if routes != 7 || months < 7 || returns == 0 {
				t.Errorf("%d routes, %d months and %d returns were compared", routes, months, returns)
			}
			for name, known := range map[fare.City]bool{"BUH": false, "LON": true} {
				e, ok := storedDeals(t, store.Fares{Table: s}, "MIL", fare.OneWay).Entry(name)
				if !ok || (e.NonStop != nil) != known || e.AsOf != firstDay+days-1 {
					t.Errorf("%s: %+v", name, e)
				}
			}
		})
	}
}

func TestDealsStand(t *testing.T) {
	const days = 20
	source := dailyFares(days + 1)
	s := openDays(t)
	read := func() map[fare.City]deals.Deal {
		all := map[fare.City]deals.Deal{}
		for _, origin := range source.origins {
			for _, e := range storedDeals(t, store.Fares{Table: s}, origin, fare.OneWay).Entries {
				all[origin+e.Destination] = e.Any.Route[0]
			}
		}
		return all
	}
	stood, moved := 0, 0
	var before map[fare.City]deals.Deal
	for d := range fare.Day(days + 1) {
		s.setDay(firstDay + d)
		s.mustRefresh(t, source)
		now := read()
		_, version, err := store.Fares{Table: s}.Deals(t.Context(), "MIL", fare.OneWay)
		if err != nil {
			t.Fatal(err)
		}
		s.mustRefresh(t, source)
		if _, again, err := (store.Fares{Table: s}).Deals(t.Context(), "MIL", fare.OneWay); err != nil ||
			again != version {
			t.Errorf("day %d: the deals were written again: version %d, then %d, %v", d, version, again, err)
		}
		for route, deal := range now {
			previous, ok := before[route]
			if !ok || previous.Fare.Depart != deal.Fare.Depart {
				continue
			}
			same := previous.Fare.Price == deal.Fare.Price && previous.Fare.Stops == deal.Fare.Stops &&
				previous.OwnDay.Level == deal.OwnDay.Level && previous.OwnDay.Reliability == deal.OwnDay.Reliability
			if same != (previous.Since == deal.Since) || deal.Since > s.now.Unix() || deal.Since < previous.Since {
				t.Errorf("day %d, %s: told since %d, before %d: %+v, before %+v", d, route, deal.Since, previous.Since,
					deal.Judged, previous.Judged)
			}
			if same {
				stood++
			} else {
				moved++
			}
		}
		before = now
	}
	if stood < 3 || moved < 3 {
		t.Errorf("%d stood and %d moved: that shows nothing", stood, moved)
	}
}

func storedDeals(t *testing.T, fares store.Fares, origin fare.City, trip fare.Trip) deals.Origin {
	t.Helper()
	all, _, err := fares.Deals(t.Context(), origin, trip)
	if errors.Is(err, store.ErrNotFound) && trip != fare.OneWay {
		return deals.Origin{}
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func holdDeals(t *testing.T, fares store.Fares, origin fare.City, trip fare.Trip) (routes, months int) {
	t.Helper()
	pooled := pooledOf(t, fares.Table)
	for _, e := range storedDeals(t, fares, origin, trip).Entries {
		series := fare.Series{Route: fare.Route{Origin: origin, Destination: e.Destination}, Trip: trip}
		summary := summaryOf(t, fares.Table, series)
		for _, nonStop := range []bool{false, true} {
			view := summary
			if nonStop {
				var known bool
				if view, known = summary.WithoutStops(); !known {
					continue
				}
			}
			now := e.AsOf.Time()
			want, ok := verdict.Judge(view, now)
			got, is := e.Cheapest(e.AsOf, deals.Filter{NonStop: nonStop})
			if ok != is {
				t.Fatalf("%s: a fare is live: %v, a deal: %v", e.Destination, ok, is)
			}
			if ok {
				routes++
				same(t, e.Destination, want, got, now)
			}
			if trip != fare.OneWay {
				months += len(e.Any.Months)
				continue
			}
			sheet := sheetOf(t, fares.Table, series, nonStop)
			for ahead := range fare.Day(12) {
				month := e.AsOf + 30*ahead
				span := departure.Month
				want, ok, err := verdict.JudgeDeparture(sheet, pooled.Pooled, verdict.When{Date: month, Span: &span},
					now)
				if err != nil {
					t.Fatal(err)
				}
				got, is := e.Cheapest(e.AsOf, deals.Filter{Month: &month, NonStop: nonStop})
				if ok != is {
					t.Fatalf("%s in the month of %s: a fare is live: %v, a deal: %v", e.Destination, month, ok, is)
				}
				if ok {
					months++
					same(t, e.Destination, want, got, now)
				}
			}
		}
	}
	return routes, months
}

func same(t *testing.T, destination fare.City, want verdict.Judgement, got deals.Deal, now time.Time) {
	t.Helper()
	v := &want.Verdict
	v.Minimum, v.Interval, v.Days = 0, nil, nil
	if diff := cmp.Diff(want.Judged, got.Aged(now)); diff != "" {
		t.Errorf("%s (-answered +deal): %s", destination, diff)
	}
}
