package metrics_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/runtime/metrics"
	"verdetto/shared/runtime/metrics/metricstest"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func line(s metrics.Source, m ...metrics.Metric) []byte {
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).LogAttrs(context.Background(), slog.LevelInfo, "line",
		append([]slog.Attr{slog.String("path", "/v1")}, s.Attrs(now, m...)...)...)
	return log.Bytes()
}

func TestLines(t *testing.T) {
	for _, c := range []struct {
		name    string
		metrics []metrics.Metric
		want    map[string]float64
	}{
		{"one", []metrics.Metric{{Name: "A", Unit: metrics.Count, Value: 3}},
			map[string]float64{"Verdetto stack=my-own function=analisi A (Count)": 3}},
		{"a count of zero is left out, another zero is a value",
			[]metrics.Metric{{Name: "A", Unit: metrics.Count}, {Name: "B", Unit: metrics.None}},
			map[string]float64{"Verdetto stack=my-own function=analisi B (None)": 0}},
		{"several", []metrics.Metric{{Name: "A", Unit: metrics.Count, Value: 1},
			{Name: "B", Unit: metrics.None, Value: 1.25}},
			map[string]float64{"Verdetto stack=my-own function=analisi A (Count)": 1,
				"Verdetto stack=my-own function=analisi B (None)": 1.25}},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := line(metrics.NewSource("my-own-analisi"), c.metrics...)
			got, err := metricstest.Read(out)
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s\n%s", diff, out)
			}
			if !strings.Contains(string(out), `"path":"/v1"`) ||
				!strings.Contains(string(out), `"Timestamp":1772366400000`) {
				t.Errorf("%s", out)
			}
		})
	}
}

func TestNamesOfFunctions(t *testing.T) {
	for name, want := range map[string]string{"verdetto-analisi": "stack=verdetto function=analisi",
		"a-second-x402": "stack=a-second function=x402", "AnalisiFunction": "stack=local function=AnalisiFunction"} {
		got, err := metricstest.Read(line(metrics.NewSource(name), metrics.Metric{Name: "A",
			Unit: metrics.Count, Value: 1}))
		if err != nil || got["Verdetto "+want+" A (Count)"] != 1 {
			t.Errorf("%s: %v %v", name, got, err)
		}
	}
}

func TestWithoutASource(t *testing.T) {
	for name, attrs := range map[string][]slog.Attr{
		"no name":    metrics.NewSource("").Attrs(now, metrics.Metric{Name: "A", Unit: metrics.Count}),
		"no source":  metrics.Source{}.Attrs(now, metrics.Metric{Name: "A", Unit: metrics.Count}),
		"no metrics": metrics.NewSource("my-own-analisi").Attrs(now),
	} {
		if len(attrs) > 0 {
			t.Errorf("%s: %v", name, attrs)
		}
	}
}
