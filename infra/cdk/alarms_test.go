package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestAlarmsTell: every alarm mails the operator when it begins and when it ends,
// from the region that it is of, and says what it is about; those that watch a
// new version tell CodeDeploy alone.
func TestAlarmsTell(t *testing.T) {
	for _, name := range []string{"example", "least", "most"} {
		h := fixture(t, name)
		told := 0
		for id, r := range h.Resources {
			if r.Type != "AWS::CloudWatch::Alarm" {
				continue
			}
			if strings.Contains(id, "Canary") {
				if r.Properties["ActionsEnabled"] != false || !watched(h, id) {
					t.Errorf("%s: %s stops no new version", name, id)
				}
				continue
			}
			told++
			want := `[{"Ref":"Alarms"}]`
			if strings.HasPrefix(id, "Edge") && h.Resources["EdgeAlarms"].Type != "" {
				want = `[{"Ref":"EdgeAlarms"}]`
			}
			if got := compact(r.Properties["AlarmActions"]); got != want || compact(r.Properties["OKActions"]) != want {
				t.Errorf("%s: %s tells %s, want %s", name, id, got, want)
			}
			if about, _ := r.Properties["AlarmDescription"].(string); len(about) < 40 {
				t.Errorf("%s: %s says of itself %q", name, id, about)
			}
		}
		if told < 25 {
			t.Errorf("%s: only %d alarms were looked at", name, told)
		}
	}
}

// watched tells whether a new version is taken back by an alarm.
func watched(h *synthesized, alarm string) bool {
	for id, r := range h.Resources {
		if r.Type == "AWS::CodeDeploy::DeploymentGroup" {
			for _, a := range asList(h.property(id, "AlarmConfiguration", "Alarms")) {
				if compact(at(a, "Name")) == `{"Ref":"`+alarm+`"}` {
					return true
				}
			}
		}
	}
	return false
}

// TestRunbook: each alarm has its paragraph in docs/operations.md, and each
// paragraph its alarm. Those of several functions or queues share one.
func TestRunbook(t *testing.T) {
	data, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	paragraphs := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\*\\*`([A-Za-z0-9.]+)`").FindAllStringSubmatch(string(data), -1) {
		paragraphs[strings.TrimPrefix(m[1], "...")] = false
	}
	h := fixture(t, "example") // which has every alarm
	for id, r := range h.Resources {
		if r.Type != "AWS::CloudWatch::Alarm" {
			continue
		}
		for _, f := range functions {
			if rest, ok := strings.CutPrefix(id, title(f.name)); ok && slices.Contains([]string{"Errors", "Throttles", "Failures", "Dead", "Waiting", "Canary", "Canary5xx"}, rest) {
				id = rest
			}
		}
		if _, ok := paragraphs[id]; !ok {
			t.Errorf("docs/operations.md does not say what to do when %s is on", id)
		}
		paragraphs[id] = true
	}
	for id, found := range paragraphs {
		if !found {
			t.Errorf("docs/operations.md speaks of an alarm %s, which there is not", id)
		}
	}
}

// TestRolloutIsOfTheAlias: whatever calls a function calls its live version, and
// a version is let in as its deployment group says.
func TestRolloutIsOfTheAlias(t *testing.T) {
	h := fixture(t, "example")
	seen := 0
	for _, f := range functions {
		id := title(f.name)
		update := compact(at(h.Resources[id+"Live"].UpdatePolicy, "CodeDeployLambdaAliasUpdate"))
		if want := `{"ApplicationName":{"Ref":"Rollout"},"DeploymentGroupName":{"Ref":"` + id + `Rollout"}}`; update != want {
			t.Errorf("%s is let in by %s, want %s", f.name, update, want)
		}
		for of, r := range h.Resources {
			switch r.Type {
			case "AWS::Lambda::EventInvokeConfig":
				if compact(r.Properties["FunctionName"]) == `{"Ref":"`+id+`Function"}` && !strings.Contains(compact(r.Properties["Qualifier"]), id+"Live") {
					t.Errorf("%s is of %s itself: %s", of, f.name, compact(r.Properties))
				}
			case "AWS::Lambda::Permission", "AWS::Lambda::EventSourceMapping", "AWS::ApiGatewayV2::Integration", "AWS::Scheduler::Schedule", "AWS::SNS::Subscription":
				seen++
				if strings.Contains(compact(r.Properties), id+`Function`) {
					t.Errorf("%s is of %s itself, not of its live version: %s", of, f.name, compact(r.Properties))
				}
			}
		}
	}
	if seen < 50 {
		t.Errorf("only %d callers were looked at", seen)
	}
}

// TestGenerationStartsFunctionsAnew: raising it makes a new version of each
// function, which reads its parameters as it starts; nothing else does by itself.
func TestGenerationStartsFunctionsAnew(t *testing.T) {
	needsNode(t)
	c := fixtureConfigs(t)["example"]
	versions := func(c config) []string {
		var ids []string
		for id, r := range build(t, c).Resources {
			if r.Type == "AWS::Lambda::Version" {
				ids = append(ids, id)
			}
		}
		return ids
	}
	before := versions(c)
	c.AccessLogDays++
	if after := versions(c); !same(before, after) {
		t.Errorf("another choice makes new versions: %q, %q", before, after)
	}
	c.Generation++
	for _, id := range versions(c) {
		if slices.Contains(before, id) {
			t.Errorf("%s stays as it was", id)
		}
	}
	if len(before) != len(functions) {
		t.Errorf("%d versions of %d functions", len(before), len(functions))
	}
}

func same(a, b []string) bool {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(a, b)
}
