package refresh_test

import (
	"testing"

	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

// TestAirportsInDemand: a pair of airports in demand is asked for after the routes, and has a
// summary of its own. With one day of fares it is compared with the cities, at the median ratio of
// the departures with a fare of both: here 6000/4000 and 4000/4000, so the square root of 1.5.
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
	if s.Observations != 2 || s.Basis == nil || s.Basis.Departures != 2 || s.Basis.Ratio < 1.2247 || s.Basis.Ratio > 1.2248 {
		t.Errorf("summary %+v, basis %+v", s, s.Basis)
	}
	if live, ok := s.Cheapest(fare.DayOf(today)); !ok || live.Price != 4000 || live.Depart != fare.DayOf(today)+31 {
		t.Errorf("live %+v", live)
	}
	if c := w.summary("MIL-LON"); c.Basis != nil || c.Observations != 3 {
		t.Errorf("the cities' summary has %d fares", c.Observations)
	}
	a, _ := verdict.Judge(s, today)
	if tr := a.Tratta.Between(fare.Airports{}); tr != nil || a.Tratta == nil || *a.Tratta.ScartoPercento != 22 {
		t.Errorf("tratta %+v", a.Tratta)
	}
}
