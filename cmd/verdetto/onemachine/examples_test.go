package onemachine_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/shared/fare"
	"verdetto/shared/upstream/sample"
	"verdetto/shared/verdict"
)

var levels = []string{string(verdict.Great), string(verdict.Good), string(verdict.Fair), string(verdict.Expensive), string(verdict.Unjudged)}

func TestExamples(t *testing.T) {
	now := func() time.Time { return time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC) }
	o := onemachine.Options{Table: fixture.Bolt(t, now), Source: sample.New(), Now: now,
		Log: slog.New(slog.DiscardHandler), Origins: []fare.City{"MIL"}}
	if empty, err := o.Examples(t.Context()); err != nil || len(empty) > 0 {
		t.Errorf("of an empty store: %v, error %v", empty, err)
	}
	if _, err := o.Refresh(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	examples, err := o.Examples(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	service, err := onemachine.New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer service.Close()
	var got []string
	for _, e := range examples {
		got = append(got, e.Level)
		w := httptest.NewRecorder()
		service.API.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/v1/analisi?"+e.Query(), nil))
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"livello":"`+e.Level+`"`) {
			t.Errorf("%+v: %d %s", e, w.Code, w.Body)
		}
	}
	if strings.Join(got, " ") != strings.Join(levels, " ") {
		t.Errorf("examples of %v, want one of each of %v", got, levels)
	}
}
