package capacity

import (
	"maps"
	"math/rand/v2"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/functions/refresh"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
)

func TestDepthCapacity(t *testing.T) {
	t.Parallel()
	const before = 2 + 1 + 1
	now := time.Date(2016, 3, 1, 3, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	m := fixture.Metered(t, clock)
	source := fixture.ByRoute{N: 300, Chance: rand.New(rand.NewPCG(30, 10))}
	r := refresh.Refresher{Source: source, Fares: store.Fares{Table: m}, Now: clock, Workers: 1}
	if report, err := r.Run(t.Context()); err != nil || report.Failed > 0 {
		t.Fatal(report, err)
	}
	var report refresh.DeepReport
	for week := range 54 {
		clear(m.Spent)
		var err error
		if report, err = r.Deepen(t.Context()); err != nil || report.Answered != 1 {
			t.Fatal(week, report, err)
		}
		now = now.AddDate(0, 0, 7)
	}
	spent := maps.Clone(m.Spent)
	series := fare.Series{Route: fixture.Route}
	blocks, err := r.Fares.Blocks(t.Context(), series, store.Strong)
	if err != nil {
		t.Fatal(err)
	}
	bytes, observations := 0, 0
	for _, b := range blocks {
		all, err := fare.Unpack(nil, b.Data)
		if err != nil {
			t.Fatal(err)
		}
		bytes, observations = bytes+len(b.Data), observations+len(all)
	}
	summary, err := r.Fares.Summary(t.Context(), series)
	if err != nil {
		t.Fatal(err)
	}
	onRoute := func(u fixture.Units) float64 {
		return u["write ROUTE BLOCK"] + u["write ROUTE SHEET"] + u["write INTO"]
	}
	const sheets = "write ROUTE DEPARTURES"
	written := onRoute(spent)
	clear(m.Spent)
	if report, err := r.Run(t.Context()); err != nil || report.Failed > 0 || report.New < 5 {
		t.Fatal(report, err)
	}
	discovery := maps.Clone(m.Spent)
	t.Logf("%d new of %d; asking for departures once more spends\n%s", report.New, report.Fares, spent)
	t.Logf("finding the route by city spends besides\n%s", discovery)
	t.Logf("on the route %.0f write units, %.2f times %d, and with discovery %.2f times; with what departures are judged by %.2f times", written, written/before, before,
		(written+onRoute(discovery))/before, (written+onRoute(discovery)+spent[sheets]+discovery[sheets])/before)
	t.Logf("%d observations of %d days in %d bytes (%.1f each), the summary %d: %.0f KB a year", observations,
		verdict.HistoryDays, bytes, float64(bytes)/float64(observations), len(summary.Encode()),
		float64(bytes+len(summary.Encode()))/1024*365/float64(7*54))
	spent.Within(t, versions, fixture.Units{
		"read ROUTE BLOCK": 26, "read ROUTE SHEET": 2.5, "read INTO": 0.5, "read ORIGIN TRENDS": 1,
		"read ORIGIN DEALS": 0.5, "read FARES SOURCE": 1,
		"read COVERED": 0.5, "read DEMANDED": 0.5, "read WATCHED": 0.5, "write COVERED": 1,
		"write ORIGIN TRENDS": 1, "write ORIGIN DEALS": 1,
		"write ROUTE BLOCK": 3, "write ROUTE SHEET": 2, "write INTO": 1,
		"read ROUTE DEPARTURES": 3, "write ROUTE DEPARTURES": 26, "read FARES POOLED": 1.5,
		"write FARES POOLED": 2, "read LEFT": 0.5, "write LEFT": 2,
		"read SCORE": 1, "read SCORE WEEK": 6, "write SCORE": 6,
	})
	discovery.Within(t, versions, fixture.Units{
		"read ROUTE BLOCK": 26, "read ROUTE SHEET": 2, "read INTO": 0.5, "read ORIGIN TRENDS": 0.5,
		"read ORIGIN DEALS": 0.5, "read ORIGIN ASKED": 0.5, "read FARES SOURCE": 1,
		"write COVERED": 1, "write ORIGIN TRENDS": 1, "write ORIGIN DEALS": 1, "write ORIGIN ASKED": 1,
		"write ROUTE BLOCK": 3, "write ROUTE SHEET": 2, "write INTO": 1,
		"read ROUTE DEPARTURES": 3, "write ROUTE DEPARTURES": 26, "read FARES POOLED": 3,
		"write FARES POOLED": 2, "read LEFT": 0.5, "write LEFT": 2,
		"read SCORE": 1, "read SCORE WEEK": 6, "write SCORE": 6,
	})
	if written > 2.5*before || report.New < 290 {
		t.Errorf("%.0f write units, %d new observations; want 2.5 times %d at most for 30 times the observations", written, report.New, before)
	}
}
