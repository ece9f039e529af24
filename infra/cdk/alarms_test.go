package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every alarm mails the operator when it starts and ends, through the topic of its own region.
func TestAlarmsTell(t *testing.T) {
	for _, name := range []string{"example", "least", "most"} {
		h := fixture(t, name)
		told := 0
		for id, r := range h.Resources {
			if r.Type != "AWS::CloudWatch::Alarm" {
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

// Alarms on the same fault of several functions or queues share one paragraph of docs/aws.md.
func TestRunbook(t *testing.T) {
	data, err := os.ReadFile("../../docs/aws.md")
	if err != nil {
		t.Fatal(err)
	}
	paragraphs := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\*\\*`([A-Za-z0-9.]+)`").FindAllStringSubmatch(string(data), -1) {
		paragraphs[strings.TrimPrefix(m[1], "...")] = false
	}
	pages := regexp.MustCompile("(?m)^These alarms are pages: (.*)[.]$").FindStringSubmatch(string(data))
	if pages == nil {
		t.Fatal("docs/aws.md does not list the pages")
	}
	h := fixture(t, "example") // has every alarm
	for id, r := range h.Resources {
		if r.Type != "AWS::CloudWatch::Alarm" {
			continue
		}
		for _, f := range functions {
			if rest, ok := strings.CutPrefix(id, title(f.name)); ok &&
				slices.Contains([]string{"Errors", "Throttles", "Failures", "Dead", "Waiting", "MailRefused",
					"MailFailed", "JobsGivenUp"}, rest) {
				id = rest
			}
		}
		severity := "-ticket-"
		if regexp.MustCompile("`(\\.\\.\\.)?" + id + "`").MatchString(pages[1]) {
			severity = "-page-"
		}
		if name := compact(r.Properties["AlarmName"]); !strings.HasPrefix(name, "verdetto"+severity) {
			t.Errorf("%s: docs/aws.md has it as verdetto%s%s", name, severity, id)
		}
		if _, ok := paragraphs[id]; !ok {
			t.Errorf("docs/aws.md does not say what to do when %s is on", id)
		}
		paragraphs[id] = true
	}
	for _, m := range regexp.MustCompile("`([^`]*)`").FindAllStringSubmatch(pages[1], -1) {
		if _, ok := paragraphs[strings.TrimPrefix(m[1], "...")]; !ok {
			t.Errorf("docs/aws.md lists the page %s, and has no paragraph on it", m[1])
		}
	}
	for id, found := range paragraphs {
		if !found {
			t.Errorf("docs/aws.md speaks of an alarm %s, which there is not", id)
		}
	}
}

// Every caller of a function uses the alias "live", which only infra/rollout changes, so no alarm
// and no rollback of the stack can undo a fix.
func TestRolloutIsOfTheAlias(t *testing.T) {
	h := fixture(t, "example")
	seen := 0
	for id, r := range h.Resources {
		if strings.HasPrefix(r.Type, "AWS::CodeDeploy::") || r.Type == "AWS::Lambda::Version" {
			t.Errorf("%s (%s) decides what is live", id, r.Type)
		}
	}
	for _, f := range functions {
		id := title(f.name)
		live := h.Resources[id+"Live"]
		if version := live.Properties["FunctionVersion"]; version != "$LATEST" || live.UpdatePolicy != nil {
			t.Errorf("a deployment of the stack moves %s to %v by %v", id+"Live", version, live.UpdatePolicy)
		}
		for of, r := range h.Resources {
			switch r.Type {
			case "AWS::Lambda::EventInvokeConfig":
				if compact(r.Properties["FunctionName"]) == `{"Ref":"`+id+`Function"}` &&
					!strings.Contains(compact(r.Properties["Qualifier"]), id+"Live") {
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

// Raising Generation changes every function, so infra/rollout publishes new versions. Changing
// AccessLogDays changes none.
func TestGenerationStartsFunctionsAnew(t *testing.T) {
	needsNode(t)
	c := fixtureConfigs(t)["example"]
	made := func(c config) map[string]string {
		all := map[string]string{}
		for id, r := range build(t, c).Resources {
			if r.Type == "AWS::Lambda::Function" {
				all[id] = compact(r.Properties)
			}
		}
		return all
	}
	before := made(c)
	c.AccessLogDays++
	if diff := cmp.Diff(before, made(c)); diff != "" {
		t.Errorf("another choice changes functions: %s", diff)
	}
	c.Generation++
	for id, properties := range made(c) {
		if properties == before[id] {
			t.Errorf("%s stays as it was", id)
		}
	}
	if len(before) != len(functions) {
		t.Errorf("%d of %d functions", len(before), len(functions))
	}
}
