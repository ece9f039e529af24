package refresh_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/functions/refresh"
	"verdetto/shared/departure"
	"verdetto/shared/fare"
	"verdetto/shared/notify/notifytest"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/store/storetest"
	"verdetto/shared/upstream"
)

// daily is a source whose departures have a price each day.
type daily struct {
	origins []fare.City
	fares   []fare.Fare
}

func (*daily) Name() string                                   { return "daily" }
func (s *daily) Origins(context.Context) ([]fare.City, error) { return s.origins, nil }
func (s *daily) Fares(_ context.Context, origin fare.City, since, until time.Time) (a upstream.Answer, _ error) {
	for _, f := range s.fares {
		if at := time.Unix(f.Found, 0); f.Route.Origin == origin && at.After(since) && !at.After(until) {
			a.Fares = append(a.Fares, f)
		}
	}
	return a, nil
}

// firstDay is that of the fares below.
const firstDay = fare.Day(20500)

// dailyFares has routes of which nothing is known of stops, all without stops, and some; and returns.
func dailyFares(days int) *daily {
	s := &daily{origins: []fare.City{"MIL", "ROM", "TRN"}}
	for i, r := range []struct {
		name   string
		stops  []fare.Stops
		nights int16
	}{
		{"MIL-BUH", []fare.Stops{fare.StopsUnknown}, 0},
		{"MIL-LON", []fare.Stops{fare.NonStop}, 0},
		{"ROM-PAR", []fare.Stops{fare.OneStop, fare.NonStop}, 0},
		{"ROM-PAR", []fare.Stops{fare.NonStop}, 5},
		{"TRN-PAR", []fare.Stops{fare.NonStop}, 0},
	} {
		chance := rand.New(rand.NewPCG(15, uint64(i)))
		price := map[fare.Day]fare.Cents{}
		for d := range days {
			found := firstDay + fare.Day(d)
			for at := found + 1; at < found+12; at++ {
				if price[at] == 0 {
					price[at] = fare.Cents(3000 + 100*chance.IntN(40))
				} else if chance.IntN(4) == 0 {
					price[at] = max(1000, price[at]+fare.Cents(100*(chance.IntN(13)-6)))
				}
				for n, stops := range r.stops {
					s.fares = append(s.fares, fare.Fare{Route: notifytest.Route(r.name), Observation: fare.Observation{
						Found: found.Time().Unix() + int64(3600*i), Depart: at, Price: price[at] + fare.Cents(900*n*chance.IntN(2)), Nights: r.nights, Stops: stops,
					}})
				}
			}
		}
	}
	return s
}

// dayStore is a store with a clock of its own.
type dayStore struct {
	store.Table
	now time.Time
}

func openDays(t *testing.T) *dayStore {
	t.Helper()
	return openFile(t, filepath.Join(t.TempDir(), "test.db"))
}

func openFile(t *testing.T, path string) *dayStore {
	t.Helper()
	s := &dayStore{}
	s.on(firstDay)
	table, err := boltstore.Open(path, func() time.Time { return s.now }, boltstore.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { table.Close() })
	s.Table = table
	return s
}

func (s *dayStore) on(day fare.Day) { s.now = day.Time().Add(12 * time.Hour) }

// refresh asks for origins in their order, or for all; false where something failed.
func (s *dayStore) refresh(t *testing.T, table store.Table, source upstream.Source, origins ...fare.City) bool {
	t.Helper()
	r := refresh.Refresher{Source: source, Fares: store.Fares{Table: table}, Now: func() time.Time { return s.now }, Workers: 1}
	report, err := r.Run(t.Context(), origins...)
	return err == nil && report.Failed == 0
}

// departures is all that the store holds of departures and of what all routes share.
func (s *dayStore) departures(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	partitions := []string{"FARES"}
	for _, series := range []string{"MIL-BUH", "MIL-LON", "ROM-PAR", "ROM-PAR#4-7", "TRN-PAR"} {
		partitions = append(partitions, "ROUTE#"+series)
	}
	for day := firstDay; day < firstDay+60; day++ {
		partitions = append(partitions, "LEFT#"+day.String())
	}
	for _, p := range partitions {
		items, err := s.Query(t.Context(), store.Range{Partition: p, Read: store.Strong})
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range items {
			all[p+" "+i.Sort] = fmt.Sprintf("%x until %v", i.Data, i.Expires)
		}
	}
	return all
}

