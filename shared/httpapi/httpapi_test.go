package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"verdetto/shared/httpapi"
)

type in struct {
	Origine      string `query:"origine" required:"true"`
	Destinazione string `query:"destinazione" required:"true"`
}

type out struct {
	Body struct {
		Caller string `json:"caller"`
	}
}

func open(t *testing.T, config httpapi.Config) (*httpapi.API, *bytes.Buffer) {
	t.Helper()
	var log bytes.Buffer
	config.Log = slog.New(slog.NewJSONHandler(&log, nil))
	config.Now = time.Now
	api := httpapi.New(config)
	httpapi.Handle(api, "analisi", httpapi.Doc{}, func(ctx context.Context, in *in) (*out, error) {
		if in.Origine == "panic" {
			panic("a fault with personal@example.com in it")
		}
		var o out
		o.Body.Caller = httpapi.Caller(ctx).String()
		return &o, nil
	})
	return api, &log
}

const wellFormed = "?origine=a&destinazione=b"

func TestPathsAndMethods(t *testing.T) {
	api, _ := open(t, httpapi.Config{})
	for _, c := range []struct {
		method, target string
		status         int
		code, allow    string
	}{
		{"GET", "/v1/analisi" + wellFormed, 200, "", ""},
		{"GET", "/api/v1/analisi" + wellFormed, 200, "", ""},
		{"HEAD", "/v1/analisi" + wellFormed, 200, "", ""},
		{"GET", "/", 404, "percorso-sconosciuto", ""},
		{"GET", "/v1/analisi/" + wellFormed, 404, "percorso-sconosciuto", ""},
		{"GET", "/v1//analisi" + wellFormed, 404, "percorso-sconosciuto", ""},
		{"GET", "/api/api/v1/analisi" + wellFormed, 404, "percorso-sconosciuto", ""},
		{"GET", "/apiv1/analisi" + wellFormed, 404, "percorso-sconosciuto", ""},
		{"GET", "/V1/ANALISI" + wellFormed, 404, "percorso-sconosciuto", ""},
		{"GET", "/v1/../v1/analisi" + wellFormed, 404, "percorso-sconosciuto", ""},
		{"POST", "/v1/analisi" + wellFormed, 405, "metodo-non-ammesso", "GET, HEAD"},
		{"DELETE", "/api/v1/analisi", 405, "metodo-non-ammesso", "GET, HEAD"},
		{"BREW", "/v1/analisi", 405, "metodo-non-ammesso", "GET, HEAD"},
	} {
		t.Run(c.method+" "+c.target, func(t *testing.T) {
			w := httptest.NewRecorder()
			api.ServeHTTP(w, httptest.NewRequest(c.method, c.target, nil))
			var p httpapi.Problem
			if c.status != 200 {
				if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
					t.Fatalf("%s: %v", w.Body, err)
				}
			}
			if w.Code != c.status || p.Code != c.code || w.Header().Get("Allow") != c.allow {
				t.Errorf("%d %s, Allow %q", w.Code, w.Body, w.Header().Get("Allow"))
			}
		})
	}
}

func TestCallerIsTheConnection(t *testing.T) {
	api, _ := open(t, httpapi.Config{})
	for remote, want := range map[string]string{
		"192.0.2.7:1234":         "192.0.2.7",
		"[2001:db8::7]:1234":     "2001:db8::7",
		"[::ffff:192.0.2.7]:1":   "192.0.2.7",
		"[fe80::1%eth0]:1":       "fe80::1",
		"@":                      "invalid IP",
		"":                       "invalid IP",
		"somewhere.example:1234": "invalid IP",
	} {
		r := httptest.NewRequest("GET", "/v1/analisi"+wellFormed, nil)
		r.RemoteAddr = remote
		r.Header.Set("CloudFront-Viewer-Address", "198.51.100.9:1")
		r.Header.Set("X-Forwarded-For", "198.51.100.9")
		w := httptest.NewRecorder()
		api.ServeHTTP(w, r)
		if !strings.Contains(w.Body.String(), `"`+want+`"`) {
			t.Errorf("%q: %s, want %s", remote, w.Body, want)
		}
	}
}

func TestBehindOurDistribution(t *testing.T) {
	api, _ := open(t, httpapi.Config{OriginSecrets: []string{"the-current-secret", "the-one-before-it"}})
	for _, c := range []struct {
		secret, viewer string
		status         int
		want           string
	}{
		{"the-current-secret", "198.51.100.9:443", 200, "198.51.100.9"},
		{"the-one-before-it", "2001:db8::9:443", 200, "2001:db8::9"},
		{"the-current-secret", "", 200, "invalid IP"},
		{"", "198.51.100.9:443", 403, "accesso-diretto"},
		{"the-current-secre", "198.51.100.9:443", 403, "accesso-diretto"},
		{"the-current-secret,the-one-before-it", "198.51.100.9:443", 403, "accesso-diretto"},
	} {
		r := httptest.NewRequest("GET", "/v1/analisi"+wellFormed, nil)
		r.Header.Set("X-Origin-Secret", c.secret)
		r.Header.Set("CloudFront-Viewer-Address", c.viewer)
		w := httptest.NewRecorder()
		api.ServeHTTP(w, r)
		if w.Code != c.status || !strings.Contains(w.Body.String(), `"`+c.want+`"`) {
			t.Errorf("secret %q, viewer %q: %d %s, want %s", c.secret, c.viewer, w.Code, w.Body, c.want)
		}
	}
}

func TestPanicIsAnsweredAndLogged(t *testing.T) {
	api, log := open(t, httpapi.Config{})
	w := httptest.NewRecorder()
	api.ServeHTTP(w, httptest.NewRequest("GET", "/v1/analisi?origine=panic&destinazione=b", nil))
	if w.Code != 500 || !strings.Contains(w.Body.String(), "errore-interno") || strings.Contains(w.Body.String(), "example.com") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if !strings.Contains(log.String(), `"msg":"panic"`) || !strings.Contains(log.String(), "httpapi_test.go") {
		t.Errorf("the log has no stack: %s", log)
	}
}

func TestLogHoldsNothingPersonal(t *testing.T) {
	api, log := open(t, httpapi.Config{})
	r := httptest.NewRequest("GET", "/v1/analisi?origine=secret-city&destinazione=b", nil)
	r.RemoteAddr = "192.0.2.7:1234"
	r.Header.Set("X-Api-Key", "vd_secret")
	api.ServeHTTP(httptest.NewRecorder(), r)
	for _, word := range []string{"secret-city", "192.0.2", "vd_secret"} {
		if strings.Contains(log.String(), word) {
			t.Errorf("%q is in the log: %s", word, log)
		}
	}
	var line struct {
		Method, Path string
		Status       int
	}
	if err := json.Unmarshal(log.Bytes(), &line); err != nil || line.Status != 200 || line.Path != "/v1/analisi" || line.Method != "GET" {
		t.Errorf("%s", log)
	}
}

func TestSampleDataIsMarkedOnEveryAnswer(t *testing.T) {
	api, _ := open(t, httpapi.Config{Data: "sample"})
	for _, target := range []string{"/v1/analisi" + wellFormed, "/v1/analisi", "/nowhere"} {
		w := httptest.NewRecorder()
		api.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
		if w.Header().Get("X-Data") != "sample" {
			t.Errorf("%s: %d %v", target, w.Code, w.Header())
		}
	}
}
