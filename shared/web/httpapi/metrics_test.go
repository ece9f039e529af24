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

func TestMetricsOfRequests(t *testing.T) {
	for _, c := range []struct {
		method, target, metric string
	}{
		{"GET", "/v1/analisi" + wellFormed, ""},
		{"GET", "/api/v1/analisi" + wellFormed, ""},
		{"HEAD", "/v1/analisi" + wellFormed, ""},
		{"GET", "/v1/analisi?origine=panic&destinazione=b", "Errors5xx"},
		{"GET", "/v1/analisi" + wellFormed, "Throttled429"},
		{"GET", "/v1/ada@example.com", ""},
		{"DELETE", "/v1/analisi", ""},
		{"MADEUP", "/v1/analisi", ""},
	} {
		api, counters, log := open(t, httpapi.Config{Metrics: metrics.NewSource("verdetto-analisi")})
		if c.metric == "Throttled429" {
			counters.err = store.ErrLimit
		}
		api.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(c.method, c.target, nil))
		lines := bytes.Split(bytes.TrimSpace(log.Bytes()), []byte("\n"))
		last := lines[len(lines)-1]
		if c.metric == "" && bytes.Contains(last, []byte("_aws")) {
			t.Errorf("%s %s: %s", c.method, c.target, last)
		} else if c.metric != "" {
			got, err := metricstest.Read(last)
			want := map[string]float64{"Verdetto stack=verdetto function=analisi " + c.metric + " (Count)": 1}
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%s %s: %v %s", c.method, c.target, err, diff)
			}
		}

		api, _, log = open(t, httpapi.Config{})
		api.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(c.method, c.target, nil))
		if bytes.Contains(log.Bytes(), []byte("_aws")) {
			t.Errorf("without a source: %s", log)
		}
	}
}

func TestAbsentIsNoFailure(t *testing.T) {
	api, _, log := open(t, httpapi.Config{Metrics: metrics.NewSource("verdetto-compat")})
	api.Mount(http.HandlerFunc(func(w http.ResponseWriter,
		_ *http.Request) {
		w.WriteHeader(http.StatusNotImplemented)
	}), "compat-offers")
	api.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/v2/shopping/flight-offers", nil))
	if !bytes.Contains(log.Bytes(), []byte(`"status":501`)) || bytes.Contains(log.Bytes(), []byte("_aws")) {
		t.Errorf("logged %s", log)
	}
}
