package scorecard

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/functions/refresh"
	"verdetto/shared/architecture/testenv"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/upstream"
	"verdetto/shared/upstream/csvfile"
	"verdetto/shared/upstream/ecb"
	"verdetto/shared/verdict/departure"
	"verdetto/shared/verdict/score"
)

// invented returns a panel of some routes with invented fares, as CSV with the columns of a
// recorded panel. One route is quoted in another currency, and one is observed rarely.
func invented(seed uint64, days int) string {
	chance := rand.New(rand.NewPCG(16, seed))
	var rows strings.Builder
	rows.WriteString("origin,destination,observed_date,depart_date,price,currency\n")
	begin := fare.Day(16802) // a Saturday in 2016
	for i, route := range []string{"MIL,LON,%s,%s,%d,EUR\n", "MIL,PAR,%s,%s,%d,EUR\n", "ROM,BUH,%s,%s,%d,RON\n",
		"ROM,PAR,%s,%s,%d,EUR\n"} {
		price := map[fare.Day]int{}
		for d := range days {
			day := begin + fare.Day(d)
			for at := day + 1; at < day+40; at++ {
				switch {
				case price[at] == 0:
					price[at] = 30 + chance.IntN(90)
				case chance.IntN(5) == 0:
					price[at] = max(10, price[at]+chance.IntN(41)-20)
				}
				if seen := chance.IntN(3) > 0; seen && (i != 3 || d%11 < 2) {
					fmt.Fprintf(&rows, route, day, at, price[at])
				}
			}
		}
	}
	return rows.String()
}

// many returns a panel of 24 routes. Like recorded fares, the invented fares often return to their
// usual price.
func many(days int) string {
	chance := rand.New(rand.NewPCG(16, 12))
	var rows strings.Builder
	rows.WriteString("origin,destination,observed_date,depart_date,price,currency\n")
	begin := fare.Day(16802)
	for _, to := range []string{"LON", "PAR", "BUH", "MAD", "LIS", "BER", "VIE", "PRG", "ATH", "DUB", "OSL",
		"CPH", "STO", "HEL", "WAW", "AMS", "BRU", "ZRH", "BCN", "VLC", "SVQ", "OPO", "GDN", "KRK"} {
		price := map[fare.Day]float64{}
		for d := range days {
			day := begin + fare.Day(d)
			for at := day + 1; at < day+45; at += 2 {
				usual := 60.0
				switch {
				case price[at] == 0:
					price[at] = usual * (.7 + .6*chance.Float64())
				case chance.IntN(9) == 0:
					price[at] += .7 * (usual*(.7+.6*chance.Float64()) - price[at])
				}
				if chance.IntN(2) == 0 {
					fmt.Fprintf(&rows, "MIL,%s,%s,%s,%.0f,EUR\n", to, day, at, price[at])
				}
			}
		}
	}
	return rows.String()
}

func comparable() upstream.Comparable {
	return upstream.Comparable{CityOf: places.CityOf, Rates: ecb.Table().RatesOn}
}

