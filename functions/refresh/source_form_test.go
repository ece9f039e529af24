package refresh_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"verdetto/shared/runtime/metrics"
	"verdetto/shared/upstream"
)

type drifting struct {
	upstream.Source
	err error
}

func (d drifting) Drift(context.Context) ([]string, error) {
	return []string{"fares: price is missing", `fares: "amount" is new`}, d.err
}

func TestSourceForm(t *testing.T) {
	for _, fault := range []error{nil, upstream.ErrUnavailable} {
		var log bytes.Buffer
		k := &recordingQueue{}
		f := function(refresher(world(), open(t), clock), k)
		f.Source = drifting{f.Source, fault}
		f.Log, f.Metrics = slog.New(slog.NewJSONHandler(&log, nil)), metrics.NewSource("verdetto-refresh")
		if _, err := f.Event(t.Context(), json.RawMessage(`{}`)); err != nil || len(k.sent) == 0 {
			t.Errorf("planned %q, error %v", k.sent, err)
		}
		for _, want := range []string{`"SourceDifferences":2`, "price is missing", "amount"} {
			if !strings.Contains(log.String(), want) {
				t.Errorf("the log lacks %s:\n%s", want, log.String())
			}
		}
		if got := strings.Contains(log.String(), "could not be compared"); got != (fault != nil) {
			t.Errorf("after %v the log says\n%s", fault, log.String())
		}
	}
}
