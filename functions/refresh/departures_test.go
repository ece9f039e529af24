package refresh_test

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/fare"
	"verdetto/shared/notify/notifytest"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
	"verdetto/shared/verdict/departure"
)

func TestDeparturesOfAnyOrder(t *testing.T) {
	source := dailyFares(20)
	stores := map[string]*dayStore{}
	for name, order := range map[string][]fare.City{
		"in order": {"MIL", "ROM", "TRN"}, "backwards": {"TRN", "ROM", "MIL"},
		"repeated": {"ROM", "MIL", "ROM", "TRN", "TRN", "MIL"},
	} {
		s := openDays(t)
		for d := range fare.Day(20) {
			s.setDay(firstDay + d)
			for _, origin := range order {
				s.mustRefresh(t, source, origin)
			}
		}
		stores[name] = s
	}
	want := stores["in order"].departures(t)
	for name, s := range stores {
		if diff := cmp.Diff(want, s.departures(t)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	for _, key := range []string{"FARES POOLED", "ROUTE#ROM-PAR DEPARTURES#0", "ROUTE#ROM-PAR#4-7 DEPARTURES#any",
		"ROUTE#ROM-PAR DEPARTURES#learning", "LEFT#" + (firstDay + 19).String() + " MIL-BUH",
		"SCORE SUM", "SCORE WEEK#" + fare.CycleOf(firstDay+18).First().String()} {
		if want[key] == "" {
			t.Errorf("there is no %s among %v", key, slices.Sorted(maps.Keys(want)))
		}
	}
	if want["ROUTE#MIL-LON DEPARTURES#0"] != "" {
		t.Error("a route all of whose fares are without stops has a sheet of them beside that of all")
	}
}

func TestDeparturesSurviveKills(t *testing.T) {
	const last = 9
	source := dailyFares(last + 1)
	path := filepath.Join(t.TempDir(), "before.db")
	earlier := openDaysAt(t, path)
	earlier.days(t, source, last)
	if err := earlier.Close(); err != nil {
		t.Fatal(err)
	}
	stored, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	opened := map[store.Table]*dayStore{}
	open := func(t *testing.T) store.Table {
		path := filepath.Join(t.TempDir(), "test.db")
		if err := os.WriteFile(path, stored, 0o600); err != nil {
			t.Fatal(err)
		}
		s := openDaysAt(t, path)
		s.setDay(firstDay + last)
		opened[s] = s
		return s
	}
	undisturbed := open(t).(*dayStore)
	before := undisturbed.departures(t)
	undisturbed.mustRefresh(t, source)
	want := undisturbed.departures(t)
	if before["FARES POOLED"] == want["FARES POOLED"] ||
		before["ROUTE#MIL-BUH DEPARTURES#learning"] == want["ROUTE#MIL-BUH DEPARTURES#learning"] {
		t.Fatal("the case is not what it should be")
	}
	if left := "LEFT#" + (firstDay + last).String() + " MIL-BUH"; !strings.HasPrefix(want[left], "02") ||
		before["SCORE SUM"] == want["SCORE SUM"] {
		t.Fatalf("nothing is compared, or added to the score: %s, %s", want[left], want["SCORE SUM"])
	}
	eachFault(t, open, func(t *testing.T, f *storetest.Faulty) {
		s := opened[f.Table]
		r := refresher(source, f, s.clock)
		if report, err := r.Run(t.Context()); err != nil || report.Failed > 0 {
			f.Heal()
			mustRun(t, r)
		}
		if diff := cmp.Diff(want, s.departures(t)); diff != "" {
			t.Error(diff)
		}
	})
}

func (s *dayStore) sheet(t *testing.T, series string, nonStop bool) *departure.State {
	t.Helper()
	return sheetOf(t, s, seriesOf(series), nonStop)
}

func TestSheetsOfStops(t *testing.T) {
	s := openDays(t)
	s.days(t, dailyFares(20), 20)
	for _, c := range []struct {
		series      string
		any, direct departure.StopsKnown
		only        bool
	}{
		{"MIL-BUH", departure.StopsUnknown, departure.StopsUnknown, false},
		{"MIL-LON", departure.AllNonStop, departure.AllNonStop, true},
		{"ROM-PAR", departure.SomeStops, departure.OnlyNonStop, true},
		{"ROM-PAR#4-7", departure.AllNonStop, departure.AllNonStop, true},
	} {
		all, direct := s.sheet(t, c.series, false), s.sheet(t, c.series, true)
		if all.Stops != c.any || direct.Stops != c.direct || direct.NonStopOnly() != c.only || all.AsOf != firstDay+19 {
			t.Errorf("%s: %v of %s, and %v", c.series, all.Stops, all.AsOf, direct.Stops)
		}
		if len(all.Live) != 12 || len(direct.Live) != 12 || all.Route.Count() != 19*11 ||
			direct.Route.Count() != 19*11 {
			t.Errorf("%s: %d live, of %d fares; without stops %d of %d", c.series, len(all.Live), all.Route.Count(),
				len(direct.Live), direct.Route.Count())
		}
		for i, l := range all.Live {
			if l.Price > direct.Live[i].Price {
				t.Errorf("%s: the fares without stops are cheaper than all: %+v, %+v", c.series, l, direct.Live[i])
			}
		}
	}
}

func TestStopsBecomeKnown(t *testing.T) {
	s := openDays(t)
	source := dailyFares(20)
	for d := range fare.Day(20) {
		s.setDay(firstDay + d)
		if d == 15 {
			source.fares = append(source.fares,
				fare.Fare{Route: notifytest.Route("MIL-LON"), Observation: fare.Observation{
					Found: (firstDay + 15).Time().Unix(), Depart: firstDay + 20, Price: 1000, Stops: fare.OneStop}})
		}
		s.mustRefresh(t, source)
	}
	all, direct := s.sheet(t, "MIL-LON", false), s.sheet(t, "MIL-LON", true)
	if all.Stops != departure.SomeStops || direct.Stops != departure.OnlyNonStop || direct.Route.Count() != 19*11 ||
		all.Route.Count() != 19*11 {
		t.Errorf("%v, %v; %d and %d fares", all.Stops, direct.Stops, all.Route.Count(), direct.Route.Count())
	}
}

func TestStopsOfAnUnknownRouteBecomeKnown(t *testing.T) {
	s := openDays(t)
	source := dailyFares(16)
	for _, d := range []fare.Day{0, 1, 2, 3, 4, 5, 15} {
		s.setDay(firstDay + d)
		if d == 15 {
			for _, found := range []fare.Day{2, 14} {
				source.fares = append(source.fares,
					fare.Fare{Route: notifytest.Route("MIL-BUH"), Observation: fare.Observation{
						Found: (firstDay + found).Time().Unix(), Depart: firstDay + found + 5,
						Price: 1000, Stops: fare.NonStop}})
			}
		}
		s.mustRefresh(t, source)
	}
	if all, direct := s.sheet(t, "MIL-BUH", false), s.sheet(t, "MIL-BUH", true); all.Stops != departure.SomeStops ||
		direct.Route.Count() != 2 || all.Route.Count() != 15*11 {
		t.Errorf("%v; %d fares without stops, of %d", all.Stops, direct.Route.Count(), all.Route.Count())
	}
}

func TestFirstCurveOfSingleOrigins(t *testing.T) {
	all, single := openDays(t), openDays(t)
	source := dailyFares(2)
	for day := firstDay; day < firstDay+2; day++ {
		all.setDay(day)
		single.setDay(day)
		all.mustRefresh(t, source)
		for _, origin := range source.origins {
			single.mustRefresh(t, source, origin)
			single.mustRefresh(t, source, origin)
		}
	}
	want, got := pooledOf(t, all), pooledOf(t, single)
	if diff := cmp.Diff(want.Pooled.Encode(), got.Pooled.Encode()); diff != "" || want.Day != got.Day {
		t.Errorf("pooled statistics of %s: %s", got.Day, diff)
	}
	if bytes.Equal(got.Pooled.Encode(), departure.Start(firstDay).Encode()) {
		t.Error("the lead-time curve is not known")
	}
}
