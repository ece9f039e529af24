package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/architecture/testenv"
	"verdetto/shared/runtime/config/parameters"
)

func TestSameChoicesSameTemplate(t *testing.T) {
	h := fixture(t, "example")
	if diff := cmp.Diff(h.texts, build(t, fixtureConfigs(t)["example"]).texts); diff != "" {
		t.Errorf("the second time something else was made:\n%s", diff)
	}
}

func TestGoodSynthIsQuiet(t *testing.T) {
	needsNode(t)
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), "CDK_TEST_OUT="+t.TempDir(), "JSII_SILENCE_WARNING_DEPRECATED_NODE_VERSION=true")
	if out, err := command.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v: %s", err, out)
	}
}

func TestTwoStacksShareNoName(t *testing.T) {
	named := func(h *synthesized) map[string]string {
		names := map[string]string{}
		for id, r := range h.Resources {
			for key, v := range r.Properties {
				if s, ok := v.(string); ok && strings.HasSuffix(key, "Name") && key != "StageName" &&
					key != "MetricName" && r.Type != "AWS::Lambda::Alias" &&
					r.Type != "AWS::ApiGatewayV2::DomainName" && r.Type != "AWS::IAM::Policy" {
					names[r.Type+" "+key+" "+s] = id
				}
			}
		}
		return names
	}
	first, second := named(fixture(t, "example")), named(fixture(t, "most"))
	if len(first) < 20 {
		t.Errorf("only %d names were looked at", len(first))
	}
	for name := range first {
		if id, ok := second[name]; ok {
			t.Errorf("%s of both stacks is %s", id, name)
		}
	}
}

func TestWhatOutlivesTheStack(t *testing.T) {
	data, err := os.ReadFile("../../docs/aws.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := strings.Join(strings.Fields(string(data)), " ")
	if n := strings.Count(doc, "make deploy CONFIG=verdetto.json ADOPT=1"); n != 3 {
		t.Errorf("docs/aws.md says %d times how a table is adopted: after a first deployment that failed, after "+
			"taking the service down, and from a copy", n)
	}
	known := map[string]string{"Table": "the table", "AccessLogs": "the bucket of access logs"}
	for _, choice := range []string{"example", "least", "most"} {
		for id, r := range fixture(t, choice).Resources {
			if r.DeletionPolicy != "Retain" {
				continue
			}
			if known[id] == "" || !strings.Contains(doc, known[id]) {
				t.Errorf("%s: %s is never deleted, which docs/aws.md does not say", choice, id)
			}
			for property := range r.Properties {
				if strings.HasSuffix(property, "Name") && id != "Table" {
					t.Errorf("%s: %s is never deleted and has a name, so no second stack can be made", choice, id)
				}
			}
		}
	}
}

func TestMailRecords(t *testing.T) {
	h := fixture(t, "example")
	for id, want := range map[string]string{
		"MailFromMx":  "bounces.verdetto.example.com MX 10 feedback-smtp.eu-west-1.amazonses.com",
		"MailFromSpf": `bounces.verdetto.example.com TXT "v=spf1 include:amazonses.com ~all"`,
		"Dmarc":       `_dmarc.verdetto.example.com TXT "v=DMARC1; p=none"`,
	} {
		if got := at(h.Outputs[id], "Value"); got != want {
			t.Errorf("%s is %v, want %s", id, got, want)
		}
	}
	for _, id := range []string{"Dkim1", "Dkim2", "Dkim3", "OriginRecord"} {
		if h.Outputs[id] == nil {
			t.Errorf("there is no output %s", id)
		}
	}
}

func TestLint(t *testing.T) {
	lint := testenv.Tool(t, "cfn-lint", "bin", "cfn-lint")
	dir := t.TempDir()
	args := []string{"--config-file", "cfnlint.yaml", "-t"}
	for _, name := range []string{"example", "least", "most"} {
		for i, text := range fixture(t, name).texts {
			file := filepath.Join(dir, fmt.Sprintf("%s-%d.template.json", name, i))
			if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			args = append(args, file)
		}
	}
	if out, err := exec.Command(lint, args...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	bad := filepath.Join(dir, "bad.template.json")
	if err := os.WriteFile(bad, []byte(strings.Replace(fixture(t, "example").texts[0], `"PAY_PER_REQUEST"`,
		`"FOR_FREE"`, 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(lint, "--config-file", "cfnlint.yaml", "-t", bad).CombinedOutput(); err == nil {
		t.Errorf("a bad template was let pass: %s", out)
	}
}

func TestDocumentsNameWhatExists(t *testing.T) {
	h := fixture(t, "example")
	data, err := os.ReadFile("../../docs/aws.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := string(data)
	ids := regexp.MustCompile("`([A-Z][A-Za-z0-9]+(?:Function|Queue|DeadLetters|Distribution|Table))`|invoke "+
		"([A-Z][A-Za-z]+) ").FindAllStringSubmatch(doc, -1)
	if len(ids) < 4 {
		t.Errorf("only %d logical ids were found", len(ids))
	}
	for _, m := range ids {
		if id := m[1]; h.Resources[id].Type == "" {
			t.Errorf("docs/aws.md speaks of %s, which is not in the template", id)
		}
	}
	for _, parameter := range parameters.Table {
		if !strings.Contains(doc, "\n| `"+parameter.Path("verdetto")+"` |") {
			t.Errorf("docs/aws.md does not say that %s is needed", parameter.Name)
		}
	}
}
