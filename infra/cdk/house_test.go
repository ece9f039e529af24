package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"verdetto/shared/testenv"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/assertions"
	"github.com/aws/jsii-runtime-go"
)

// The tests look at the template as CloudFormation gets it, made of three sets
// of choices and of stand-ins for the executables.

func TestMain(m *testing.M) {
	code := m.Run()
	jsii.Close()
	for _, dir := range scratch {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

// needsNode skips a test where there is no Node.js, which the CDK runs on.
func needsNode(t testing.TB) {
	t.Helper()
	testenv.Command(t, "node", "apt-get install nodejs")
}

// scratch are folders that live as long as the tests.
var scratch []string

func folder() string {
	dir, err := os.MkdirTemp("", "cdk-*")
	if err != nil {
		panic(err)
	}
	scratch = append(scratch, dir)
	return dir
}

// standIns is a folder of what make build would make, each different, as those are.
var standIns = sync.OnceValue(func() string {
	dir := folder()
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

// choices of the tests: those shown to operators; no more than the least; everything turned on.
func choices(t testing.TB) map[string]config {
	t.Helper()
	example, err := load("example.json")
	if err != nil {
		t.Fatal(err)
	}
	least := example
	least.Domain, least.Certificate = "", ""
	most := example
	most.Name, most.Region, most.SolanaNetwork = "second", "us-east-1", "devnet"
	most.SolanaMint = "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU"
	most.RequestsPerFiveMinutes, most.Workers, most.LogDays = 2000, 3, 90
	most.Reserved = map[string]int{"refresh": 5, "analisi": 100}
	most.RestoredTable = "second-restored"
	return map[string]config{"example": example, "least": least, "most": most}
}

// made is a house and what it came to.
type made struct {
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

var houses = map[string]*made{}

// house makes a house once for all tests.
func house(t testing.TB, name string) *made {
	t.Helper()
	needsNode(t)
	if h, ok := houses[name]; ok {
		return h
	}
	c, ok := choices(t)[name]
	if !ok {
		t.Fatalf("no choices are named %q", name)
	}
	if faults := c.check(); len(faults) > 0 {
		t.Fatalf("%s: %q", name, faults)
	}
	houses[name] = build(t, c)
	return houses[name]
}

func build(t testing.TB, c config) *made {
	t.Helper()
	stack := newHouse(newApp(folder()), c, standIns())
	h := &made{stack: stack, template: assertions.Template_FromStack(stack, nil)}
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
func (h *made) property(id string, path ...any) any {
	return at(map[string]any(h.Resources[id].Properties), path...)
}

// each makes a list of a value that may stand alone.
func each(v any) []any {
	if l, ok := v.([]any); ok {
		return l
	}
	if v == nil {
		return nil
	}
	return []any{v}
}

// plain writes a value in one line, functions of CloudFormation included.
func plain(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return strings.Trim(string(b), `"`)
}
