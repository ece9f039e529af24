package verdict

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/shared/fare"
)

func TestNearbyCosts(t *testing.T) {
	t.Parallel()
	panel := strings.Builder{}
	panel.WriteString(fixture.CSVHeader)
	six := []string{"LUG-LON", "MIL-CBG", "MIL-SOU", "GOA-LON", "TRN-LON", "VRN-LON"}
	for _, r := range append(slices.Clone(six), "MIL-LON", "MIL-BOH") { // Bournemouth would be the seventh place
		fmt.Fprintf(&panel, "%s,%s,2016-03-01,2016-03-31,60.00,EUR\n", r[:3], r[4:])
	}
	file := filepath.Join(t.TempDir(), "panel.csv")
	if err := os.WriteFile(file, []byte(panel.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	source, _, err := onemachine.OpenPanel(file, "", io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	now := func() time.Time { return fixture.Today }
	table := &fixture.Recorder{Table: fixture.Bolt(t, now)}
	fixture.Refreshed(t, table, source, now)
	api := serving(t, table)
	left := ""
	ask := func(query string) []string {
		before := len(table.Calls())
		w := httptest.NewRecorder()
		if api.ServeHTTP(w, httptest.NewRequest("GET", "/v1/vicini?"+query, nil)); w.Code != http.StatusOK {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		left = w.Header().Get("X-RateLimit-Remaining")
		return table.Calls()[before:]
	}
	read := func(sort string, routes ...string) (all []string) {
		for _, r := range routes {
			all = append(all, "Get ROUTE#"+r+" "+sort+", strong false")
		}
		return all
	}
	priced := slices.Concat([]string{"Take"}, read("SHEET", "MIL-LON"))
	lists := []string{"Write of 1", "Query COVERED", "Get ORIGIN#MIL TRENDS, strong false"}
	first := slices.Concat(priced, lists, read("SHEET", six...))
	if diff := cmp.Diff(first, ask("origine=MIL&destinazione=LON")); diff != "" {
		t.Errorf("the first of a process and day: %s", diff)
	}
	if diff := cmp.Diff(slices.Concat(priced, read("SHEET", six...)), ask("origine=MIL&destinazione=LON")); diff != "" {
		t.Errorf("the second: %s", diff)
	}
	day := "&partenza=" + (fare.DayOf(fixture.Today) + 30).String()
	onDay := slices.Concat([]string{"Take"}, read("DEPARTURES#any", "MIL-LON"), []string{"Get FARES POOLED, strong false"},
		read("DEPARTURES#any", six...))
	if diff := cmp.Diff(onDay, ask("origine=MIL&destinazione=LON"+day)); diff != "" || left != "27" {
		t.Errorf("of a day, with %s calls left: %s", left, diff)
	}
}
