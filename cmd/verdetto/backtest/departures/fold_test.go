package departures

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"verdetto/functions/refresh"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/upstream"
	"verdetto/shared/verdict/departure"
)

// panelSource is a fare source with the fares of a panel (observed fares). Like a real source, it
// returns the fares found since the last request.
type panelSource struct {
	origins []fare.City
	fares   map[fare.City][]fare.Fare // in order of Found
}

func sourceOf(t testing.TB, panel *Trips) (*panelSource, []fare.Route) {
	t.Helper()
	s := &panelSource{fares: map[fare.City][]fare.Fare{}}
	routes := make([]fare.Route, len(panel.Routes))
	for i, name := range panel.Routes {
		var err error
		if routes[i], err = fare.ParseRoute(name); err != nil {
			t.Fatal(err)
		}
	}
	for _, q := range panel.rows {
		route := routes[q.route]
		if s.fares[route.Origin] == nil {
			s.origins = append(s.origins, route.Origin)
		}
		s.fares[route.Origin] = append(s.fares[route.Origin], fare.Fare{Route: route, Observation: fare.Observation{
			Found: q.day.Time().Unix(), Depart: q.departs(), Price: q.price, DayOnly: true,
		}})
	}
	return s, routes
}

func (*panelSource) Name() string                                   { return "panel" }
func (s *panelSource) Origins(context.Context) ([]fare.City, error) { return s.origins, nil }
func (s *panelSource) Fares(_ context.Context, origin fare.City, since, until time.Time) (upstream.Answer, error) {
	all := s.fares[origin]
	at := func(moment time.Time) int {
		i, _ := slices.BinarySearchFunc(all, moment.Unix(), func(f fare.Fare,
			found int64) int {
			return int(f.Found - found)
		})
		return i
	}
	from := 0
	if !since.IsZero() {
		from = at(since)
	}
	return upstream.Answer{Fares: slices.Clone(all[from:at(until)])}, nil
}

