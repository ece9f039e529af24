package cli

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"verdetto/e2e/fixture"
)

// TestStatus writes a status page while the service runs, and again after the service has stopped.
func TestStatus(t *testing.T) {
	t.Parallel()
	d := fixture.NewShell(t)
	s := d.Serve("-store", "bolt:kept.db", "-upstream", "csv:good.csv", "-now", "2016-03-01")
	got := d.Run("status", "-url", s.URL, "-lang", "it")
	if page := d.Files()["status.html"]; got.Code != 0 || !strings.Contains(page, "Tutto funziona.") || !strings.Contains(page, "2016-0") {
		t.Errorf("exit code %d %s\n%s", got.Code, got.Stderr, page)
	}
	type status struct {
		Parts []struct {
			ID           string
			Works        bool
			Milliseconds float64
		}
		Newest time.Time
	}
	read := func(printed string) (s status) {
		t.Helper()
		if err := json.Unmarshal([]byte(printed), &s); err != nil || len(s.Parts) != 4 || s.Parts[0].ID != "page" {
			t.Errorf("%v in %s", err, printed)
		}
		return s
	}
	if printed := read(d.Run("status", "-url", s.URL, "-o", "json").Stdout); !printed.Parts[0].Works ||
		printed.Parts[0].Milliseconds <= 0 || printed.Newest.Year() != 2016 {
		t.Errorf("the status is %+v", printed)
	}
	got = d.Run("smoke", "-url", s.URL, "-o", "json")
	var calls []struct{ Name, Fault string }
	if err := json.Unmarshal([]byte(got.Stdout), &calls); err != nil || got.Code != 0 || len(calls) != 22 ||
		calls[0].Name != "index" || calls[0].Fault != "" {
		t.Errorf("exit code %d, %v: %s %s", got.Code, err, got.Stdout, got.Stderr)
	}
	end(t, s)
	if printed := read(d.Run("status", "-url", s.URL, "-o", "json").Stdout); printed.Parts[0].Works {
		t.Errorf("the status of no service is %+v", printed)
	}
	got = d.Run("status", "-url", s.URL, "-lang", "en")
	if page := d.Files()["status.html"]; got.Code != 1 || !strings.Contains(page, "Something does not work.") {
		t.Errorf("exit code %d %s\n%s", got.Code, got.Stderr, page)
	}
	has(t, "stderr", got.Stderr, "a part of the service does not work; the status page shows which")
}
