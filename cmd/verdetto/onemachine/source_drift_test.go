package onemachine

import (
	"bytes"
	"context"
	"log/slog"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"verdetto/cmd/verdetto/monitor"
	"verdetto/shared/fare"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/store/storetest"
)

type drifting struct {
	*counted
	compared int
}

func (d *drifting) Drift(context.Context) ([]string, error) {
	if d.compared++; d.compared < 3 {
		return nil, nil
	}
	return []string{"fares: price is missing", `fares: "amount" is new`}, nil
}

func TestSourceForm(t *testing.T) {
	clock := storetest.NewClock()
	table, err := boltstore.Open(filepath.Join(t.TempDir(), "test.db"), clock.Now, boltstore.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	var log bytes.Buffer
	source := &drifting{counted: &counted{asked: map[fare.City]int{}}}
	o := process(table, source, clock)
	o.Log, o.Monitor = slog.New(slog.NewJSONHandler(&log, nil)), monitor.New()
	for day := range 21 {
		if err := o.discover(everyWeek); err != nil {
			t.Fatal(err)
		}
		if want := 1 + day/7; source.compared != want {
			t.Fatalf("day %d: compared %d times, want %d", day, source.compared, want)
		}
		if warned := strings.Contains(log.String(), "price is missing"); warned != (day >= 14) {
			t.Fatalf("day %d: the log says\n%s", day, log.String())
		}
		clock.Add(everyWeek / 7)
	}
	w := httptest.NewRecorder()
	o.Monitor.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	for _, want := range []string{`verdetto_refreshes_total{kind="form",outcome="ok"} 2`,
		`verdetto_refreshes_total{kind="form",outcome="failed"} 1`,
		`verdetto_refresh_asked_total{kind="form",outcome="failed"} 2`} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
}
