package verdict

import (
	"testing"

	"verdetto/shared/fare"
)

func TestBetterFlightOfEqualFares(t *testing.T) {
	const day = fare.Day(18000)
	flight := func(minutes int16) fare.Flight { return fare.Flight{Minutes: minutes} }
	early := Live{Depart: day + 2, Price: 2199, Stops: fare.NonStop, Flight: flight(165)}
	slower := Live{Depart: day + 3, Price: 2199, Stops: fare.NonStop, Flight: flight(190)}
	late := Live{Depart: day + 60, Price: 2199, Stops: fare.StopsOf(1), Flight: flight(425)}
	unknown := Live{Depart: day + 90, Price: 2199}
	for name, c := range map[string]struct {
		live []Live
		want []fare.Day
	}{
		"non-stop before one stop":          {[]Live{early, late}, []fare.Day{early.Depart, late.Depart}},
		"shorter before longer":             {[]Live{early, slower}, []fare.Day{early.Depart, slower.Depart}},
		"an unknown flight is not compared": {[]Live{late, unknown}, []fare.Day{unknown.Depart, unknown.Depart}},
		"a lower price counts first": {[]Live{early, {Depart: day + 5, Price: 2100, Stops: fare.StopsOf(1)}},
			[]fare.Day{day + 5, day + 5}},
	} {
		s := RouteSummary{AsOf: day, View: View{Live: cheapestAhead(c.live, day)}}
		for i, today := range []fare.Day{day, day + 3} {
			if l, ok := s.Cheapest(today); !ok || l.Depart != c.want[i] {
				t.Errorf("%s, %d days later: departs %d days ahead", name, today-day, l.Depart-day)
			}
		}
	}
	if got := steps([]Live{early, late}, day); len(got) != 2 || got[0].Depart != early.Depart {
		t.Errorf("the month names %+v", got)
	}
	worse := Live{Depart: day + 1, Price: 2199, Stops: fare.StopsOf(1)}
	if got := steps([]Live{worse, early}, day); got[0].Depart != early.Depart {
		t.Errorf("the month names %+v", got)
	}
}
