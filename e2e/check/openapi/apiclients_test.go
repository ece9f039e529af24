// Package openapi holds tests that need tools for OpenAPI: linters, generators of clients, and
// Schemathesis, which makes up calls.
package openapi

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"verdetto/e2e/fixture"
	"verdetto/shared/architecture/testenv"
)

const openapiTools = "tools/openapi"

// withNode puts a current Node.js first in PATH, if make tools has installed one. Debian's may be
// too old for the linters and generators.
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
	// As a control, the description gets two faults, one of which each linter must find.
	data = []byte(strings.Replace(strings.Replace(string(data), `"operationId": "analisi",`, "", 1),
		`"summary": "What this API is",`, "", 1))
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
				command.Dir = t.TempDir() // a folder without configuration
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

// The programs in examples/ compile with client code that public generators make from the OpenAPI
// description. Each gets a verdict and an error response from a running service.
func TestGeneratedClients(t *testing.T) {
	t.Parallel()
	description, python := fixture.Path(t, fixture.DescriptionFile),
		fixture.Path(t, ".tools", "openapi-python", "bin", "python")
	for _, client := range []struct {
		name      string
		available func(t *testing.T)
		build     [][]string
		call      []string
	}{
		{"go", func(t *testing.T) {
			command := exec.CommandContext(t.Context(), "go", "tool", "oapi-codegen", "-version")
			command.Dir = fixture.Path(t, "examples", "go")
			command.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=")
			if out, err := command.CombinedOutput(); err != nil {
				testenv.Missing(t, "oapi-codegen", fmt.Sprintf("make tools (%.200s)", out))
			}
		}, [][]string{
			{"go", "tool", "oapi-codegen", "-config", "oapi-codegen.yaml", description},
			{"go", "vet", "./..."},
			{"go", "build", "-o", "verdict", "."},
		}, []string{"./verdict"}},
		{"typescript", func(t *testing.T) { testenv.Tool(t, "openapi", "node_modules", ".bin", "openapi-typescript") },
			[][]string{
				{"node_modules/.bin/openapi-typescript", description, "--output", "api.d.ts"},
				{"node_modules/.bin/tsc", "--project", "."},
			}, []string{"node", "verdict.js"}},
		{"python", func(t *testing.T) {
			testenv.Tool(t, "openapi-python", "bin", "python")
			testenv.Tool(t, "openapi", "node_modules", ".bin", "pyright")
		}, [][]string{
			{python, "-m", "openapi_python_client", "generate", "--path", description, "--meta", "none",
				"--output-path", "client"},
			{python, "-m", "compileall", "-q", "client", "verdict.py"},
			{fixture.Path(t, ".tools", "openapi", "node_modules", ".bin", "pyright"), "--pythonpath", python, "verdict.py"},
		}, []string{python, "verdict.py"}},
	} {
		t.Run(client.name, func(t *testing.T) {
			client.available(t)
			dir := filepath.Join(t.TempDir(), "client")
			if err := os.CopyFS(dir, os.DirFS(fixture.Path(t, "examples", client.name))); err != nil {
				t.Fatal(err)
			}
			environment := append(withNode(t), "GOFLAGS=")
			switch client.name {
			case "go":
				if err := os.Mkdir(filepath.Join(dir, "client"), 0o755); err != nil {
					t.Fatal(err)
				}
			case "python":
				environment = append(environment,
					"PATH="+testenv.Tool(t, "openapi-python", "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
			default:
				if err := os.Symlink(testenv.Tool(t, "openapi", "node_modules"),
					filepath.Join(dir, "node_modules")); err != nil {
					t.Fatal(err)
				}
			}
			run := func(args ...string) string {
				t.Helper()
				command := exec.CommandContext(t.Context(), args[0], args[1:]...)
				command.Dir = dir
				command.Env = environment
				out, err := command.CombinedOutput()
				if err != nil {
					t.Fatalf("%v: %v\n%s", args, err, tail(out))
				}
				return strings.TrimSpace(string(out))
			}
			for _, step := range client.build {
				run(step...)
			}
			url, _ := public(t)
			if got := run(append(client.call, url, "MILANO", "bucarest")...); !strings.HasPrefix(got,
				"Milano Bucarest ") {
				t.Errorf("the verdict is %q", got)
			}
			if got := run(append(client.call, url, "Milano", "Bukarestt")...); got != "citta-sconosciuta" {
				t.Errorf("the problem is %q", got)
			}
			if client.name == "python" { // an answer of which required fields are absent
				const partial = "import sys; from client import Client; from client.api.analisi import analisi; " +
					"print(*analisi.sync(client=Client(sys.argv[1]), origine='Milano', destinazione='Bucarest', campi='verdetto.campione').to_dict()['verdetto'])"
				if got := run(python, "-c", partial, url); got != "campione" {
					t.Errorf("the part has the fields %q", got)
				}
			}
		})
	}
}
