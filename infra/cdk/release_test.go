package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/architecture/testenv"
)

func TestReleaseTemplate(t *testing.T) {
	needsNode(t)
	released, err := releaseTemplate(tempDir(), standIns(), "verdetto_1.0.0_aws")
	if err != nil {
		t.Fatal(err)
	}
	for id, r := range released["Resources"].(map[string]any) {
		if code := at(r, "Properties", "Code"); code != nil {
			want := map[string]any{"S3Bucket": map[string]any{"Ref": "CodeBucket"},
				"S3Key": "verdetto_1.0.0_aws/" + strings.ToLower(strings.TrimSuffix(id, "Function")) + ".zip"}
			if diff := cmp.Diff(want, code); diff != "" {
				t.Errorf("%s: %s", id, diff)
			}
		}
	}
	c := chosen()
	c.Account, c.Generation = "998877665544", 3
	c.MailFrom, c.AlarmEmail = "Verdetto <fares@traveller.example>", "night@watch.example"
	c.Operator = operator{Name: "Example s.r.l.", Address: "Via Roma 1, Milano", Email: "help@traveller.example",
		Law: "Italy"}
	given := map[string]string{"AWS::AccountId": c.Account, "MailUser": "fares", "MailDomain": "traveller.example",
		"AlarmEmail": c.AlarmEmail, "Generation": "3", "OperatorName": c.Operator.Name,
		"OperatorAddress": c.Operator.Address, "OperatorEmail": c.Operator.Email, "OperatorLaw": c.Operator.Law,
		"OperatorPhone": "", "OperatorNumber": ""}
	if n := len(released["Parameters"].(map[string]any)); n != len(given) {
		t.Errorf("%d parameters, want %d", n, len(given))
	}
	var want map[string]any
	text := strings.ReplaceAll(build(t, c).texts[0], "Alarmsnightwatchexample", "AlarmsByMail")
	if err := json.Unmarshal([]byte(text), &want); err != nil {
		t.Fatal(err)
	}
	for _, template := range []map[string]any{released, want} {
		for _, section := range []string{"Parameters", "Conditions", "Rules"} {
			delete(template, section)
		}
		for _, r := range template["Resources"].(map[string]any) {
			delete(r.(map[string]any), "Metadata")
			if properties, ok := at(r, "Properties").(map[string]any); ok {
				delete(properties, "Code")
			}
		}
	}
	// The hash after the id of the subscription comes from the address.
	hash := regexp.MustCompile(`AlarmsByMail[0-9A-F]{8}`)
	inText := func(v any) string { return hash.ReplaceAllString(compactJSON(t, v), "AlarmsByMail") }
	if diff := cmp.Diff(inText(want), inText(resolve(released, given))); diff != "" {
		t.Error(diff)
	}
}

func compactJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func resolve(v any, given map[string]string) any {
	switch v := v.(type) {
	case map[string]any:
		if branches, ok := v["Fn::If"].([]any); ok {
			value := given[strings.TrimPrefix(branches[0].(string), "Has")]
			if value == "" {
				return nil
			}
			return value
		}
		if text, ok := v["Fn::Sub"].(string); ok && !strings.Contains(text, "${Api}") {
			for name, value := range given {
				text = strings.ReplaceAll(text, "${"+name+"}", value)
			}
			return text
		}
		resolved := map[string]any{}
		for key, value := range v {
			if value = resolve(value, given); value != nil {
				resolved[key] = value
			}
		}
		return resolved
	case []any:
		resolved := make([]any, len(v))
		for i, value := range v {
			resolved[i] = resolve(value, given)
		}
		return resolved
	}
	return v
}

func TestReleaseFile(t *testing.T) {
	needsNode(t)
	lint := testenv.Tool(t, "cfn-lint", "bin", "cfn-lint")
	dir := t.TempDir()
	var files [2][]byte
	for i := range files {
		file := filepath.Join(dir, "verdetto_1.0.0_aws.zip")
		if err := writeRelease(file, standIns()); err != nil {
			t.Fatal(err)
		}
		var err error
		if files[i], err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("the second file differs from the first")
	}
	held := unzipped(t, files[0])
	want := []string{"verdetto_1.0.0_aws/template.json"}
	for _, f := range functions {
		name := "verdetto_1.0.0_aws/" + f.name + ".zip"
		want = append(want, name)
		executable := unzipped(t, held[name].data)["bootstrap"]
		if string(executable.data) != f.name || executable.mode.Perm() != 0o755 {
			t.Errorf("%s holds %q with mode %v", name, executable.data, executable.mode)
		}
	}
	if diff := cmp.Diff(slices.Sorted(slices.Values(want)), slices.Sorted(maps.Keys(held))); diff != "" {
		t.Error(diff)
	}
	template := held["verdetto_1.0.0_aws/template.json"].data
	if len(template) > 1_000_000 {
		t.Errorf("the template has %d bytes; CloudFormation reads 1 MB", len(template))
	}
	for _, leftover := range []string{"chosen", "111122223333", "424242", "cdk-hnb659fds"} {
		if bytes.Contains(template, []byte(leftover)) {
			t.Errorf("the template holds %s", leftover)
		}
	}
	file := filepath.Join(dir, "template.json")
	if err := os.WriteFile(file, template, 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(lint, "--config-file", "cfnlint.yaml", "-t", file).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func unzipped(t *testing.T, data []byte) map[string]entry {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	held := map[string]entry{}
	for _, f := range z.File {
		var b bytes.Buffer
		r, err := f.Open()
		if err == nil {
			_, err = b.ReadFrom(r)
		}
		if err != nil {
			t.Fatal(err)
		}
		held[f.Name] = entry{f.Name, f.Mode(), b.Bytes()}
	}
	return held
}
