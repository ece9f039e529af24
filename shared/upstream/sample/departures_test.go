package sample

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/fare"
	"verdetto/shared/upstream"
)

func TestDepartures(t *testing.T) {
	s := New()
	for _, c := range []struct {
		name  string
		q     upstream.Question
		least int
	}{
		{"lively", upstream.Question{Series: series(t, "MIL-LON", fare.OneWay)}, ahead - sweepDays},
		{"quiet", upstream.Question{Series: series(t, "VRN-PMO", fare.OneWay)}, 10},
		{"with a stop or without", upstream.Question{Series: series(t, "MIL-NYC", fare.OneWay)}, 30},
		{"without a stop", upstream.Question{Series: series(t, "MIL-NYC", fare.OneWay), NonStop: true}, 15},
		{"return", upstream.Question{Series: series(t, "LON-NYC", fare.Return4to7)}, 15},
		{"return without a stop", upstream.Question{Series: series(t, "LON-NYC", fare.Return8to14), NonStop: true}, 15},
		{"never without a stop", upstream.Question{Series: series(t, "MIL-TYO", fare.OneWay), NonStop: true}, 0},
		{"no returns", upstream.Question{Series: series(t, "VRN-PMO", fare.Return4to7)}, 0},
		{"no such route", upstream.Question{Series: series(t, "VRN-NYC", fare.OneWay)}, 0},
		{"no such town", upstream.Question{Series: series(t, "XXX-NYC", fare.OneWay)}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			answer, err := s.Departures(t.Context(), c.q, noon)
			if err != nil {
				t.Fatal(err)
			}
			got := map[fare.Day]fare.Observation{}
			for _, f := range answer.Fares {
				if _, twice := got[f.Depart]; twice || f.Depart < fare.DayOf(noon) {
					t.Errorf("departure %s occurs twice, or is past", f.Depart)
				}
				got[f.Depart] = f.Observation
			}
			want := map[fare.Day]fare.Observation{}
			for _, f := range fares(t, s, c.q.Origin, noon.Add(-7*24*time.Hour), noon) {
				if f.Series() != c.q.Series || f.Depart < fare.DayOf(noon) || c.q.NonStop && f.Stops != fare.NonStop {
					continue
				}
				if old, ok := want[f.Depart]; !ok || f.Found > old.Found || f.Found == old.Found &&
					f.Price < old.Price {
					want[f.Depart] = f.Observation
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if len(got) < c.least || c.least == 0 && len(got) > 0 {
				t.Errorf("%d departures, want at least %d", len(got), c.least)
			}
		})
	}
}

func series(t *testing.T, route string, trip fare.Trip) fare.Series {
	t.Helper()
	r, err := fare.ParseRoute(route)
	if err != nil {
		t.Fatal(err)
	}
	return fare.Series{Route: r, Trip: trip}
}
