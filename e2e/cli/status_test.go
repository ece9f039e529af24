package cli

import (
	"strings"
	"testing"

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
	end(t, s)
	got = d.Run("status", "-url", s.URL, "-lang", "en")
	if page := d.Files()["status.html"]; got.Code != 1 || !strings.Contains(page, "Something does not work.") {
		t.Errorf("exit code %d %s\n%s", got.Code, got.Stderr, page)
	}
	has(t, "stderr", got.Stderr, "a part of the service does not work; the status page shows which")
}
