package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var accepted = []struct{ rule, where, why string }{
	{"AwsSolutions-APIG4", "/Verdetto/Route",
		"Callers without a key are welcome; keys are checked by the functions, and API Gateway has no authorizer for " +
			"the edge's secret but a function, which would cost as much as answering."},
	{"AwsSolutions-CFR1", "/Distribution/", "Travellers live everywhere."},
	{"AwsSolutions-CFR2", "/Verdetto/Distribution/",
		"The firewall is there unless the operator declines it: it costs at least 9 USD a month, and callers are " +
			"counted without it."},
	{"AwsSolutions-CFR3", "/Distribution/",
		"Accesses are logged by standard logging (v2), whose fields can be chosen; the rule knows the older log " +
			"only, in which queries are."},
	{"AwsSolutions-CFR4", "/Verdetto/Distribution/",
		"Without a domain of one's own CloudFront offers no choice of TLS versions."},
	{"AwsSolutions-S1", "/AccessLogs/",
		"It is the bucket of access logs; logging who reads logs into itself would never end."},
	{"AwsSolutions-SQS3", "/Verdetto/EventDeadLetters/",
		"It is a queue of dead letters, of functions and not of a queue, which the rule does not see."},
}

func (h *synthesized) findings(t *testing.T) [][2]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(h.out, "*.metadata.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no messages: %v", err)
	}
	messages := map[string][]struct {
		Type string
		Data any
	}{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(data, &messages)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var found [][2]string
	for place, listed := range messages {
		for _, m := range listed {
			if m.Type == "aws:cdk:error" || m.Type == "aws:cdk:warning" {
				rule, _, _ := strings.Cut(fmt.Sprint(m.Data), ": ")
				found = append(found, [2]string{rule, place})
			}
		}
	}
	return found
}

func TestNag(t *testing.T) {
	used := map[string]bool{}
	for name := range fixtureConfigs(t) {
		for _, f := range fixture(t, name).findings(t) {
			known := false
			for _, a := range accepted {
				if a.rule == f[0] && strings.Contains(f[1], a.where) {
					known, used[a.rule] = true, true
				}
			}
			if !known {
				t.Errorf("%s: %s finds fault with %s", name, f[0], f[1])
			}
		}
	}
	for _, a := range accepted {
		if !used[a.rule] {
			t.Errorf("%s is accepted and not found: remove the entry", a.rule)
		}
	}
}
