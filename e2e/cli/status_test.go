package cli

import (
	"encoding/json"
	"testing"

	"verdetto/e2e/fixture"
)

func TestStatusOfURL(t *testing.T) {
	t.Parallel()
	d := fixture.NewShell(t)
	s := d.Serve("-store", "bolt:kept.db", "-upstream", "csv:good.csv", "-now", "2016-03-01")
	d.Want(0, "ready: version ", "status", "-url", s.URL)
	var answer struct{ Versione string }
	got := d.Want(0, "", "status", "-url", s.URL, "-o", "json")
	if err := json.Unmarshal([]byte(got.Stdout), &answer); err != nil || answer.Versione == "" {
		t.Errorf("%v in %s", err, got.Stdout)
	}
	got = d.Want(0, "", "smoke", "-url", s.URL, "-o", "json")
	var calls []struct{ Name, Fault string }
	if err := json.Unmarshal([]byte(got.Stdout), &calls); err != nil || len(calls) != 22 || calls[0].Name != "index" || calls[0].Fault != "" {
		t.Errorf("%v: %s %s", err, got.Stdout, got.Stderr)
	}
	s.End(t)
	d.Want(1, "ask the service", "status", "-url", s.URL)
}
