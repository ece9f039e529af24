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
	"github.com/cdklabs/cdk-nag-go/cdknag/v2"

	"verdetto/shared/architecture/testenv"
)

func TestMain(m *testing.M) {
	if out := os.Getenv("CDK_TEST_OUT"); out != "" {
		if err := run("example.json", standIns(), out); err != nil {
			panic(err)
		}
		return
	}
	code := m.Run()
	closeRuntime()
	for _, dir := range tempDirs {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

func needsNode(t testing.TB) {
	t.Helper()
	testenv.Command(t, "node", "apt-get install nodejs")
}

var tempDirs []string

func tempDir() string {
	dir, err := os.MkdirTemp("", "cdk-*")
	if err != nil {
		panic(err)
	}
	tempDirs = append(tempDirs, dir)
	return dir
}

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

func fixtureConfigs(t testing.TB) map[string]config {
	t.Helper()
	example, err := load("example.json")
	if err != nil {
		t.Fatal(err)
	}
	least := example
	least.Region, least.Domain, least.Certificate, least.Origin, least.Operator = "us-east-1", "", "", origin{},
		operator{}
	least.StripePrice, least.SolanaWallet = "", ""
	least.Instances, least.RequestsPerFiveMinutes = 10, 0
	most := example
	most.Name, most.Region, most.SolanaNetwork = "second", "us-east-1", "devnet"
	most.Origin = origin{most.Origin.Domain, most.Certificate, strings.Replace(most.Certificate, "1111", "9999", 1),
		"testdata/authority.pem"}
	most.FreeTier, most.Generation = closed, 2
	most.SolanaMint = "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU"
	most.RequestsPerFiveMinutes, most.Workers, most.LogDays = 1000, 3, 90
	most.Reserved = map[string]int{"refresh": 5, "analisi": 100}
	most.Origins = []string{"MIL", "ROM"}
	most.RestoredTable, most.TelegramBot = "second-restored", "second_bot"
	return map[string]config{"example": example, "least": least, "most": most}
}

type synthesized struct {
	out       string
	texts     []string
	Resources map[string]resource
	Outputs   map[string]any
	text      string
}

type resource struct {
	Type           string
	UpdatePolicy   map[string]any
	Properties     map[string]any
	DeletionPolicy string
	DependsOn      any
}

var fixtures = map[string]*synthesized{}

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
	fixtures[name] = build(t, c, cdknag.NewAwsSolutionsChecks(&cdknag.NagPackProps{}))
	return fixtures[name]
}

func build(t testing.TB, c config, aspects ...awscdk.IAspect) *synthesized {
	t.Helper()
	h := &synthesized{out: tempDir(), Resources: map[string]resource{}, Outputs: map[string]any{}}
	all := map[string]map[string]any{"Resources": {}, "Outputs": {}}
	app := newApp(h.out)
	stacks := newStacks(app, c, standIns())
	for _, aspect := range aspects {
		awscdk.Aspects_Of(app).Add(aspect, nil)
	}
	for _, stack := range stacks {
		made := *assertions.Template_FromStack(stack, nil).ToJSON()
		text, err := json.MarshalIndent(made, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		h.texts = append(h.texts, string(text))
		for section, into := range all {
			values, _ := made[section].(map[string]any)
			for id, v := range values {
				if into[id] != nil {
					t.Fatalf("two stacks have a %s", id)
				}
				into[id] = v
			}
		}
	}
	text, err := json.MarshalIndent(all, "", " ")
	if err == nil {
		err = json.Unmarshal(text, h)
	}
	if err != nil {
		t.Fatal(err)
	}
	h.text = string(text)
	return h
}

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

func (h *synthesized) property(id string, path ...any) any {
	return at(map[string]any(h.Resources[id].Properties), path...)
}

func asList(v any) []any {
	if l, ok := v.([]any); ok {
		return l
	}
	if v == nil {
		return nil
	}
	return []any{v}
}

func compact(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return strings.Trim(string(b), `"`)
}
