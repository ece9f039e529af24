package onemachine

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"verdetto/cmd/verdetto/monitor"
	"verdetto/functions/refresh"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/store/storetest"
	"verdetto/shared/upstream"
)

// TestFailedRefreshIsRetried: a refresh of departures in which most routes failed is tried again the same
// day, with growing waits. Meanwhile the status and /readyz say what fails, since when and what to do.
func TestFailedRefreshIsRetried(t *testing.T) {
	clock := storetest.NewClock()
	table, err := boltstore.Open(filepath.Join(t.TempDir(), "kept.db"), clock.Now, boltstore.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	o := process(table, &counted{}, clock)
	o.Monitor = monitor.New()
	report := refresh.DeepReport{Answered: 8, Failed: 2, Faults: []string{"MIL-BUH: status 500"}}
	fault := report.Failure()
	begun, tried := clock.Now(), []int{}
	r := Refreshes{
		All: func(context.Context) error { return nil },
		Departures: func(context.Context) error {
			tried = append(tried, int(clock.Now().Sub(begun).Minutes()))
			return fault
		},
	}
	failed := map[store.Run]pause{}
	for range 12 * 24 {
		o.refreshOnce(t.Context(), r, failed)
		clock.Add(lookEvery)
	}
	if want := []int{0, 10, 30, 70, 150, 310, 550, 790, 1030, 1270}; !slices.Equal(tried, want) {
		t.Errorf("tried after %v minutes, want %v", tried, want)
	}
	health := NewHealth(table, clock.Now)
	health.troubles = o.Monitor.Troubles
	if err := (store.Fares{Table: table}).SetLastAnswer(t.Context(), "MIL", clock.Now()); err != nil {
		t.Fatal(err)
	}
	if err := table.Write(t.Context(), store.Op{Item: store.Item{Key: store.Key{Partition: "COVERED", Sort: "MIL"}}}); err != nil {
		t.Fatal(err)
	}
	says := func() (status, ready string) {
		s := Status{Running: true, Ready: true, Troubles: o.Monitor.Troubles(), Faults: o.Monitor.Faults()}
		var text strings.Builder
		s.Print(&text)
		w := httptest.NewRecorder()
		health.Handler(http.NotFoundHandler()).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/readyz", nil))
		return text.String(), w.Body.String()
	}
	since := begun.UTC().Format(time.RFC3339)
	if status, ready := says(); !strings.Contains(status, "the refresh of departures fails since "+since) ||
		!strings.Contains(status, "2 of 10 routes failed, at first MIL-BUH: status 500") ||
		!strings.Contains(ready, "fails since "+since) {
		t.Errorf("%s\n%s", status, ready)
	}
	fault = fmt.Errorf("ask: %w", upstream.ErrRefused)
	clock.Add(tryAgainAtMost)
	o.refreshOnce(t.Context(), r, failed)
	if status, _ := says(); !strings.Contains(status, "Set a valid TRAVELPAYOUTS_TOKEN") {
		t.Error(status)
	}
	fault = nil
	clock.Add(tryAgainAtMost)
	o.refreshOnce(t.Context(), r, failed)
	if status, ready := says(); strings.Contains(status, "trouble") || strings.Contains(ready, "avviso") {
		t.Errorf("after a success: %s\n%s", status, ready)
	}
}
