package limits

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/routes"
	"verdetto/shared/store/storetest"
	"verdetto/shared/upstream/sample"
)

// TestWhatVisitorsWrite: what anybody can call writes to counters and to the list
// of requested origins, and nowhere else. On AWS these functions may write nowhere else
// (infra/cdk, functions.go): a new place has to be allowed there.
func TestWhatVisitorsWrite(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	table := &fixture.Recorder{Table: fixture.Bolt(t, clock.Now)}
	key := fixture.IssueKey(t, table.Table, "ada@example.com", clock.Now(), time.Hour)
	h := fixture.Instance(t, table, sample.New(), clock.Now)
	query := url.Values{ // each endpoint finds what it looks for
		"origine": {"Milano"}, "destinazione": {"Bucarest"}, "da": {"Milano"}, "a": {"Bucarest"},
		"origin": {"MIL"}, "destination": {"BUH"}, "currency": {"eur"}, "q": {"mil"},
	}
	message := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	for _, r := range routes.Table {
		if r.Function != "analisi" && r.Function != "pricetrends" {
			continue
		}
		for _, sent := range []string{"", key, "vd_wrong"} {
			for _, asked := range []url.Values{query, {"origin": {"MIL"}, "currency": {"eur"}}, {"origine": {"Milano"}, "destinazione": {"Bucarest"}}, {"da": {"Milano"}}, {}} {
				request := httptest.NewRequest(r.Method, strings.ReplaceAll(r.Path, "{file}", "any")+"?"+asked.Encode(), strings.NewReader(message))
				request.Header.Set("Content-Type", "application/json")
				request.Header.Set("Accept", "application/json, text/event-stream, text/html")
				if sent != "" {
					request.Header.Set("X-Api-Key", sent)
				}
				w := httptest.NewRecorder()
				h.ServeHTTP(w, request)
				if w.Code >= http.StatusInternalServerError {
					t.Errorf("%s %s: %d %s", r.Method, r.Path, w.Code, w.Body)
				}
			}
		}
	}
	where := table.Wrote()
	for _, partition := range where {
		if partition != "WANTED" && !strings.HasPrefix(partition, "LIMIT#") {
			t.Errorf("they write to %s", partition)
		}
	}
	if !slices.Contains(where, "WANTED") || len(where) < 3 {
		t.Errorf("they wrote only to %q: has anything been asked?", where)
	}
}
