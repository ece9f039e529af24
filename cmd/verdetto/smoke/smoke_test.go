package smoke

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/shared/store/storetest"
	"verdetto/shared/upstream/sample"
)

func service(t *testing.T, fares bool) http.Handler {
	t.Helper()
	clock := storetest.NewClock()
	table := fixture.Bolt(t, clock.Now)
	if fares {
		fixture.Refreshed(t, table, sample.New(), clock.Now, "MIL")
	}
	return fixture.New(t, onemachine.Options{Table: table, Now: clock.Now, Mail: t.TempDir(), BaseURL: fixture.LocalURL, LocalURL: fixture.LocalURL}).API
}

func run(t *testing.T, h http.Handler) (string, error) {
	t.Helper()
	server := httptest.NewServer(h)
	defer server.Close()
	var output strings.Builder
	err := Run(t.Context(), server.Client(), server.URL, &output, All)
	return output.String(), err
}

func TestAServiceIsGood(t *testing.T) {
	if len(calls) != 22 {
		t.Errorf("%d calls", len(calls))
	}
	for name, fares := range map[string]bool{"with fares": true, "on its first day": false} {
		t.Run(name, func(t *testing.T) {
			if output, err := run(t, service(t, fares)); err != nil || strings.Count(output, " ok\n") != len(calls) {
				t.Errorf("%v\n%s", err, output)
			}
		})
	}
}

func TestNothingIsLeft(t *testing.T) {
	h := service(t, false)
	for range 10 {
		if output, err := run(t, h); err != nil {
			t.Fatalf("%v\n%s", err, output)
		}
	}
}

func TestHostileAnswers(t *testing.T) {
	output, err := run(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "\x1b]0;owned\a")
		w.WriteHeader(http.StatusTeapot)
		io.WriteString(w, "\x1b[2Jall 22 calls were answered\x07\u009b31m\r")
	}))
	if err == nil || strings.ContainsFunc(output, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) {
		t.Errorf("%v %q", err, output)
	}
}

func TestEachCallCanFail(t *testing.T) {
	good, from := service(t, false), 0
	for i, c := range calls {
		for name, spoil := range map[string]func(w http.ResponseWriter, a *httptest.ResponseRecorder){
			"fails": func(w http.ResponseWriter, a *httptest.ResponseRecorder) {
				http.Error(w, "failed", http.StatusInternalServerError)
			},
			"is refused": func(w http.ResponseWriter, a *httptest.ResponseRecorder) {
				http.Error(w, `{"message":"Forbidden"}`, http.StatusForbidden)
			},
			"answers nothing": func(w http.ResponseWriter, a *httptest.ResponseRecorder) { w.WriteHeader(a.Code) },
			"loses its header": func(w http.ResponseWriter, a *httptest.ResponseRecorder) {
				w.WriteHeader(a.Code)
				w.Write(a.Body.Bytes())
			},
		} {
			if name == "loses its header" && c.headerPart == "" ||
				name == "answers nothing" && c.code+c.bodyPart+c.headerPart == "" {
				continue
			}
			n := -1
			from++
			output, err := run(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				r.RemoteAddr = fmt.Sprintf("198.51.100.%d:1", from)
				if n++; n != i {
					good.ServeHTTP(w, r)
					return
				}
				a := httptest.NewRecorder()
				good.ServeHTTP(a, r)
				spoil(w, a)
			}))
			if err == nil || strings.Count(output, "FAILED") != 1 || !strings.Contains(output, c.name) {
				t.Errorf("%s %s: %v\n%s", c.name, name, err, output)
			}
		}
	}
}

func TestNoService(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	if err := Run(t.Context(), &http.Client{Timeout: time.Second}, gone.URL, io.Discard, All); err == nil || !strings.Contains(err.Error(), "22 of 22") {
		t.Errorf("no service: %v", err)
	}
	for _, url := range []string{"", "verdetto.example", "http://verdetto.example", "ftp://x"} {
		if err := Run(t.Context(), http.DefaultClient, url, io.Discard, All); err == nil || !strings.Contains(err.Error(), "https://") {
			t.Errorf("%q: %v", url, err)
		}
	}
}
