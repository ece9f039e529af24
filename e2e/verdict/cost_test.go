// Package verdict holds end-to-end tests of verdicts, and measures what a verdict costs.
package verdict

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/functions/refresh"
	"verdetto/shared/fare"
	"verdetto/shared/published"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
)

var sizes = []int{100, 10_000, 1_000_000}

func serving(t testing.TB, table store.Table) http.Handler {
	t.Helper()
	now := func() time.Time { return fixture.Today }
	return fixture.New(t, onemachine.Options{Table: table, Source: fixture.Fares(nil), Now: now}).API
}

// After the first verdict of a day, a verdict must cost one counted call and one read, however many
// fares the route has.
func TestVerdictCostsOneRead(t *testing.T) {
	t.Parallel()
	want := []string{"Take", "Get ROUTE#MIL-BUH SHEET, strong false"}
	for _, n := range sizes {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			table := &fixture.Recorder{Table: fixture.Observed(t, n, fixture.Today)}
			service := serving(t, table)
			w := httptest.NewRecorder()
			service.ServeHTTP(w, httptest.NewRequest("GET", fixture.Question, nil))
			if diff := cmp.Diff(append(slices.Clone(want), "Write of 1"), table.Calls()); diff != "" {
				t.Errorf("calls to the store, of the first of a day: %s", diff)
			}
			w = httptest.NewRecorder()
			service.ServeHTTP(w, httptest.NewRequest("GET", fixture.Question, nil))
			var a published.Analysis
			if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil || w.Code != http.StatusOK {
				t.Fatalf("%d %s %v", w.Code, w.Body, err)
			}
			if diff := cmp.Diff(want, table.Calls()[len(want)+1:]); diff != "" {
				t.Errorf("calls to the store: %s", diff)
			}
			if a.Osservazioni != n || a.Verdetto.Percentile == nil {
				t.Errorf("that is no verdict on %d observations: %s", n, w.Body)
			}
			askDepartures(t, service, table, n)
			costsOneUnit(t, table.Table, "SHEET")
			costsOneUnit(t, table.Table, "DEPARTURES#any")
		})
	}
}

func askDepartures(t *testing.T, service http.Handler, table *fixture.Recorder, n int) {
	t.Helper()
	for i, want := range [][]string{
		{"Get FARES RATES, strong false", "Take", "Get ROUTE#MIL-BUH DEPARTURES#any, strong false",
			"Get FARES POOLED, strong false"},
		{"Take", "Get ROUTE#MIL-BUH DEPARTURES#any, strong false"},
	} {
		before := len(table.Calls())
		w := httptest.NewRecorder()
		service.ServeHTTP(w, httptest.NewRequest("GET", fixture.Question+"&mese="+fixture.Today.AddDate(0, 1,
			0).Format("2006-01")+"&prezzo=50", nil))
		var a published.Analysis
		if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil || w.Code != http.StatusOK ||
			a.Ambito != string(verdict.OfMonth) || a.Osservazioni != n {
			t.Fatalf("%d %s %v", w.Code, w.Body, err)
		}
		if diff := cmp.Diff(want, table.Calls()[before:]); diff != "" {
			t.Errorf("calls to the store, question %d about a month: %s", i, diff)
		}
	}
}

// An eventually consistent read gets up to 8 KB for one read unit. The attribute names and the key
// of the item count too.
func costsOneUnit(t *testing.T, table store.Table, sort string) {
	t.Helper()
	item, err := table.Get(t.Context(), store.Key{Partition: "ROUTE#MIL-BUH", Sort: sort}, store.Strong)
	if err != nil {
		t.Fatal(err)
	}
	const names = 200
	if t.Logf("%s has %d bytes", sort, len(item.Data)); len(item.Data)+names > 8<<10 {
		t.Errorf("%s has %d bytes: reading it costs more than one unit", sort, len(item.Data))
	}
}

// The store keeps the lowest fare of each day for three years, and single observed fares for 400
// days.
func TestSummaryOfThreeYears(t *testing.T) {
	t.Parallel()
	now := time.Date(2013, 1, 1, 3, 0, 0, 0, time.UTC)
	last := fare.DayOf(now) + verdict.LowDays + 30
	table := fixture.Bolt(t, func() time.Time { return now })
	r := refresh.Refresher{
		Source: fixture.Invent(20*verdict.LowDays, verdict.LowDays+30, last), Fares: store.Fares{Table: table},
		Now: func() time.Time { return now },
	}
	for ; fare.DayOf(now) < last; now = now.AddDate(0, 0, 7) {
		if report, err := r.Run(t.Context()); err != nil || report.Failed > 0 {
			t.Fatalf("%+v %v", report, err)
		}
	}
	summary, err := r.Fares.Summary(t.Context(), fare.Series{Route: fare.Route{Origin: "MIL", Destination: "BUH"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(summary.Lows) < verdict.LowDays-8 {
		t.Fatalf("the summary has %d lows, want about %d", len(summary.Lows), verdict.LowDays)
	}
	costsOneUnit(t, table, "SHEET")
}
