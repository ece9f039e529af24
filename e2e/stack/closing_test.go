package stack

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"verdetto/e2e/fixture"
	"verdetto/shared/mail/sesmail/motolocal"
	"verdetto/shared/routes"
	"verdetto/shared/testenv"
)

// call asks moto for an action of a service that speaks JSON, by its name alone, in the region of the stack that has it.
func call(t *testing.T, endpoint, service, action string, inputs map[string]any) map[string]any {
	t.Helper()
	body, err := json.Marshal(inputs)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, endpoint, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	region := map[string]string{"wafv2": "us-east-1", "logs": "eu-west-1"}[service]
	request.Header.Set("X-Amz-Target", action)
	request.Header.Set("Content-Type", "application/x-amz-json-1.1")
	request.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=local/20261121/"+region+"/"+service+"/aws4_request, SignedHeaders=host, Signature=0")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer := map[string]any{}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %v %v", action, response.Status, answer, err)
	}
	return answer
}

// firewalls is moto in the place of WAF.
type firewalls struct {
	t        *testing.T
	endpoint string
}

func (f firewalls) call(api string, inputs map[string]any) map[string]any {
	f.t.Helper()
	return call(f.t, f.endpoint, "wafv2", "AWSWAF_20190729."+api, inputs)
}

// patterns are those of a set.
func (f firewalls) patterns(set map[string]any) (all []string) {
	f.t.Helper()
	for _, p := range f.call("GetRegexPatternSet", set)["RegexPatternSet"].(map[string]any)["RegularExpressionList"].([]any) {
		all = append(all, p.(map[string]any)["RegexString"].(string))
	}
	return all
}

// TestTheFreeTierCloses plays the runbook of the template, step by step, over moto's
// firewalls: before it no path is closed, after it every one, played once or twice, and
// the command of the documents opens them again. Which alarm starts the runbook is among the statements of infra/cdk.
func TestTheFreeTierCloses(t *testing.T) {
	testenv.Command(t, "node", "apt-get install nodejs")
	made := synthesize(t, "VerdettoEdge", map[string]any{"freeTier": "budget"})
	waf := firewalls{t, motolocal.Endpoint(t)}
	p := made.Resources["ClosedPaths"].Properties
	var list []any
	for _, pattern := range p["RegularExpressionList"].([]any) {
		list = append(list, map[string]any{"RegexString": pattern})
	}
	summary := waf.call("CreateRegexPatternSet", map[string]any{"Name": p["Name"], "Scope": p["Scope"], "RegularExpressionList": list})["Summary"].(map[string]any)
	set := map[string]any{"Name": p["Name"], "Scope": p["Scope"], "Id": summary["Id"]}

	play := func() {
		t.Helper()
		known := map[string]string{}
		for _, s := range made.Resources["CloseFreeTier"].Properties["Content"].(map[string]any)["mainSteps"].([]any) {
			step := s.(map[string]any)
			if step["action"] != "aws:executeAwsApi" {
				t.Fatalf("%v is not played here", step["action"])
			}
			inputs := map[string]any{}
			for k, v := range step["inputs"].(map[string]any) {
				if text, ok := v.(string); ok {
					for name, value := range known {
						text = strings.ReplaceAll(text, "{{ "+name+" }}", value)
					}
					v = text
				} else if id, ok := v.(map[string]any); ok && referred(id) == "ClosedPaths" {
					v = summary["Id"]
				}
				inputs[k] = v
			}
			api := inputs["Api"].(string)
			if inputs["Service"] != "wafv2" {
				t.Fatalf("%v is not played here", inputs["Service"])
			}
			delete(inputs, "Service")
			delete(inputs, "Api")
			answer := waf.call(api, inputs)
			outputs, _ := step["outputs"].([]any)
			for _, o := range outputs {
				output := o.(map[string]any)
				value, _ := answer[strings.TrimPrefix(output["Selector"].(string), "$.")].(string)
				known[step["name"].(string)+"."+output["Name"].(string)] = value
			}
		}
	}
	closed := func() (paths []string) {
		for _, pattern := range waf.patterns(set) {
			for _, r := range routes.Table {
				for _, path := range r.Paths() {
					if regexp.MustCompile(pattern).MatchString(path) {
						paths = append(paths, path)
					}
				}
			}
		}
		return paths
	}
	var every []string
	for _, r := range routes.Table {
		every = append(every, r.Paths()...)
	}
	if paths := closed(); len(paths) > 0 {
		t.Errorf("closed as it is deployed: %v", paths)
	}
	for range 2 {
		play()
		if diff := gocmp.Diff(every, closed()); diff != "" {
			t.Errorf("after the runbook: %s", diff)
		}
	}

	// What docs/operations.md says to do, by the API.
	data, err := os.ReadFile(fixture.Path(t, "docs", "operations.md"))
	if err != nil {
		t.Fatal(err)
	}
	command := regexp.MustCompile(`(?s)aws wafv2 update-regex-pattern-set .*?--regular-expression-list 'RegexString=([^']+)'`).FindSubmatch(data)
	if command == nil || !bytes.Contains(command[0], []byte("verdetto-closed")) {
		t.Fatal("docs/operations.md does not say how to open it again")
	}
	open := map[string]any{"LockToken": waf.call("GetRegexPatternSet", set)["LockToken"], "RegularExpressionList": []any{map[string]any{"RegexString": string(command[1])}}}
	for k, v := range set {
		open[k] = v
	}
	waf.call("UpdateRegexPatternSet", open)
	if paths := closed(); len(paths) > 0 {
		t.Errorf("closed after it was opened: %v", paths)
	}
}
