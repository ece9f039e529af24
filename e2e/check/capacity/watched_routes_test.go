package capacity

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/e2e/fixture"
	"verdetto/functions/refresh"
	"verdetto/shared/fare"
	"verdetto/shared/store"
)

func TestCapacityOfWatched(t *testing.T) {
	t.Parallel()
	const weeks = 26
	route := fare.Route{Origin: "MIL", Destination: "BUH"}
	spent := func(t *testing.T, watching ...store.Trip) fixture.Units {
		end := time.Date(2016, 3, 1, 3, 0, 0, 0, time.UTC)
		now := end.AddDate(0, 0, -7*(weeks-1))
		clock := func() time.Time { return now }
		m := fixture.Metered(t, clock)
		alerts := store.Alerts{Table: m}
		for i, trip := range watching {
			a := store.Alert{Subscriber: store.SubscriberID(fmt.Sprint("s", i)), Route: route,
				Email: fmt.Sprintf("s%d@example.com", i), Language: "it", Trip: trip}
			a.ID = a.NewID()
			err := alerts.AddPending(t.Context(), fmt.Sprint(i), a, now.Add(time.Hour))
			if err == nil {
				_, err = alerts.Confirm(t.Context(), fmt.Sprint(i))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		r := refresh.Refresher{Source: weekly(100, weeks, end), Fares: store.Fares{Table: m}, Now: clock, Workers: 1}
		for ; !now.After(end); now = now.AddDate(0, 0, 7) {
			clear(m.Spent)
			if report, err := r.Run(t.Context()); err != nil || report.Failed > 0 || report.RoutesChanged != 1 {
				t.Fatalf("%+v %v", report, err)
			}
		}
		return m.Spent
	}
	depart := fare.DayOf(time.Date(2016, 4, 20, 0, 0, 0, 0, time.UTC))
	one, some := store.Trip{From: depart, To: depart}, store.Trip{From: depart - 2, To: depart + 3}
	base := spent(t)
	for _, c := range []struct {
		name     string
		watching []store.Trip
		want     fixture.Units // units beyond those of a route without alerts
	}{
		{"the route", []store.Trip{{}}, fixture.Units{"read WATCHED": 1, "read SEEN HISTORY": 1,
			"write SEEN HISTORY": 2}},
		{"the route, ten times", make([]store.Trip, 10), fixture.Units{"read WATCHED": 1,
			"read SEEN HISTORY": 1, "write SEEN HISTORY": 2}},
		{"a trip", []store.Trip{one}, fixture.Units{"read WATCHED": 1, "read SEEN HISTORY": 1,
			"write SEEN HISTORY": 2, "write WAKES": 1}},
		{"ten trips", []store.Trip{one, some, one, some, one, {From: depart + 1, To: depart + 1},
			{From: depart + 2, To: depart + 2}, {Nonstop: true}, one, one},
			fixture.Units{"read WATCHED": 1, "read SEEN HISTORY": 1, "write SEEN HISTORY": 2, "write WAKES": 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			more := fixture.Units{}
			for what, units := range spent(t, c.watching...) {
				if units != base[what] {
					more[what] = units - base[what]
				}
			}
			if diff := cmp.Diff(c.want, more); diff != "" {
				t.Errorf("beyond the cost without alerts (-want +got):\n%s", diff)
			}
		})
	}
}
