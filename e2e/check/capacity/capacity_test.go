// Package capacity holds tests of what a refresh, a verdict and a mail cost in units of DynamoDB, as
// DynamoDB Local reports them.
package capacity

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/functions/refresh"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
	"verdetto/shared/upstream/sample"

	"github.com/google/go-cmp/cmp"
)

func weekly(perWeek, weeks int, until time.Time) fixture.Fares {
	chance := rand.New(rand.NewPCG(11, uint64(perWeek)))
	fares := make(fixture.Fares, perWeek*weeks)
	for i := range fares {
		found := until.Unix() - 1 - chance.Int64N(int64(weeks)*7*24*60*60)
		fares[i] = fare.Fare{
			Route: fare.Route{Origin: "MIL", Destination: "BUH"},
			Observation: fare.Observation{
				Found:  found,
				Depart: fare.DayOf(time.Unix(found, 0)) + fare.Day(chance.IntN(331)),
				Price:  fare.Cents(1999 + 500*chance.IntN(40)),
			},
		}
	}
	slices.SortFunc(fares, func(a, b fare.Fare) int { return a.Compare(b.Observation) })
	return fares
}

var versions = fixture.Units{"read COVERED": 0.5, "read ORIGIN TRENDS": 0.5, "read ORIGIN DEALS": 0.5,
	"read ROUTE SHEET": 0.5, "read ROUTE DEPARTURES": 1}

func TestCapacity(t *testing.T) {
	t.Parallel()
	const (
		block, summary = "ROUTE BLOCK", "ROUTE SHEET"
		sheets         = "ROUTE DEPARTURES"
		weeks          = 53
	)
	for _, c := range []struct {
		perWeek               int
		readBlock, putBlock   float64
		readSheets, putSheets float64
	}{
		{10, 3, 2, 1, 12},
		{100, 11, 2, 2, 14},
		{1000, 94, 9, 4, 34},
	} {
		t.Run(fmt.Sprintf("%d fares a week", c.perWeek), func(t *testing.T) {
			end := time.Date(2016, 3, 1, 3, 0, 0, 0, time.UTC)
			now := end.AddDate(0, 0, -7*(weeks-1))
			clock := func() time.Time { return now }
			m := fixture.Metered(t, clock)
			r := refresh.Refresher{Source: weekly(c.perWeek, weeks, end), Fares: store.Fares{Table: m},
				Now: clock, Workers: 1}
			run := func(changed int) {
				t.Helper()
				clear(m.Spent)
				if report, err := r.Run(t.Context()); err != nil || report.Failed > 0 ||
					report.RoutesChanged != changed {
					t.Fatalf("%+v %v", report, err)
				}
			}
			for ; now.Before(end); now = now.AddDate(0, 0, 7) {
				run(1)
			}

			run(1)
			t.Logf("a weekly refresh spends\n%s", m.Spent)
			reads := fixture.Units{"read " + block: c.readBlock, "read " + summary: 1,
				"read " + sheets: c.readSheets, "read INTO": 0.5,
				"read FARES POOLED": 1, "read LEFT": 3.5, "read SCORE": 1, "read SCORE WEEK": 6,
				"read ORIGIN ASKED": 0.5, "read ORIGIN TRENDS": 0.5, "read ORIGIN DEALS": 0.5,
				"read FARES SOURCE": 1, "read WANTED": 0.5}
			m.Spent.Within(t, reads, versions, fixture.Units{"write " + block: c.putBlock, "write " + summary: 2,
				"write " + sheets: c.putSheets, "write INTO": 1,
				"write SCORE": 6, "write FARES POOLED": 2, "write ORIGIN ASKED": 1, "write ORIGIN TRENDS": 1,
				"write ORIGIN DEALS": 1, "write COVERED": 1})

			run(0)
			t.Logf("the same once more spends\n%s", m.Spent)
			m.Spent.Within(t, reads, versions, fixture.Units{"write ORIGIN ASKED": 1})

			clear(m.Spent)
			service := fixture.New(t, onemachine.Options{Table: m, Source: fixture.Fares(nil), Now: clock}).API
			for range 2 {
				w := httptest.NewRecorder()
				if service.ServeHTTP(w, httptest.NewRequest("GET", fixture.Question, nil)); w.Code != http.StatusOK {
					t.Fatalf("%d %s", w.Code, w.Body)
				}
			}
			t.Logf("two verdicts for a free caller spend\n%s", m.Spent)
			m.Spent.Within(t, fixture.Units{"count LIMIT": 2, "read " + summary: 1,
				"write DEMANDED": 1})
		})
	}
}

func TestUnitsOfAVerdict(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	m := fixture.Metered(t, clock.Now)
	r := refresh.Refresher{Source: sample.New(), Fares: store.Fares{Table: m}, Now: clock.Now, Workers: 1}
	if _, err := r.Run(t.Context(), "MIL"); err != nil {
		t.Fatal(err)
	}
	key := fixture.IssueKey(t, m, "ada@example.com", clock.Now(), time.Hour)
	h := fixture.Instance(t, m, sample.New(), clock.Now)
	const (
		verdict  = "/v1/analisi?origine=Milano&destinazione=Londra"
		calendar = "/v1/calendario?origine=Milano&destinazione=Londra"
		cheap    = "/v1/occasioni?origine=Milano"
		history  = "/v1/storico?origine=Milano&destinazione=Londra&mese=2066-04"
	)
	for _, c := range []struct {
		name, key, path string
		want            fixture.Units
	}{
		{"free", "", verdict, fixture.Units{"count LIMIT": 1, "read ROUTE SHEET": 0.5, "write DEMANDED": 1}},
		{"free again", "", verdict, fixture.Units{"count LIMIT": 1, "read ROUTE SHEET": 0.5}},
		{"Pro", key, verdict, fixture.Units{"count LIMIT": 1, "read ROUTE SHEET": 0.5, "read CUSTOMER": 1}},
		{"calendar, the first of a process and an hour", "", calendar, fixture.Units{"count LIMIT": 1,
			"read ROUTE DEPARTURES": 1, "read FARES POOLED": 0.5}},
		{"about a month", "", verdict + "&mese=" + clock.Now().AddDate(0, 1, 0).Format("2006-01"),
			fixture.Units{"count LIMIT": 1, "read ROUTE DEPARTURES": 1}},
		{"calendar", "", calendar, fixture.Units{"count LIMIT": 1, "read ROUTE DEPARTURES": 1}},
		{"how a departure moved, the first of a process", "", history, fixture.Units{"count LIMIT": 1,
			"read ROUTE SHEET": 0.5, "read ROUTE BLOCK": 15, "read FARES RATES": 0.5}},
		{"where it is cheap now", "", cheap, fixture.Units{"count LIMIT": 1, "read ORIGIN DEALS": 2}},
	} {
		clear(m.Spent)
		r := httptest.NewRequest("GET", c.path, nil)
		if c.key != "" {
			r.Header.Set("X-Api-Key", c.key)
		}
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code != http.StatusOK {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		t.Logf("%s spends\n%s", c.name, m.Spent)
		if diff := cmp.Diff(c.want, m.Spent); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}
