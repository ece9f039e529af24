package refresh_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/functions/refresh"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
	"verdetto/shared/upstream"
	"verdetto/shared/verdict"
)

var today = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func clock() time.Time { return today }

func open(t *testing.T) store.Table { return openAt(t, clock) }

type source struct {
	name string
	has  map[fare.City]any

	mu       sync.Mutex
	requests []fare.City
	since    map[fare.City]time.Time
}

func (s *source) Name() string { return "test" + s.name }

func (s *source) Origins(context.Context) (all []fare.City, err error) {
	for c := range s.has {
		all = append(all, c)
	}
	slices.Sort(all)
	return all, nil
}

func (s *source) Fares(_ context.Context, origin fare.City, since, _ time.Time) (upstream.Answer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, origin)
	if s.since == nil {
		s.since = map[fare.City]time.Time{}
	}
	s.since[origin] = since
	switch v := s.has[origin].(type) {
	case error:
		return upstream.Answer{}, v
	case []fare.Fare:
		return upstream.Answer{Fares: v, Dropped: map[upstream.Reason]int{upstream.RoundTrip: 2}}, nil
	}
	return upstream.Answer{}, nil
}

func fares(route string, days int, leads ...int) (all []fare.Fare) {
	r, err := fare.ParseRoute(route)
	if err != nil {
		panic(err)
	}
	for d := range days {
		for _, lead := range leads {
			found := fare.DayOf(today) - fare.Day(d)
			all = append(all, fare.Fare{Route: r, Observation: fare.Observation{
				Found: found.Time().Unix(), Depart: found + fare.Day(lead), Price: fare.Cents(4000 + 10*d + lead)}})
		}
	}
	return all
}

func world() *source {
	return &source{has: map[fare.City]any{
		"MIL": slices.Concat(fares("MIL-BUH", 20, 10, 40), fares("MIL-LON", 9, 5)),
		"ROM": fares("ROM-PAR", 40, 3, 33, 63),
		"XXX": nil,
	}}
}