func panelOf(t *testing.T, source *csvfile.Panel) Panel {
	t.Helper()
	panel := Panel{}
	origins, err := source.Origins(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, origin := range origins {
		answer, err := source.Fares(context.Background(), origin, time.Time{}, time.Unix(1<<40, 0))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range answer.Fares {
			panel[f.Series()] = append(panel[f.Series()], f.Observation)
		}
	}
	return panel
}

func seen(panel Panel) (first, last fare.Day) {
	first = 1 << 20
	for _, observations := range panel {
		for _, o := range observations {
			first, last = min(first, o.FoundDay()), max(last, o.FoundDay())
		}
	}
	return first, last
}

// live returns the score of a service that refreshes every cycle days, from the day first to the
// day last.
func live(t *testing.T, source *csvfile.Panel, first, last fare.Day, cycle int, rates fare.Rates) Result {
	t.Helper()
	now := first.Time()
	table, err := boltstore.Open(filepath.Join(t.TempDir(), "store.db"), func() time.Time { return now },
		boltstore.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	fares := store.Fares{Table: table}
	for day := first; day <= last; day += fare.Day(cycle) {
		now = day.Time().Add(12 * time.Hour)
		r := refresh.Refresher{Source: source, Fares: fares, Now: func() time.Time { return now }, Rates: rates,
			Workers: 2}
		if report, err := r.Run(t.Context()); err != nil || report.Failed > 0 {
			t.Fatalf("%s: %+v %v", day, report, err)
		}
	}
	result := Result{Weeks: map[fare.Day]*score.Sum{}}
	data, err := fares.ScoreSum(t.Context(), store.Strong)
	if err != nil {
		t.Fatal(err)
	}
	if result.Sum, err = score.DecodeSum(data); err != nil {
		t.Fatal(err)
	}
	weeks, err := fares.ScoreWeeks(t.Context(), first-7, store.Strong)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range weeks {
		if result.Weeks[w.Monday], err = score.DecodeSum(w.Data); err != nil {
			t.Fatal(err)
		}
	}
	data, _, err = fares.Pooled(t.Context(), store.Strong)
	if err != nil {
		t.Fatal(err)
	}
	closed, err := departure.DecodeCycle(data)
	if err != nil {
		t.Fatal(err)
	}
	result.Experience = closed.Pooled.Experience
	return result
}

// compare checks that a service's score equals the score of a replay of the same fares. days limits
// the length of the panel (observed fares); 0 means the whole panel.
func compare(t *testing.T, source *csvfile.Panel, cycle, days int) {
	t.Helper()
	panel := panelOf(t, source)
	first, last := seen(panel)
	if days > 0 {
		last = min(last, first+fare.Day(days)-1)
	}
	rates := ecb.Table().RatesOn(17000)
	want, err := Run(t.Context(), panel, Options{To: last, Cycle: cycle, Rates: rates, Source: source.Name()})
	if err != nil {
		t.Fatal(err)
	}
	got := live(t, source, first, last, cycle, rates)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-replayed +live: %s", diff)
	}
	all := new(score.Counts)
	for _, w := range want.Weeks {
		all.Add(&w.Counts)
	}
	if *all != want.Sum.Counts {
		t.Error("the weeks are not the sum")
	}
	ofLeads := [score.Places]int64{}
	for _, places := range want.Sum.Leads {
		score.AddPlaces(&ofLeads, places)
	}
	if n, _ := score.Miss(ofLeads); n == 0 || ofLeads != want.Sum.AllPlaces() {
		t.Errorf("percentiles by lead time are not those of the sum: %v and %v", ofLeads, want.Sum.AllPlaces())
	}
	for h, of := range want.Sum.Horizons {
		t.Logf("horizon %d: %d stated, %d compared, missed %v; routes %d of %d; %d weeks", h, of.Stated(),
			of.Compared(), of.Missed,
			want.Sum.Route.Compared(), want.Sum.Route.Stated(), len(want.Weeks))
		// The comparison is useful only if some answers were compared and some were missed. With
		// daily requests no departure is Unseen, so Unseen and Stale count together.
		if of.Compared() < 50 || of.Missed[score.Gone] == 0 || of.Missed[score.Unseen]+of.Missed[score.Stale] == 0 {
			t.Error("the case is not what it should be")
		}
	}
}

// TestLiveIsReplayed: a service and a replay of the fares that it received count the same falls and
// rises of fares.
func TestLiveIsReplayed(t *testing.T) {
	for name, cycle := range map[string]int{"daily": 1, "every third day": 3, "weekly": 7} {
		t.Run(name, func(t *testing.T) {
			source, err := csvfile.Read(bytes.NewReader([]byte(invented(uint64(cycle), 70))), comparable(), "")
			if err != nil {
				t.Fatal(err)
			}
			compare(t, source, cycle, 0)
		})
	}
}

func recorded(t *testing.T, file string) *csvfile.Panel {
	t.Helper()
	source, err := csvfile.Open(filepath.Join(testenv.Data(t), "fares", file+".csv.gz"), comparable(), "")
	if err != nil {
		t.Fatal(err)
	}
	return source
}
