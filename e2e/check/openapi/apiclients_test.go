// Package openapi holds tests that need tools for OpenAPI: linters, generators of clients, and
// Schemathesis, which invents calls.
package openapi

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"verdetto/e2e/fixture"
	"verdetto/shared/architecture/testenv"
)

const openapiTools = "tools/openapi"

// withNode puts the Node.js in .tools first in PATH, because Debian's Node.js may be too old.
func withNode(t *testing.T) []string {
	t.Helper()
	bin := fixture.Path(t, ".tools", "mcp", "node_modules", ".bin")
	return append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
}

func TestOpenAPILints(t *testing.T) {
	t.Parallel()
	description, rules := fixture.Path(t, fixture.DescriptionFile), fixture.Path(t, openapiTools, "spectral.yaml")
	spoiled := filepath.Join(t.TempDir(), "spoiled.json")
	data, err := os.ReadFile(description)
	if err != nil {
		t.Fatal(err)
	}
	// As a control, each linter must report that an operation has no operationId.
	data = []byte(strings.Replace(string(data), `"operationId": "analisi",`, "", 1))
	if err := os.WriteFile(spoiled, data, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{
		"redocly":  {"lint", "--extends", "recommended", "--format", "github-actions"},
		"spectral": {"lint", "--fail-severity", "hint", "--quiet", "--ruleset", rules},
	} {
		t.Run(name, func(t *testing.T) {
			program := testenv.Tool(t, "openapi", "node_modules", ".bin", name)
			lint := func(path string) (string, error) {
				command := exec.CommandContext(t.Context(), program, append(args, path)...)
				command.Dir = t.TempDir()
				command.Env = append(withNode(t), "REDOCLY_TELEMETRY=off",
					"REDOCLY_SUPPRESS_UPDATE_NOTICE=true", "NO_COLOR=1")
				out, err := command.CombinedOutput()
				return string(out), err
			}
			if out, err := lint(description); err != nil || strings.Contains(out, "::warning") ||
				strings.Contains(out, "::error") {
				t.Errorf("%v\n%s", err, out)
			}
			if out, err := lint(spoiled); err == nil && !strings.Contains(out, "::warning") {
				t.Errorf("it finds nothing in a spoiled description\n%s", out)
			}
		})
	}
}

// installs matches commands that fetch a generator. The test leaves these commands out.
var installs = regexp.MustCompile(`(npm|pip) install [^;]*; `)

func TestGeneratedClients(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile(fixture.Path(t, "examples", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	fetch := regexp.MustCompile(`(?m)^curl .*$`).FindString(string(readme))
	line := func(name string) string {
		m := regexp.MustCompile(`(?m)^\| \[` + name + `\].* \x60(.+)\x60 \|$`).FindStringSubmatch(string(readme))
		if fetch == "" || m == nil {
			t.Fatalf("the README does not say how to run the client in %s", name)
		}
		return installs.ReplaceAllString(m[1], "")
	}
	const partial = "import sys; from client import Client; from client.api.analisi import analisi; " +
		"print(*analisi.sync(client=Client(sys.argv[1]), origine='Milano', destinazione='Bucarest', campi='verdetto.campione').to_dict()['verdetto'])"
	for name, client := range map[string]struct {
		available func(t *testing.T)
		checks    string
	}{
		"go": {func(t *testing.T) {
			command := exec.CommandContext(t.Context(), "go", "tool", "oapi-codegen", "-version")
			command.Dir = fixture.Path(t, "examples", "go")
			command.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=")
			if out, err := command.CombinedOutput(); err != nil {
				testenv.Missing(t, "oapi-codegen", fmt.Sprintf("make tools (%.200s)", out))
			}
		}, "go vet ./..."},
		"typescript": {func(t *testing.T) { testenv.Tool(t, "openapi", "node_modules", ".bin", "openapi-typescript") }, "true"},
		"python": {func(t *testing.T) {
			testenv.Tool(t, "openapi-python", "bin", "python")
			testenv.Tool(t, "openapi", "node_modules", ".bin", "pyright")
		}, "python -m compileall -q client verdict.py && node_modules/.bin/pyright --pythonpath \"$(which python)\" verdict.py"},
	} {
		t.Run(name, func(t *testing.T) {
			client.available(t)
			dir := filepath.Join(t.TempDir(), "client")
			if err := os.CopyFS(dir, os.DirFS(fixture.Path(t, "examples", name))); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(fixture.Path(t, ".tools", "openapi", "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
				t.Fatal(err)
			}
			url, _ := public(t)
			run := func(script string, args ...string) string {
				t.Helper()
				script = "npx() { node_modules/.bin/\"$@\"; }; " + strings.ReplaceAll(script, "https://verdetto.example", url)
				command := exec.CommandContext(t.Context(), "sh", append([]string{"-ec", script, "sh"}, args...)...)
				command.Dir = dir
				command.Env = append(withNode(t), "GOFLAGS=")
				if name == "python" {
					command.Env = append(command.Env, "PATH="+testenv.Tool(t, "openapi-python", "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
				}
				out, err := command.CombinedOutput()
				if err != nil {
					t.Fatalf("%s: %v\n%s", script, err, tail(out))
				}
				return strings.TrimSpace(string(out))
			}
			written := line(name)
			last := strings.LastIndex(written, "; ")
			run(fetch + "; " + written[:last])
			run(client.checks)
			if got := run(written[last+2:]); !strings.HasPrefix(got, "Milano Bucarest ") {
				t.Errorf("the verdict is %q", got)
			}
			if got := run(strings.ReplaceAll(written[last+2:], "Bucarest", "Bukarestt")); got != "citta-sconosciuta" {
				t.Errorf("the problem is %q", got)
			}
			if name == "python" { // with campi, required fields may be absent
				if got := run(`python -c "$1" "$2"`, partial, url); got != "campione" {
					t.Errorf("the part has the fields %q", got)
				}
			}
		})
	}
}
