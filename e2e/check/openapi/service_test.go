package openapi

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/shared/fare"
	"verdetto/shared/store/storetest"
	"verdetto/shared/upstream/sample"
)

func public(t *testing.T) (url, key string) {
	t.Helper()
	clock := storetest.NewClock()
	clock.Add(fixture.Today.Sub(clock.Now()))
	o := onemachine.Options{
		Table: fixture.Unlimited{Table: fixture.Bolt(t, clock.Now)}, Source: sample.New(), Now: clock.Now,
		Origins: []fare.City{"MIL"},
		Mail:    filepath.Join(t.TempDir(), "mail"), BaseURL: fixture.LocalURL, LocalURL: fixture.LocalURL,
		Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
	}
	if report, err := o.Refresh(t.Context(), nil); err != nil || report.Failed > 0 {
		t.Fatalf("%+v %v", report, err)
	}
	service := fixture.New(t, o)
	go service.Work(t.Context())
	described := fixture.Described(t, service.API)
	var calls atomic.Uint32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Each call has another address, so that no caller reaches a quota.
		n := calls.Add(1)
		r.RemoteAddr = fmt.Sprintf("10.%d.%d.%d:1", n>>16&255, n>>8&255, n&255)
		described.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL, fixture.IssueKey(t, o.Table, "of-the-examination@example.com", clock.Now(), 30*24*time.Hour)
}

func tail(out []byte) []byte { return bytes.TrimSpace(out[max(0, len(out)-20_000):]) }
