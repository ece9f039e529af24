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

// The stack is the part before the last dash.
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

// Without the name of a Lambda function, as on one machine, no metrics are added.
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

// Read refuses malformed lines, so the other tests can fail.
func TestReadRefuses(t *testing.T) {
	good := `{"f":"x","A":1,"_aws":{"Timestamp":1772366400000,"CloudWatchMetrics":[{"Namespace":"N","Dimensions":[["f"]],"Metrics":[{"Name":"A","Unit":"Count"}]}]}}`
	if got, err := metricstest.Read([]byte(good)); err != nil || got["N f=x A (Count)"] != 1 {
		t.Fatal(got, err)
	}
	for name, change := range map[string][2]string{
		"no header":             {`_aws`, `_azure`},
		"no such member":        {`"A":1`, `"B":1`},
		"a metric of text":      {`"A":1`, `"A":"1"`},
		"a dimension of number": {`"f":"x"`, `"f":1`},
		"a unit of our own":     {`"Count"`, `"Calls"`},
		"a member twice":        {`"A":1`, `"A":1,"A":2`},
		"seconds for a moment":  {`1772366400000`, `1772366400`},
		"a spelling of ours":    {`"Namespace"`, `"namespace"`},
		"no line":               {`{"f"`, `{f`},
	} {
		if _, err := metricstest.Read([]byte(strings.Replace(good, change[0], change[1], 1))); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
