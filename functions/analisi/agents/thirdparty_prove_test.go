package agents_test

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"verdetto/shared/architecture/testenv"
)

// These tests run programs from npm against /mcp. The programs are installed by `make tools`.

type nodePrograms struct{ folder string }

func tools(t *testing.T) nodePrograms {
	t.Helper()
	return nodePrograms{testenv.Tool(t, "mcp", "node_modules")}
}

func (o nodePrograms) run(t *testing.T, program string, arguments ...string) (code int, stdout, stderr string) {
	t.Helper()
	home := t.TempDir() // so that the programs neither read nor leave settings of the developer
	command := exec.CommandContext(t.Context(), filepath.Join(o.folder, "node", "bin", "node"),
		append([]string{filepath.Join(o.folder, filepath.FromSlash(program))}, arguments...)...)
	command.Dir = home
	command.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "NO_COLOR=1"}
	var out, errors bytes.Buffer
	command.Stdout, command.Stderr = &out, &errors
	if err := command.Run(); command.ProcessState == nil {
		t.Fatal(err)
	}
	return command.ProcessState.ExitCode(), out.String(), errors.String()
}

const (
	conformance = "@modelcontextprotocol/conformance/dist/index.js"
	inspector   = "@modelcontextprotocol/inspector/clients/launcher/build/index.js"
)

var (
	scenarios    = []string{"server-initialize", "ping", "tools-list", "resources-list", "dns-rebinding-protection"}
	inapplicable = regexp.MustCompile(`^(` +
		`tools-call-.*|json-schema-2020-12|` +
		`elicitation-.*|logging-.*|completion-.*|resources-.*|prompts-.*|` +
		`server-sse-.*)$`)
)

// TestProveConformance fails if a scenario is neither in scenarios nor matched by inapplicable, so
// that a person reviews new scenarios.
func TestProveConformance(t *testing.T) {
	o := tools(t)
	server := httptest.NewServer(open(t, knownRoutes(), ""))
	defer server.Close()
	code, out, stderr := o.run(t, conformance, "list", "--server")
	found := regexp.MustCompile(`(?m)^ +- (\S+)`).FindAllStringSubmatch(out, -1)
	if code != 0 || len(found) < 20 {
		t.Fatalf("exit code %d: %s %s", code, out, stderr)
	}
	var listed []string
	for _, m := range found {
		listed = append(listed, m[1])
		if !slices.Contains(scenarios, m[1]) && !inapplicable.MatchString(m[1]) {
			t.Errorf("the suite has a scenario %s: does it apply?", m[1])
		}
	}
	for _, name := range scenarios {
		t.Run(name, func(t *testing.T) {
			if !slices.Contains(listed, name) {
				t.Fatalf("the suite has no such scenario: %v", listed)
			}
			folder := t.TempDir()
			code, out, stderr := o.run(t, conformance, "server", "--url", server.URL+"/mcp",
				"--scenario", name, "-o", folder)
			files, err := filepath.Glob(filepath.Join(folder, "*", "checks.json"))
			if code != 0 || err != nil || len(files) != 1 {
				t.Fatalf("exit code %d, results %v: %s %s", code, files, out, stderr)
			}
			data, err := os.ReadFile(files[0])
			if err != nil {
				t.Fatal(err)
			}
			var checks []struct{ ID, Status string }
			decode(t, bytes.NewReader(data), &checks)
			for _, c := range checks {
				if c.Status != "SUCCESS" {
					t.Errorf("%s: %s", c.ID, c.Status)
				}
			}
			if len(checks) == 0 {
				t.Errorf("nothing was checked: %s", out)
			}
		})
	}
}

func TestProveInspector(t *testing.T) {
	o := tools(t)
	d := open(t, knownRoutes(), "")
	server := httptest.NewServer(d)
	defer server.Close()
	inspect := func(t *testing.T, code int, arguments ...string) (out string) {
		t.Helper()
		got, out, stderr := o.run(t, inspector,
			append([]string{"--cli", server.URL + "/mcp", "--transport", "http"}, arguments...)...)
		if got != code {
			t.Fatalf("exit code %d, want %d: %s %s", got, code, out, stderr)
		}
		if slices.Contains(arguments, "--strict") && !strings.Contains(stderr, "0 errors, 0 warnings") &&
			strings.TrimSpace(stderr) != "" {
			t.Errorf("schemas that some clients do not understand: %s", stderr)
		}
		return out
	}
	var listed struct{ Tools []struct{ Name string } }
	decode(t, strings.NewReader(inspect(t, 0, "--method", "tools/list", "--strict")), &listed)
	if len(listed.Tools) != 8 {
		t.Fatalf("%+v", listed)
	}
	called := map[string]bool{}
	for _, c := range sampleCalls {
		if called[c.tool] {
			continue
		}
		called[c.tool] = true
		t.Run(c.tool, func(t *testing.T) {
			arguments := []string{"--method", "tools/call", "--tool-name", c.tool}
			for name, value := range c.arguments {
				text, ok := value.(string)
				if !ok {
					data, err := json.Marshal(value)
					if err != nil {
						t.Fatal(err)
					}
					text = string(data)
				}
				arguments = append(arguments, "--tool-arg", name+"="+text)
			}
			var answer result
			decode(t, strings.NewReader(inspect(t, 0, arguments...)), &answer)
			text, err := json.Marshal(c.arguments)
			if err != nil {
				t.Fatal(err)
			}
			want, _ := d.call(t, c.tool, string(text))
			if answer.IsError || len(answer.Content) != 1 || answer.Content[0].Text != want.Content[0].Text ||
				len(answer.StructuredContent) == 0 {
				t.Errorf("%+v", answer)
			}
		})
	}
	for _, tool := range listed.Tools {
		if !called[tool.Name] {
			t.Errorf("%s was not called", tool.Name)
		}
	}
	const refused = 5
	var answer result
	decode(t, strings.NewReader(inspect(t, refused, "--method", "tools/call", "--tool-name", "flight_price_verdict",
		"--tool-arg", "origin=Milano", "--tool-arg", "destination=Barcelonna")), &answer)
	if answer.code(t) != "citta-sconosciuta" || !strings.Contains(answer.Content[0].Text, "Barcelona") {
		t.Errorf("%+v", answer)
	}
}