func run(t *testing.T, table store.Table, s *source, origins ...fare.City) refresh.Report {
	t.Helper()
	r := refresher(s, table, clock)
	report, err := r.Run(t.Context(), origins...)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func contents(t *testing.T, table store.Table) map[string]string {
	t.Helper()
	return dump(t, table, "ROUTE#MIL-BUH", "ROUTE#MIL-LON", "ROUTE#ROM-PAR", "ORIGIN#MIL", "ORIGIN#ROM", "ORIGIN#XXX",
		"FARES", "COVERED", "INTO#BUH", "INTO#LON", "INTO#PAR", "WANTED")
}

func TestRun(t *testing.T) {
	table := open(t)
	s := world()
	s.has["BAD"] = fmt.Errorf("%w: 503", upstream.ErrUnavailable)
	got := run(t, table, s)
	want := refresh.Report{
		Origins: 4, Answered: 3, Empty: 1, Failed: 1, New: 40 + 9 + 120, RoutesSeen: 3, RoutesChanged: 3,
		Dropped: map[upstream.Reason]int{upstream.RoundTrip: 4},
		Faults:  []string{"BAD: ask for BAD: the fare source could not be asked: 503"},
		Again:   []fare.City{"BAD"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	var text strings.Builder
	got.Print(&text)
	for _, line := range []string{"4: 3 asked (1 of them empty), 1 failed", "169 new, 0 already known", "4: round trip",
		"3 seen, 3 changed", "BAD: ask for BAD"} {
		if !strings.Contains(text.String(), line) {
			t.Errorf("the printed report lacks %q:\n%s", line, &text)
		}
	}

	summary := summaryOf(t, table, seriesOf("MIL-BUH"))
	var all []fare.Observation
	for _, f := range fares("MIL-BUH", 20, 10, 40) {
		all = append(all, f.Observation)
	}
	if diff := cmp.Diff(verdict.Build(all, verdict.RouteSummary{}, fare.DayOf(today), verdict.Options{}),
		summary); diff != "" {
		t.Errorf("the summary is not made of the history: %s", diff)
	}
}

func TestAgainChangesNothing(t *testing.T) {
	table := open(t)
	run(t, table, world())
	before := contents(t, table)
	s := world()
	got := run(t, table, s)
	if got.New != 0 || got.Duplicate != 169 || got.RoutesChanged != 0 {
		t.Errorf("%+v", got)
	}
	if diff := cmp.Diff(before, contents(t, table)); diff != "" {
		t.Error(diff)
	}
	if since := s.since["MIL"]; !since.Equal(today.Add(-7 * 24 * time.Hour)) {
		t.Errorf("asked again, the source was asked for fares since %v", since)
	}
}

func TestPiecesMakeTheWhole(t *testing.T) {
	whole := open(t)
	run(t, whole, world())
	pieces := open(t)
	all := world()
	for _, part := range []int{2, 0, 1} {
		s := &source{has: map[fare.City]any{"XXX": nil}}
		for _, origin := range []fare.City{"MIL", "ROM"} {
			var some []fare.Fare
			for i, f := range all.has[origin].([]fare.Fare) {
				if i%3 == part || i%7 == 0 {
					some = append(some, f)
				}
			}
			s.has[origin] = some
		}
		run(t, pieces, s)
	}
	if diff := cmp.Diff(contents(t, whole), contents(t, pieces)); diff != "" {
		t.Error(diff)
	}
}

func eachFault(t *testing.T, open func(*testing.T) store.Table, run func(*testing.T, *storetest.Faulty)) {
	for name, arm := range map[string]func(*storetest.Faulty, int, storetest.Side){
		"fails once": (*storetest.Faulty).FailOnce, "dies": (*storetest.Faulty).DieAt,
	} {
		t.Run(name, func(t *testing.T) {
			n := storetest.EachFault(t, open, arm, run)
			t.Logf("%d combinations", n)
		})
	}
}

func part(all []fare.Fare, n, first int) (some []fare.Fare) {
	for i := first; i < len(all); i += n {
		some = append(some, all[i])
	}
	return some
}

func TestRun_Concurrent(t *testing.T) {
	table := open(t)
	all := world()
	var wg sync.WaitGroup
	for first := range 4 {
		wg.Go(func() {
			some := part(all.has["ROM"].([]fare.Fare), 4, first)
			for {
				r := refresher(&source{has: map[fare.City]any{"ROM": some}}, table, clock)
				report, err := r.Run(t.Context())
				if err != nil {
					t.Error(err)
				}
				if report.Failed == 0 {
					return
				}
			}
		})
	}
	wg.Wait()
	whole := open(t)
	run(t, whole, &source{has: map[fare.City]any{"ROM": all.has["ROM"]}})
	if diff := cmp.Diff(contents(t, whole), contents(t, table)); diff != "" {
		t.Error(diff)
	}
}

func TestRefusedCredentialsStopEverything(t *testing.T) {
	s := &source{has: map[fare.City]any{}}
	for i := range 50 {
		s.has[fare.City(fmt.Sprintf("A%c%c", 'A'+i/26, 'A'+i%26))] = upstream.ErrRefused
	}
	got := run(t, open(t), s)
	if got.Failed != 50 || got.Answered != 0 || len(s.requests) > 3 {
		t.Errorf("asked %d times: %+v", len(s.requests), got)
	}
	if last := got.Faults[len(got.Faults)-1]; !strings.Contains(last, "not asked: ") ||
		!strings.Contains(last, "credentials") {
		t.Errorf("the last fault is %q", last)
	}
}

func TestSourcesDoNotMix(t *testing.T) {
	table := open(t)
	run(t, table, world())
	r := refresher(&source{name: " of another kind"}, table, clock)
	if _, err := r.Run(t.Context()); !errors.Is(err, store.ErrOtherSource) {
		t.Errorf("error %v", err)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := refresher(world(), open(t), clock)
	r.Progress = func(int, int, refresh.Outcome) { cancel() }
	report, err := r.Run(ctx)
	if err != nil || report.Answered+report.Failed != report.Origins || report.Failed == 0 {
		t.Errorf("%+v %v", report, err)
	}
}

func TestManyObservations(t *testing.T) {
	table := open(t)
	var many []fare.Fare
	for _, f := range fares("MIL-BUH", 14, 30) {
		for n := range 100_000 / 14 {
			g := f
			g.Found += int64(n * 11)
			g.Depart += fare.Day(n % 300)
			g.Price += fare.Cents(n)
			many = append(many, g)
		}
	}
	half := func(odd int) *source { return &source{has: map[fare.City]any{"MIL": part(many, 2, odd)}} }
	first, second := run(t, table, half(0)), run(t, table, half(1))
	if first.New+second.New != len(many) || first.Failed+second.Failed > 0 {
		t.Fatalf("%+v, %+v", first, second)
	}
	whole := open(t)
	run(t, whole, &source{has: map[fare.City]any{"MIL": many}})
	if diff := cmp.Diff(contents(t, whole), contents(t, table)); diff != "" {
		t.Error("two halves are not the whole")
	}
	items, err := table.Query(t.Context(), store.Range{Partition: "ROUTE#MIL-BUH", Prefix: "BLOCK#"})
	if err != nil {
		t.Fatal(err)
	}
	bytes := 0
	for _, i := range items {
		bytes += len(i.Data)
	}
	t.Logf("%d observations in %d blocks, %.1f bytes each", len(many), len(items), float64(bytes)/float64(len(many)))
	if len(items) < 4 {
		t.Errorf("only %d blocks: the case is not what it should be", len(items))
	}
}

func TestOldFares(t *testing.T) {
	all := fares("MIL-BUH", 3, 10)
	for _, route := range []string{"MIL-BUH", "MIL-LON"} {
		for _, f := range fares(route, 2, 10) {
			f.Found -= verdict.HistoryDays * 86400
			f.Depart -= verdict.HistoryDays
			all = append(all, f)
		}
	}
	table := open(t)
	got := run(t, table, &source{has: map[fare.City]any{"MIL": all}})
	want := refresh.Report{Origins: 1, Answered: 1, New: 3, RoutesSeen: 1, RoutesChanged: 1,
		Dropped: map[upstream.Reason]int{upstream.RoundTrip: 2, upstream.TooOld: 4}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	_, err := store.Fares{Table: table}.Summary(t.Context(),
		fare.Series{Route: fare.Route{Origin: "MIL", Destination: "LON"}})
	if !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a route without a kept fare has a summary (%v)", err)
	}
}
