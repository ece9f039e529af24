package openapi

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"verdetto/shared/architecture/testenv"
	"verdetto/shared/web/routes"
)

func TestSchemathesis(t *testing.T) {
	schemathesis(t, seed(t, 20260301), "--max-examples", "15")
}

func seed(t *testing.T, otherwise int64) int64 {
	t.Helper()
	text := os.Getenv("VERDETTO_SEED")
	if text == "" {
		return otherwise
	}
	seed, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return seed
}

func schemathesis(t *testing.T, seed int64, args ...string) (cases int) {
	t.Helper()
	program := testenv.Tool(t, "schemathesis", "bin", "schemathesis")
	config, err := filepath.Abs(filepath.Join("testdata", "schemathesis", "schemathesis.toml"))
	if err != nil {
		t.Fatal(err)
	}
	url, key := public(t)
	for _, caller := range []struct {
		name string
		args []string
	}{
		{"without a key", nil},
		{"with a key", []string{"--header", "X-Api-Key: " + key, "--include-path-regex", keyedPaths()}},
	} {
		report := filepath.Join(t.TempDir(), "report.json")
		command := exec.CommandContext(t.Context(), program,
			slices.Concat([]string{"--config-file", config, "run", url + "/v1/openapi.json",
				"--checks", "all", "--seed", strconv.FormatInt(seed, 10), "--continue-on-failure",
				"--report-json-path", report, "--generation-database", "none", "--no-color"}, args, caller.args)...)
		command.Dir = filepath.Dir(report)
		command.Env = append(os.Environ(), "SCHEMATHESIS_HOOKS=hooks", "PYTHONPATH="+filepath.Dir(config),
			"PYTHONDONTWRITEBYTECODE=1")
		out, err := command.CombinedOutput()
		if err != nil {
			t.Errorf("%s, seed %d: %v\n%s", caller.name, seed, err, tail(out))
		}
		n, err := casesOf(report)
		if err != nil || n == 0 {
			t.Errorf("%s, seed %d: %d cases, %v\n%s", caller.name, seed, n, err, tail(out))
		}
		t.Logf("%s, seed %d: %d cases", caller.name, seed, n)
		cases += n
	}
	return cases
}

func keyedPaths() string {
	var all []string
	for _, r := range routes.Table {
		if r.Keyed() {
			all = append(all, regexp.QuoteMeta(r.Path))
		}
	}
	return "^(" + strings.Join(all, "|") + ")$"
}

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
