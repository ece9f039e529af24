package httpapi_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/runtime/metrics"
	"verdetto/shared/runtime/metrics/metricstest"
	"verdetto/shared/store"
	"verdetto/shared/web/httpapi"
)

// The log line of a request holds its metrics, with "unknown" for unknown endpoints, unless there
// is no metrics source.
func TestMetricsOfRequests(t *testing.T) {
	for _, c := range []struct {
		method, target, route string
		errors, throttled     float64
	}{
		{"GET", "/v1/analisi" + wellFormed, "analisi", 0, 0},
		{"GET", "/api/v1/analisi" + wellFormed, "analisi", 0, 0},
		{"HEAD", "/v1/analisi" + wellFormed, "analisi", 0, 0},
		{"GET", "/v1/analisi?origine=panic&destinazione=b", "analisi", 1, 0},
		{"GET", "/v1/analisi" + wellFormed, "analisi", 0, 1},
		{"GET", "/v1/ada@example.com", "unknown", 0, 0},
		{"DELETE", "/v1/analisi", "unknown", 0, 0},
		{"MADEUP", "/v1/analisi", "unknown", 0, 0},
	} {
		api, counters, log := open(t, httpapi.Config{Metrics: metrics.NewSource("verdetto-analisi")})
		if c.throttled > 0 {
			counters.err = store.ErrLimit
		}
		api.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(c.method, c.target, nil))
		lines := bytes.Split(bytes.TrimSpace(log.Bytes()), []byte("\n"))
		got, err := metricstest.Read(lines[len(lines)-1])
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", c.method, c.target, err, log)
		}
		want := map[string]float64{
			"Verdetto stack=verdetto function=analisi Errors5xx (Count)":    c.errors,
			"Verdetto stack=verdetto function=analisi Throttled429 (Count)": c.throttled,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s %s: %s", c.method, c.target, diff)
		}

		api, _, log = open(t, httpapi.Config{})
		api.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(c.method, c.target, nil))
		if bytes.Contains(log.Bytes(), []byte("_aws")) {
			t.Errorf("without a source: %s", log)
		}
	}
}

// Status 501, by which the service says that it cannot answer such calls at all, has a metric of
// its own and does not count as a failure.
func TestAbsentIsNoFailure(t *testing.T) {
	api, _, log := open(t, httpapi.Config{Metrics: metrics.NewSource("verdetto-compat")})
	api.Mount(http.HandlerFunc(func(w http.ResponseWriter,
		_ *http.Request) {
		w.WriteHeader(http.StatusNotImplemented)
	}), "compat-offers")
	api.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/v2/shopping/flight-offers", nil))
	got, err := metricstest.Read(bytes.TrimSpace(log.Bytes()))
	if err != nil || got["Verdetto stack=verdetto function=compat Errors5xx (Count)"] != 0 ||
		got["Verdetto stack=verdetto function=compat Absent501 (Count)"] != 1 {
		t.Errorf("%v %v", err, got)
	}
}