// foldReplay refreshes a store on each day of a panel (observed fares). It judges each row of that
// day from the stored departure states. If first is set, the store starts with all fares found
// before that day.
func foldReplay(t testing.TB, panel *Trips, first fare.Day) ruleAnswers {
	t.Helper()
	source, routes := sourceOf(t, panel)
	now := panel.rows[0].day.Time()
	clock := func() time.Time { return now }
	table, err := boltstore.Open(filepath.Join(t.TempDir(), "store.db"), clock, boltstore.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	fares := store.Fares{Table: table}
	n := len(panel.rows)
	got := ruleAnswers{percentile: make([]float64, n)}
	for h := range got.chance {
		got.chance[h] = make([]float64, n)
	}
	begin := panel.days()
	longest := 0
	for day := range len(begin) - 1 {
		today := panel.rows[begin[day]].day
		if today < first {
			for i := begin[day]; i < begin[day+1]; i++ {
				got.percentile[i] = unknown
			}
			continue
		}
		now = today.Time().Add(12 * time.Hour)
		r := refresh.Refresher{Source: source, Fares: fares, Now: clock, Workers: 2}
		if report, err := r.Run(t.Context()); err != nil || report.Failed > 0 {
			t.Fatalf("%s: %+v %v", today, report, err)
		}
		data, _, err := fares.Pooled(t.Context(), store.Eventual)
		if err != nil {
			t.Fatal(err)
		}
		cycle, err := departure.DecodeCycle(data)
		if err != nil {
			t.Fatal(err)
		}
		if cycle.Day != today-1 {
			t.Fatalf("on %s the last complete cycle is that of %s", today, cycle.Day)
		}
		var asker *departure.StateDay
		for i := begin[day]; i < begin[day+1]; i++ {
			q := panel.rows[i]
			if i == begin[day] || q.route != panel.rows[i-1].route {
				data, err := fares.Sheet(t.Context(), fare.Series{Route: routes[q.route]}, false)
				if err != nil {
					t.Fatal(err)
				}
				longest = max(longest, len(data))
				sheet, err := departure.DecodeState(data)
				if err != nil {
					t.Fatal(err)
				}
				var ok bool
				if asker, ok = sheet.Day(cycle.Pooled, today); !ok || sheet.AsOf != today {
					t.Fatalf("%s has no sheet of %s", routes[q.route], today)
				}
			}
			live, ok := asker.LiveFare(q.departs())
			if !ok || live.Price != q.price {
				t.Fatalf("%s, departure on %s: live are %+v, want %d", routes[q.route], q.departs(), live, q.price)
			}
			a, _ := asker.Judge(q.departs(), 0)
			got.percentile[i] = a.Percentile
			for h := range got.chance {
				got.chance[h][i] = a.Chance[h]
			}
		}
	}
	t.Logf("the longest sheet has %d bytes", longest)
	if longest > departure.MaxState {
		t.Errorf("a sheet of %d bytes", longest)
	}
	return got
}

// compareFold compares the answers of stored departure states with the replay in memory, from a day
// on. It compares how well the chances rank falls, how well they are calibrated, and single
// answers.
func compareFold(t testing.TB, panel *Trips, got ruleAnswers, from fare.Day) {
	t.Helper()
	known := panel.ask()
	became, want := known.outcomes, known.answers
	var ours, theirs cases
	var answered, agreed int
	var apart, worst float64
	for i, q := range panel.rows {
		if q.day < from {
			continue
		}
		if math.IsNaN(want.percentile[i]) != math.IsNaN(got.percentile[i]) {
			t.Fatalf("row %d: percentile %v, the rule's own is %v", i, got.percentile[i], want.percentile[i])
		}
		if !math.IsNaN(want.percentile[i]) {
			answered++
			d := math.Abs(want.percentile[i] - got.percentile[i])
			apart += d
			worst = max(worst, d)
			if departure.LevelOf(want.percentile[i]) == departure.LevelOf(got.percentile[i]) {
				agreed++
			}
			if became[i].known[0] {
				ours.add(i, got.chance[0][i], got.percentile[i], became[i].fell[0])
				theirs.add(i, want.chance[0][i], want.percentile[i], became[i].fell[0])
			}
		}
	}
	cells := make([]int32, len(panel.rows))
	auc, _ := rank(ours.chance, &ours, cells).auc(nil)
	wantAUC, ok := rank(theirs.chance, &theirs, cells).auc(nil)
	_, ece := ours.reliability()
	_, wantECE := theirs.reliability()
	t.Logf("%d rows, %d judged: AUC %.4f (%.4f), ECE %.4f (%.4f); percentiles %.4f apart on average, %.3f at most; %.2f %% of levels are the same",
		len(panel.rows), len(ours.rows), auc, wantAUC, ece, wantECE, apart/float64(answered), worst,
		100*float64(agreed)/float64(answered))
	if !ok || math.Abs(auc-wantAUC) > .005 || math.Abs(ece-wantECE) > .01 {
		t.Errorf("AUC %.4f, ECE %.4f; want within .005 and .01 of %.4f and %.4f", auc, ece, wantAUC, wantECE)
	}
}

// recent returns an invented panel of days after the year 2000, with one trip for each departure of
// a route.
func recent(seed uint64) *Trips {
	panel := invent(seed, 6, 30, 90, 40, reverting)
	taken := map[[2]int32]int32{}
	panel.rows = slices.DeleteFunc(panel.rows, func(q quote) bool {
		trip, ok := taken[[2]int32{q.route, int32(q.departs())}]
		if !ok {
			taken[[2]int32{q.route, int32(q.departs())}] = q.trip
		}
		return ok && trip != q.trip
	})
	for i := range panel.rows {
		panel.rows[i].day += firstDay
	}
	panel.index(panel.trips)
	return panel
}

const firstDay = 20000

// TestFoldIsTheRule: departure states from daily refreshes answer like a rule that keeps all days
// in memory. The only difference: the statistics pooled over all routes are one day older.
func TestFoldIsTheRule(t *testing.T) {
	panel := recent(8)
	compareFold(t, panel, foldReplay(t, panel, 0), 0)
}

// TestFoldOfAllThatIsStored: a store starts with most of a panel (observed fares) at once. On its
// first day it answers as if it had received each day separately.
func TestFoldOfAllThatIsStored(t *testing.T) {
	panel := recent(9)
	want := panel.ask().answers
	got := foldReplay(t, panel, firstDay+70)
	compared := 0
	for i, q := range panel.rows {
		if q.day == firstDay+70 && !math.IsNaN(want.percentile[i]) {
			compared++
			// Stored values are rounded: weights to 1/256, sums to seven digits.
			if d := math.Abs(got.percentile[i] - want.percentile[i]); d > 1e-3 {
				t.Errorf("row %d: percentile %v, want %v", i, got.percentile[i], want.percentile[i])
			}
			for h := range got.chance {
				if d := math.Abs(got.chance[h][i] - want.chance[h][i]); d > 1e-3 {
					t.Errorf("row %d: chance %v, want %v", i, got.chance[h][i], want.chance[h][i])
				}
			}
		}
	}
	if compared < 50 {
		t.Errorf("only %d answers", compared)
	}
}
