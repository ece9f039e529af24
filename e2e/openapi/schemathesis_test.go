package openapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/shared/store/storetest"
	"verdetto/shared/upstream/sample"
)

// public starts the whole service on a loopback port, over the invented world
// and with stand-ins for money, and gives its address and a Pro key. No cap is
// ever reached there: what is asked of it is how it answers, not how often.
func public(t *testing.T) (url, key string) {
	t.Helper()
	clock := storetest.NewClock()
	clock.Add(fixture.Today.Sub(clock.Now()))
	o := onemachine.Options{
		Table: fixture.Unlimited{Table: fixture.Bolt(t, clock.Now)}, Source: sample.New(), Now: clock.Now,
		Mail: filepath.Join(t.TempDir(), "mail"), BaseURL: fixture.LocalURL, LocalURL: fixture.LocalURL,
		Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
	}
	if report, err := o.Refresh(t.Context(), nil); err != nil || report.Failed > 0 {
		t.Fatalf("%+v %v", report, err)
	}
	service := fixture.New(t, o)
	go service.Work(t.Context())
	server := httptest.NewServer(fixture.Described(t, service.API))
	t.Cleanup(server.Close)
	return server.URL, fixture.IssueKey(t, o.Table, "of-the-examination@example.com", clock.Now(), 30*24*time.Hour)
}

// tool gives the path of a program that make tools installs, or skips the test.
func tool(t *testing.T, elements ...string) string {
	t.Helper()
	path := fixture.Path(t, append([]string{".tools"}, elements...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("%s is not installed: make tools does it", filepath.Join(elements...))
	}
	return path
}

// TestSchemathesis has calls made up from the description, well formed and not,
// and every answer checked against it, without a key and with one.
func TestSchemathesis(t *testing.T) {
	program := tool(t, "schemathesis", "bin", "schemathesis")
	config, err := filepath.Abs(filepath.Join("testdata", "schemathesis", "schemathesis.toml"))
	if err != nil {
		t.Fatal(err)
	}
	url, key := public(t)
	cases := 0
	for _, caller := range []struct {
		name string
		args []string
	}{
		{"without a key", nil},
		{"with a key", []string{"--header", "X-Api-Key: " + key}},
	} {
		report := filepath.Join(t.TempDir(), "report.json")
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		command := exec.CommandContext(ctx, program, append([]string{"--config-file", config, "run", url + "/v1/openapi.json",
			"--checks", "all", "--max-examples", "225", "--seed", "20260301", "--continue-on-failure",
			"--report-json-path", report, "--generation-database", "none", "--no-color"}, caller.args...)...)
		command.Dir = filepath.Dir(report)
		command.Env = append(os.Environ(), "SCHEMATHESIS_HOOKS=hooks", "PYTHONPATH="+filepath.Dir(config), "PYTHONDONTWRITEBYTECODE=1")
		out, err := command.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", caller.name, err, tail(out))
		}
		n, err := casesOf(report)
		if err != nil {
			t.Errorf("%s: %v\n%s", caller.name, err, tail(out))
		}
		t.Logf("%s: %d cases", caller.name, n)
		cases += n
	}
	if cases < 5000 {
		t.Errorf("only %d cases were made up, want 5,000", cases)
	}
}

// tail is the end of what a program said, where it tells what it has found.
func tail(out []byte) []byte { return bytes.TrimSpace(out[max(0, len(out)-20_000):]) }

// casesOf reads how many calls a report is about.
func casesOf(path string) (int, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, fmt.Errorf("read report: %w", err)
	}
	var report struct {
		Complete bool
		Cases    struct{ Generated int } `json:"test_cases"`
	}
	if err := json.Unmarshal(data, &report); err != nil || !report.Complete {
		return 0, fmt.Errorf("read report: complete is %v: %w", report.Complete, err)
	}
	return report.Cases.Generated, nil
}
