package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/assertions"
	"github.com/aws/jsii-runtime-go"

	"verdetto/shared/testenv"
)

// The tests look at the template as CloudFormation gets it, made of three sets
// of choices and of stand-ins for the executables.

func TestMain(m *testing.M) {
	code := m.Run()
	jsii.Close()
	for _, dir := range tempDirs {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

// needsNode skips a test where there is no Node.js, which the CDK runs on.
func needsNode(t testing.TB) {
	t.Helper()
	testenv.Command(t, "node", "apt-get install nodejs")
}

// tempDirs are folders that live as long as the tests.
var tempDirs []string

func tempDir() string {
	dir, err := os.MkdirTemp("", "cdk-*")
	if err != nil {
		panic(err)
	}
	tempDirs = append(tempDirs, dir)
	return dir
}

// standIns is a folder of what make build would make, each different, as those are.
var standIns = sync.OnceValue(func() string {
	dir := tempDir()
	for _, f := range functions {
		if err := os.MkdirAll(filepath.Join(dir, f.name), 0o777); err != nil {
			panic(err)
		}
		if err := os.WriteFile(filepath.Join(dir, f.name, "bootstrap"), []byte(f.name), 0o777); err != nil {
			panic(err)
		}
	}
	return dir
})

// fixtureConfigs are those shown to operators; no more than the least; everything turned on.
func fixtureConfigs(t testing.TB) map[string]config {
	t.Helper()
	example, err := load("example.json")
	if err != nil {
		t.Fatal(err)
	}
	least := example
	least.Domain, least.Certificate, least.Operator = "", "", operator{}
	most := example
	most.Name, most.Region, most.SolanaNetwork = "second", "us-east-1", "devnet"
	most.SolanaMint = "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU"
	most.RequestsPerFiveMinutes, most.Workers, most.LogDays = 2000, 3, 90
	most.Reserved = map[string]int{"refresh": 5, "analisi": 100}
	most.RestoredTable = "second-restored"
	return map[string]config{"example": example, "least": least, "most": most}
}

// synthesized is a stack and its template.
type synthesized struct {
	stack     awscdk.Stack
	template  assertions.Template
	Resources map[string]resource
	Outputs   map[string]any
	text      string
}

type resource struct {
	Type           string
	Properties     map[string]any
	DeletionPolicy string
	DependsOn      any
}

var fixtures = map[string]*synthesized{}

// fixture synthesizes the stack of a configuration, once for all tests.
func fixture(t testing.TB, name string) *synthesized {
	t.Helper()
	needsNode(t)
	if h, ok := fixtures[name]; ok {
		return h
	}
	c, ok := fixtureConfigs(t)[name]
	if !ok {
		t.Fatalf("no choices are named %q", name)
	}
	if faults := c.check(); len(faults) > 0 {
		t.Fatalf("%s: %q", name, faults)
	}
	fixtures[name] = build(t, c)
	return fixtures[name]
}

func build(t testing.TB, c config) *synthesized {
	t.Helper()
	stack := newStack(newApp(tempDir()), c, standIns())
	h := &synthesized{stack: stack, template: assertions.Template_FromStack(stack, nil)}
	text, err := json.MarshalIndent(h.template.ToJSON(), "", " ")
	if err == nil {
		err = json.Unmarshal(text, h)
	}
	if err != nil {
		t.Fatal(err)
	}
	h.text = string(text)
	return h
}

// at follows keys and indices into a value of JSON.
func at(v any, path ...any) any {
	for _, p := range path {
		switch p := p.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[p]
		case int:
			l, _ := v.([]any)
			if p >= len(l) {
				return nil
			}
			v = l[p]
		}
	}
	return v
}

// property is a property of a resource.
func (h *synthesized) property(id string, path ...any) any {
	return at(map[string]any(h.Resources[id].Properties), path...)
}

// asList makes a list of a value that may stand alone.
func asList(v any) []any {
	if l, ok := v.([]any); ok {
		return l
	}
	if v == nil {
		return nil
	}
	return []any{v}
}

// compact writes a value in one line, functions of CloudFormation included.
func compact(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return strings.Trim(string(b), `"`)
}
