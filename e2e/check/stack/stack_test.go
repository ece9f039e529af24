// Package stack deploys the service's CloudFormation template in moto, a local imitation of AWS. It
// compares the created resources with the template, except types that moto does not support.
package stack

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation/types"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	ssmtypes "github.com/aws/aws-sdk-go-v2/service/ssm/types"

	"verdetto/e2e/fixture"
)

type template struct {
	Parameters map[string]any `json:",omitempty"`
	Resources  map[string]resource
}

type resource struct {
	Type       string
	Properties map[string]any
	DependsOn  any `json:",omitempty"`
}

// made lists resource types that moto creates.
var made = []string{
	"AWS::CloudWatch::Dashboard", "AWS::Events::Rule", "AWS::DynamoDB::Table", "AWS::IAM::Policy", "AWS::IAM::Role",
	"AWS::KMS::Key",
	"AWS::Lambda::EventSourceMapping", "AWS::Lambda::Function", "AWS::Lambda::Permission", "AWS::Logs::LogGroup",
	"AWS::S3::Bucket", "AWS::SNS::Topic", "AWS::SQS::Queue",
}

// forMoto replaces references to aliases by references to functions.
func forMoto(t template) template {
	aliases := map[string]string{}
	for id, r := range t.Resources {
		if r.Type == "AWS::Lambda::Alias" {
			aliases[id] = referred(r.Properties["FunctionName"])
		}
	}
	var plain func(v any) any
	plain = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			if id, ok := v["Ref"].(string); ok && aliases[id] != "" {
				return map[string]any{"Fn::GetAtt": []any{aliases[id], "Arn"}}
			}
			for key := range v {
				v[key] = plain(v[key])
			}
		case []any:
			for i := range v {
				v[i] = plain(v[i])
			}
		}
		return v
	}
	for _, r := range t.Resources {
		plain(r.Properties)
	}
	var lacks func(v any) bool
	lacks = func(v any) bool {
		switch v := v.(type) {
		case map[string]any:
			if list, ok := v["Fn::GetAtt"].([]any); ok {
				return !slices.Contains(made, t.Resources[fmt.Sprint(list[0])].Type)
			}
			return slices.ContainsFunc(slices.Collect(maps.Values(v)), lacks)
		case []any:
			return slices.ContainsFunc(v, lacks)
		}
		return false
	}
	kept := template{Parameters: t.Parameters, Resources: map[string]resource{}}
	for id, r := range t.Resources {
		if !lacks(r.Properties) {
			kept.Resources[id] = r
		}
	}
	return kept
}

func referred(v any) string {
	m, _ := v.(map[string]any)
	if id, ok := m["Ref"].(string); ok {
		return id
	}
	if list, ok := m["Fn::GetAtt"].([]any); ok && len(list) == 2 {
		id, _ := list[0].(string)
		return id
	}
	return ""
}

func synthesize(t *testing.T, stack string, choices map[string]any) template {
	t.Helper()
	dir := t.TempDir()
	example, err := os.ReadFile(fixture.Path(t, "infra", "cdk", "example.json"))
	var config map[string]any
	if err == nil {
		err = json.Unmarshal(example, &config)
	}
	if err != nil {
		t.Fatal(err)
	}
	config["solanaWallet"] = "6PCANXw778iMrBzLUVK4c9q6Xc2X9oRUCvLoa4tfsLWG" // the example has a placeholder
	maps.Copy(config, choices)
	chosen, err := json.Marshal(config)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "config.json"), chosen, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range functionNames(t) {
		if err := os.MkdirAll(filepath.Join(dir, "assets", name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "assets", name, "bootstrap"), []byte(name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.Command("go", "run", "./infra/cdk", "-config", filepath.Join(dir, "config.json"), "-assets",
		filepath.Join(dir, "assets"), "-out", filepath.Join(dir, "out"))
	command.Dir = fixture.Path(t)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	data, err := os.ReadFile(filepath.Join(dir, "out", stack+".template.json"))
	var made template
	if err == nil {
		numbers := json.NewDecoder(bytes.NewReader(data))
		numbers.UseNumber()
		err = numbers.Decode(&made)
	}
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func functionNames(t *testing.T) (names []string) {
	t.Helper()
	mains, err := filepath.Glob(fixture.Path(t, "functions", "*", "bootstrap"))
	if err != nil || len(mains) == 0 {
		t.Fatal(mains, err)
	}
	for _, m := range mains {
		names = append(names, filepath.Base(filepath.Dir(m)))
	}
	return names
}

func deploy(t *testing.T, settings aws.Config, stack template) {
	t.Helper()
	var code bytes.Buffer
	archive := zip.NewWriter(&code)
	if _, err := archive.Create("bootstrap"); err != nil {
		t.Fatal(err)
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	deployWith(t, settings, stack, func(string) []byte { return code.Bytes() })
}

func deployWith(t *testing.T, settings aws.Config, stack template, code func(function string) []byte) {
	t.Helper()
	put := func(path string, body []byte) {
		t.Helper()
		response, _ := fixture.Call(t, http.DefaultClient, "PUT", *settings.BaseEndpoint+"/"+path, string(body))
		if response.StatusCode >= 300 && response.StatusCode != http.StatusConflict {
			t.Fatalf("put %s: %s", path, response.Status)
		}
	}
	for _, r := range stack.Resources {
		if at, ok := r.Properties["Code"].(map[string]any); ok && r.Type == "AWS::Lambda::Function" {
			bucket, key := fmt.Sprint(at["S3Bucket"]), fmt.Sprint(at["S3Key"])
			put(bucket, nil)
			put(bucket+"/"+key, code(strings.TrimPrefix(fmt.Sprint(r.Properties["FunctionName"]), "verdetto-")))
		}
	}
	if _, err := ssm.NewFromConfig(settings).PutParameter(t.Context(), &ssm.PutParameterInput{
		Overwrite: aws.Bool(true), Name: aws.String("/cdk-bootstrap/hnb659fds/version"),
		Value: aws.String(strconv.Itoa(27)), Type: ssmtypes.ParameterTypeString,
	}); err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(stack)
	if err != nil {
		t.Fatal(err)
	}
	// A retry would fail on resources that the first call created.
	client := cloudformation.NewFromConfig(settings, func(o *cloudformation.Options) { o.RetryMaxAttempts = 1 })
	if _, err := client.CreateStack(t.Context(), &cloudformation.CreateStackInput{
		StackName: aws.String("verdetto"), TemplateBody: aws.String(string(body)),
		Capabilities: []types.Capability{types.CapabilityCapabilityNamedIam},
	}); err != nil {
		t.Fatal(err)
	}
	out, err := client.DescribeStacks(t.Context(),
		&cloudformation.DescribeStacksInput{StackName: aws.String("verdetto")})
	if err != nil || len(out.Stacks) != 1 || out.Stacks[0].StackStatus != types.StackStatusCreateComplete {
		t.Fatalf("the stack was not made: %v %+v", err, cmp.Or(out, &cloudformation.DescribeStacksOutput{}).Stacks)
	}
}