// TestDeparturesOfAnyOrder: the same items whatever the order of origins, and however often each is asked for.
func TestDeparturesOfAnyOrder(t *testing.T) {
	source := dailyFares(20)
	stores := map[string]*dayStore{}
	for name, order := range map[string][]fare.City{
		"in order": {"MIL", "ROM", "TRN"}, "backwards": {"TRN", "ROM", "MIL"}, "repeated": {"ROM", "MIL", "ROM", "TRN", "TRN", "MIL"},
	} {
		s := openDays(t)
		for d := range fare.Day(20) {
			s.on(firstDay + d)
			for _, origin := range order {
				if !s.refresh(t, s, source, origin) {
					t.Fatal("failed")
				}
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
	for _, key := range []string{"FARES POOLED", "ROUTE#ROM-PAR DEPARTURES#0", "ROUTE#ROM-PAR#4-7 DEPARTURES#any", "ROUTE#ROM-PAR DEPARTURES#learning", "LEFT#" + (firstDay + 19).String() + " MIL-BUH"} {
		if want[key] == "" {
			t.Errorf("there is no %s among %v", key, slices.Sorted(maps.Keys(want)))
		}
	}
	if want["ROUTE#MIL-LON DEPARTURES#0"] != "" {
		t.Error("a route all of whose fares are without stops has a sheet of them beside that of all")
	}
}

// TestDeparturesSurviveKills kills a refresh, on a day on which the service learns
// what became of its answers, at every call to the store, before and after its
// effect, and runs it again.
func TestDeparturesSurviveKills(t *testing.T) {
	const last = 10
	source := dailyFares(last + 1)
	path := filepath.Join(t.TempDir(), "before.db")
	earlier := openFile(t, path)
	for d := range fare.Day(last) {
		earlier.on(firstDay + d)
		if !earlier.refresh(t, earlier, source) {
			t.Fatal("failed")
		}
	}
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
		s := openFile(t, path)
		s.on(firstDay + last)
		opened[s] = s
		return s
	}
	undisturbed := open(t).(*dayStore)
	before := undisturbed.departures(t)
	if !undisturbed.refresh(t, undisturbed, source) {
		t.Fatal("failed")
	}
	want := undisturbed.departures(t)
	if before["FARES POOLED"] == want["FARES POOLED"] || before["ROUTE#MIL-BUH DEPARTURES#learning"] == want["ROUTE#MIL-BUH DEPARTURES#learning"] {
		t.Fatal("the case is not what it should be")
	}
	for name, arm := range map[string]func(*storetest.Faulty, int, storetest.Side){
		"fails once": (*storetest.Faulty).FailOnce, "dies": (*storetest.Faulty).DieAt,
	} {
		t.Run(name, func(t *testing.T) {
			n := storetest.EachFault(t, open, arm, func(t *testing.T, f *storetest.Faulty) {
				s := opened[f.Table]
				if !s.refresh(t, f, source) {
					f.Heal()
					if !s.refresh(t, f, source) {
						t.Fatal("failed again")
					}
				}
				if diff := cmp.Diff(want, s.departures(t)); diff != "" {
					t.Error(diff)
				}
			})
			t.Logf("%d combinations", n)
		})
	}
}

// sheet reads the sheet that answers a question.
func (s *dayStore) sheet(t *testing.T, series string, nonStop bool) *departure.Sheet {
	t.Helper()
	of, err := fare.ParseSeries(series)
	if err != nil {
		t.Fatal(err)
	}
	data, err := store.Fares{Table: s}.Sheet(t.Context(), of, nonStop)
	if err != nil {
		t.Fatal(err)
	}
	sheet, err := departure.DecodeSheet(data)
	if err != nil {
		t.Fatal(err)
	}
	return sheet
}

// TestSheetsOfStops: which sheet answers a question about flights without stops, and what it knows.
func TestSheetsOfStops(t *testing.T) {
	s := openDays(t)
	source := dailyFares(20)
	for d := range fare.Day(20) {
		s.on(firstDay + d)
		if !s.refresh(t, s, source) {
			t.Fatal("failed")
		}
	}
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
		if len(all.Live) != 12 || len(direct.Live) != 12 || all.Route.Count() != 19*11 || direct.Route.Count() != 19*11 {
			t.Errorf("%s: %d live, of %d fares; without stops %d of %d", c.series, len(all.Live), all.Route.Count(), len(direct.Live), direct.Route.Count())
		}
		for i, l := range all.Live {
			if l.Price > direct.Live[i].Price {
				t.Errorf("%s: the fares without stops are cheaper than all: %+v, %+v", c.series, l, direct.Live[i])
			}
		}
	}
}

// TestStopsBecomeKnown: a route all of whose fares were without stops gets one with stops.
func TestStopsBecomeKnown(t *testing.T) {
	s := openDays(t)
	source := dailyFares(20)
	for d := range fare.Day(20) {
		s.on(firstDay + d)
		if d == 15 {
			source.fares = append(source.fares, fare.Fare{Route: notifytest.Route("MIL-LON"), Observation: fare.Observation{
				Found: (firstDay + 15).Time().Unix(), Depart: firstDay + 20, Price: 1000, Stops: fare.OneStop}})
		}
		if !s.refresh(t, s, source) {
			t.Fatal("failed")
		}
	}
	all, direct := s.sheet(t, "MIL-LON", false), s.sheet(t, "MIL-LON", true)
	if all.Stops != departure.SomeStops || direct.Stops != departure.OnlyNonStop || direct.Route.Count() != 19*11 || all.Route.Count() != 19*11 {
		t.Errorf("%v, %v; %d and %d fares", all.Stops, direct.Stops, all.Route.Count(), direct.Route.Count())
	}
}

// TestLateFindsAreLeftToo: what comes late on the day of a refresh is left on top of what that refresh left.
func TestLateFindsAreLeftToo(t *testing.T) {
	s := openDays(t)
	source := dailyFares(10)
	for d := range fare.Day(10) {
		s.on(firstDay + d)
		if !s.refresh(t, s, source, "MIL") {
			t.Fatal("failed")
		}
	}
	route, fares := fare.Series{Route: notifytest.Route("MIL-BUH")}, store.Fares{Table: s}
	day := firstDay + 9
	left := func() []byte {
		t.Helper()
		data, err := fares.LeftBy(t.Context(), route, day)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	first := left()
	state := departure.State{Sheet: *s.sheet(t, "MIL-BUH", false)}
	data, _, err := fares.Pooled(t.Context(), store.Strong)
	if err != nil {
		t.Fatal(err)
	}
	pooled, err := departure.DecodeCycle(data)
	if err != nil {
		t.Fatal(err)
	}
	late := fare.Observation{Found: (day - 2).Time().Unix(), Depart: day + 90, Price: 12345}
	source.fares = append(source.fares, fare.Fare{Route: route.Route, Observation: late})
	for range 2 {
		if !s.refresh(t, s, source, "MIL") {
			t.Fatal("failed")
		}
	}
	want, err := departure.DecodeStatistics(first)
	if err != nil {
		t.Fatal(err)
	}
	state.Advance(day, pooled.Pooled, []departure.Live{{Depart: late.Depart, Price: late.Price, Found: late.Found}}, want)
	if got := left(); string(got) != string(want.Encode()) || string(got) == string(first) {
		t.Errorf("what is left is not the sum")
	}
}

// deepDaily can be asked for one route too.
type deepDaily struct{ *daily }

func (s deepDaily) Departures(ctx context.Context, q upstream.Question, until time.Time) (a upstream.Answer, err error) {
	all, err := s.Fares(ctx, q.Origin, until.Add(-48*time.Hour), until)
	for _, f := range all.Fares {
		if f.Series() == q.Series && (!q.NonStop || f.Stops == fare.NonStop) {
			a.Fares = append(a.Fares, f)
		}
	}
	return a, err
}

// TestPlansCloseCycles: each of the plans that a schedule asks for closes the days
// that are over, and what is asked of single routes is folded like the rest.
func TestPlansCloseCycles(t *testing.T) {
	for name, event := range map[string]string{
		"origins": `{"source":"aws.events","time":"%s"}`, "departures": `{"source":"aws.events","departures":true,"time":"%s"}`,
	} {
		t.Run(name, func(t *testing.T) {
			s := openDays(t)
			source := deepDaily{dailyFares(20)}
			for _, origin := range source.origins {
				if !s.refresh(t, s, source, origin) {
					t.Fatal("failed")
				}
			}
			fares := store.Fares{Table: s}
			q := &fakeQueue{visibility: time.Minute, receives: 5, now: func() time.Time { return s.now }}
			f := refresh.Function{
				Refresher: refresh.Refresher{Source: source, Fares: fares, Now: func() time.Time { return s.now }, Workers: 1},
				Queue:     q, Log: slog.New(slog.DiscardHandler),
			}
			for d := fare.Day(1); d < 12; d++ {
				s.on(firstDay + d)
				if _, err := f.Event(t.Context(), json.RawMessage(fmt.Sprintf(event, s.now.Format(time.RFC3339)))); err != nil {
					t.Fatal(err)
				}
				if failed := f.Messages(t.Context(), q.receive(100)); len(failed) > 0 {
					t.Fatal("failed")
				}
				q.messages = nil
				if d < 2 {
					continue // on the first day nothing was over, and nothing was left
				}
				data, _, err := fares.Pooled(t.Context(), store.Strong)
				if err != nil {
					t.Fatal(err)
				}
				c, err := departure.DecodeCycle(data)
				if err != nil || c.Day != firstDay+d-1 {
					t.Fatalf("on day %d it is closed until %s: %v", d, c.Day, err)
				}
			}
			if sheet := s.sheet(t, "ROM-PAR", true); sheet.Route.Count() < 11 || len(sheet.Live) < 11 {
				t.Errorf("%d fares are counted, %d live", sheet.Route.Count(), len(sheet.Live))
			}
		})
	}
}

// TestClosedCycle: the pooled part after a day is the sum of what was left for it,
// each once; a day is closed an hour after its end, and what comes later waits for none.
func TestClosedCycle(t *testing.T) {
	s := openDays(t)
	source := dailyFares(30)
	for d := range fare.Day(6) {
		s.on(firstDay + d)
		for _, origin := range source.origins {
			if !s.refresh(t, s, source, origin) {
				t.Fatal("failed")
			}
		}
	}
	fares := store.Fares{Table: s}
	read := func() departure.Cycle {
		t.Helper()
		data, _, err := fares.Pooled(t.Context(), store.Strong)
		if err != nil {
			t.Fatal(err)
		}
		c, err := departure.DecodeCycle(data)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	before := read()
	if before.Day != firstDay+4 {
		t.Fatalf("closed until %s", before.Day)
	}
	sum := new(departure.Statistics)
	left, err := fares.Left(t.Context(), firstDay+5)
	if err != nil || len(left) != 5 {
		t.Fatalf("%d have left something, %v", len(left), err)
	}
	for _, data := range left {
		one, err := departure.DecodeStatistics(data)
		if err != nil {
			t.Fatal(err)
		}
		sum.Add(one)
	}
	want := before.Pooled
	for _, h := range []departure.Horizon{departure.Week, departure.Fortnight} {
		want.Learn(h, firstDay+5, sum)
	}
	want.Fold(firstDay+5, sum)

	s.now = (firstDay + 6).Time().Add(30 * time.Minute)
	if !s.refresh(t, s, source, "TRN") {
		t.Fatal("failed")
	}
	if got := read(); got.Day != firstDay+4 {
		t.Errorf("half an hour after its end the day is closed: %s", got.Day)
	}
	s.now = s.now.Add(time.Hour)
	for range 2 {
		if !s.refresh(t, s, source, "MIL") {
			t.Fatal("failed")
		}
		if got := read(); got.Day != firstDay+5 || string(got.Pooled.Encode()) != string(want.Encode()) {
			t.Errorf("closed until %s, and the sum is not what was left", got.Day)
		}
	}
	s.on(firstDay + 200) // what was left has expired
	if !s.refresh(t, s, source, "MIL") || read().Day != firstDay+199 {
		t.Error("after a long pause the cycles are not closed")
	}
}
