package refresh_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"verdetto/shared/fare"
	"verdetto/shared/notify/notifytest"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
)

// The wanted ratio 1.2247 is the geometric mean of 6000/4000 and 4000/4000.
func TestAirportsInDemand(t *testing.T) {
	w := newDeepWorld(t, open(t), "MIL-LON")
	from := func(name string, price fare.Cents, stops ...int) []fare.Fare {
		all := departing("MIL-LON", today, price, stops...)
		for i := range all {
			all[i].Flight.From, _ = fare.ParseAirport(name[:3])
			all[i].Flight.To, _ = fare.ParseAirport(name[4:])
		}
		return all
	}
	cheap := from("MXP-LHR", 4000, 0, 0)
	cheap[1].Flight = from("BGY-STN", 4000, 0)[0].Flight
	w.source.departures["MIL-LON"] = cheap
	w.source.departures["MIL-LON@BGY-STN"] = append(from("BGY-STN", 6000, 0), from("MXP-STN", 100, 0)...)
	w.demand("MIL-LON", "MIL-LON@BGY-STN", "ROM-LON@-STN") // Rome is not covered
	if asked := w.day(); len(asked) != 2 || asked[0] != "MIL-LON" || asked[1] != "MIL-LON@BGY-STN" {
		t.Fatalf("asked for %v", asked)
	}
	s := w.summary("MIL-LON@BGY-STN")
	if b := s.Basis; s.Observations != 2 || b == nil || b.Departures != 2 || b.Ratio < 1.2247 || b.Ratio > 1.2248 {
		t.Errorf("summary %+v, basis %+v", s, s.Basis)
	}
	if live, ok := s.Cheapest(fare.DayOf(today)); !ok || live.Price != 4000 || live.Depart != fare.DayOf(today)+31 {
		t.Errorf("live %+v", live)
	}
	if c := w.summary("MIL-LON"); c.Basis != nil || c.Observations != 3 {
		t.Errorf("the cities' summary has %d fares", c.Observations)
	}
	a, _ := verdict.Judge(s, today)
	if a.Basis == nil || a.Basis.Percent() != 22 {
		t.Errorf("basis %+v", a.Basis)
	}
}

// For 12 routes, planDeep allows 2 airport pairs a day: a seventh of the routes and a tenth more, rounded up.
func TestAirportsAreLimited(t *testing.T) {
	routes := append(routesFrom("MIL", 11), "MIL-LON")
	w := newDeepWorld(t, open(t), routes...)
	w.day()
	var pairs []string
	for _, from := range []string{"BGY", "LIN", "MXP"} {
		for _, to := range []string{"STN", "LGW", "LHR"} {
			pairs = append(pairs, "MIL-LON@"+from+"-"+to)
		}
	}
	slices.Sort(pairs)
	for day := range 6 {
		w.now = w.now.AddDate(0, 0, 1)
		w.demand(append(pairs, "MIL-LON")...)
		asked := w.day()
		var got []string
		for _, name := range asked {
			if strings.Contains(name, "@") {
				got = append(got, name)
			}
		}
		want := []string{pairs[(2*day)%9], pairs[(2*day+1)%9]}
		slices.Sort(want)
		if !slices.Equal(got, want) || !slices.Contains(asked, "MIL-LON") {
			t.Errorf("day %d: asked for %v, want of airports %v", day, asked, want)
		}
	}
}

func TestAirportsWithAlerts(t *testing.T) {
	w := newDeepWorld(t, open(t), "MIL-LON")
	w.day()
	alerts := store.Alerts{Table: w.table}
	bergamo, _ := fare.ParseAirport("BGY")
	alert := store.Alert{Subscriber: "s", Email: "ada@example.com", Route: notifytest.Route("MIL-LON"),
		Trip: store.Trip{Nights: fare.Return4to7, Airports: fare.Airports{From: bergamo}}}
	alert.ID = alert.NewID()
	if err := alerts.AddPending(t.Context(), "p", alert, w.now.AddDate(0, 0, 1)); err != nil {
		t.Fatal(err)
	}
	if _, err := alerts.Confirm(t.Context(), "p"); err != nil {
		t.Fatal(err)
	}
	w.now = w.now.AddDate(0, 0, 1)
	if asked := w.day(); fmt.Sprint(asked) != "[MIL-LON MIL-LON#4-7 MIL-LON@BGY-#4-7]" {
		t.Errorf("asked for %v", asked)
	}
}
