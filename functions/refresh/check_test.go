package refresh

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"verdetto/shared/runtime/metrics"
	"verdetto/shared/web/routes"
)

func TestCheck(t *testing.T) {
	const covered = `{"rotte":[{"origine":{"codice":"MIL"},"destinazione":{"codice":"LIS"}}]}`
	for _, c := range []struct {
		name, rotte     string
		health, verdict int
		want            string
	}{
		{"well", covered, 200, 200, `"CheckPassed":1`},
		{"no route yet", `{"rotte":[]}`, 200, 500, `"CheckPassed":1`},
		{"used up", covered, 200, 429, `"CheckPassed":1`},
		{"refused by the functions", covered, 403, 200, "/healthz: 403 Forbidden"},
		{"no verdict", covered, 200, 503, "/v1/analisi?destinazione=LIS&origine=MIL: 503 Service Unavailable"},
		{"free tier closed", routes.FreeTierClosed, 200, 503, `"CheckPassed":1`},
		{"no JSON", "<html>", 200, 200, "/v1/rotte: invalid character"},
		{"refused by another function", "", 200, 200, "/v1/termini: 403 Forbidden"},
	} {
		mux := http.NewServeMux()
		mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(c.health) })
		mux.HandleFunc("/v1/rotte", func(w http.ResponseWriter, _ *http.Request) {
			if c.rotte == routes.FreeTierClosed {
				w.WriteHeader(503)
			}
			w.Write([]byte(c.rotte))
		})
		mux.HandleFunc("/v1/analisi", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(c.verdict) })
		mux.HandleFunc("/v1/termini", func(w http.ResponseWriter, _ *http.Request) {
			if c.rotte == "" {
				w.WriteHeader(403)
			}
		})
		server := httptest.NewServer(mux)
		var log bytes.Buffer
		handler := slog.NewJSONHandler(&log, nil)
		f := Function{Refresher: Refresher{Now: time.Now}, BaseURL: server.URL, Log: slog.New(handler),
			Metrics: metrics.NewSource("verdetto-refresh")}
		if _, err := f.Event(t.Context(), json.RawMessage(`{"check":true}`)); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		server.Close()
		var line struct{ Error string }
		if err := json.Unmarshal(log.Bytes(), &line); err != nil {
			t.Error(err)
		}
		if text := log.String() + line.Error; !strings.Contains(text, c.want) ||
			strings.Contains(text, "CheckPassed") != strings.Contains(c.want, "CheckPassed") {
			t.Errorf("%s: logged %s", c.name, text)
		}
	}
}

func TestCheckOfTheCertificate(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte(`{"rotte":[]}`))
	}))
	defer server.Close()
	usual := http.DefaultClient.Transport
	http.DefaultClient.Transport = server.Client().Transport
	defer func() { http.DefaultClient.Transport = usual }()
	ends := server.Certificate().NotAfter
	for days, fails := range map[int]bool{60: false, 13: true} {
		f := Function{Refresher: Refresher{Now: func() time.Time { return ends.AddDate(0, 0, -days) }}, BaseURL: server.URL}
		if err := f.check(t.Context()); (err != nil) != fails {
			t.Errorf("%d days before its end: %v", days, err)
		}
	}
}
