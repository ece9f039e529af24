// Package stack has the template deployed by a CloudFormation that is not ours,
// moto's, as far as that goes, and compares what it made with the template.
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
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	ssmtypes "github.com/aws/aws-sdk-go-v2/service/ssm/types"
	gocmp "github.com/google/go-cmp/cmp"

	"verdetto/e2e/fixture"
	"verdetto/shared/architecture/testenv"
	"verdetto/shared/carrier/mail/sesmail/motolocal"
)

// template is what is deployed.
type template struct {
	Parameters map[string]any `json:",omitempty"`
	Resources  map[string]resource
}

type resource struct {
	Type       string
	Properties map[string]any
	DependsOn  any `json:",omitempty"`
}

// made are the types that moto makes every resource of. Of the others, CloudFront
// and API Gateway among them, it makes none.
var made = []string{
	"AWS::CloudWatch::Dashboard", "AWS::Events::Rule", "AWS::DynamoDB::Table", "AWS::IAM::Policy", "AWS::IAM::Role", "AWS::KMS::Key",
	"AWS::Lambda::EventSourceMapping", "AWS::Lambda::Function", "AWS::Lambda::Permission", "AWS::Logs::LogGroup",
	"AWS::S3::Bucket", "AWS::SNS::Topic", "AWS::SQS::Queue",
}

// TestDeployed: every resource of a type that moto knows is made, and the table, the queues, the
// functions, what leads from one to the other, who may call them and their logs are what the template says. Outputs
// are left out: moto fails on those of types that it lacks. TestProveStackInvoked invokes the functions.
func TestDeployed(t *testing.T) {
	testenv.Command(t, "node", "apt-get install nodejs")
	settings := aws.Config{
		Region: "eu-west-1", BaseEndpoint: aws.String(motolocal.Endpoint(t)), Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	}
	whole := synthesize(t, "Verdetto", nil)
	want := forMoto(whole)
	deploy(t, settings, want)

	// What was made, by logical id.
	physical, counts := map[string]string{}, map[string][2]int{}
	pages := cloudformation.NewListStackResourcesPaginator(cloudformation.NewFromConfig(settings), &cloudformation.ListStackResourcesInput{StackName: aws.String("verdetto")})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range page.StackResourceSummaries {
			if r.ResourceType != nil && want.Resources[aws.ToString(r.LogicalResourceId)].Type == *r.ResourceType {
				physical[*r.LogicalResourceId] = aws.ToString(r.PhysicalResourceId)
			}
		}
	}
	for id, r := range want.Resources {
		n := counts[r.Type]
		n[0]++
		if _, ok := physical[id]; ok {
			n[1]++
		}
		counts[r.Type] = n
	}
	table, all, there := "", 0, 0
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		n := counts[kind]
		all, there = all+n[0], there+n[1]
		table += fmt.Sprintf("%-45s %3d %3d\n", kind, n[0], n[1])
		if slices.Contains(made, kind) && n[0] != n[1] {
			t.Errorf("%s: %d are in the template, %d were made", kind, n[0], n[1])
		}
	}
	for _, kind := range []string{"AWS::DynamoDB::Table", "AWS::Lambda::EventSourceMapping", "AWS::Lambda::Function", "AWS::SQS::Queue"} { // which are looked at below
		if counts[kind][0] == 0 {
			t.Errorf("%s: none is in the template", kind)
		}
	}
	t.Logf("of %d resources of the template %d were handed to moto, and %d made\n%s", len(whole.Resources), all, there, table)

	byType := func(kind string) (ids []string) {
		for id, r := range want.Resources {
			if r.Type == kind {
				ids = append(ids, id)
			}
		}
		slices.Sort(ids)
		return ids
	}
	queues := sqs.NewFromConfig(settings)
	arns := map[string]string{} // of queues, by ARN: the logical id
	attributes := map[string]map[string]string{}
	for _, id := range byType("AWS::SQS::Queue") {
		out, err := queues.GetQueueAttributes(t.Context(), &sqs.GetQueueAttributesInput{QueueUrl: aws.String(physical[id]), AttributeNames: []sqstypes.QueueAttributeName{"All"}})
		if err != nil {
			t.Fatal(err)
		}
		attributes[id], arns[out.Attributes["QueueArn"]] = out.Attributes, id
	}
	for _, id := range byType("AWS::SQS::Queue") {
		p := want.Resources[id].Properties
		for property, attribute := range map[string]string{"VisibilityTimeout": "VisibilityTimeout", "MessageRetentionPeriod": "MessageRetentionPeriod"} {
			if v, ok := p[property]; ok && fmt.Sprint(v) != attributes[id][attribute] {
				t.Errorf("%s: %s is %s, want %v", id, property, attributes[id][attribute], v)
			}
		}
		if redrive, ok := p["RedrivePolicy"].(map[string]any); ok {
			var is struct {
				DeadLetterTargetArn string
				MaxReceiveCount     json.Number
			}
			if err := json.Unmarshal([]byte(attributes[id]["RedrivePolicy"]), &is); err != nil {
				t.Errorf("%s: %v", id, err)
			}
			if to := referred(redrive["deadLetterTargetArn"]); arns[is.DeadLetterTargetArn] != to || is.MaxReceiveCount.String() != fmt.Sprint(redrive["maxReceiveCount"]) {
				t.Errorf("%s: dead letters after %s to %s, want %v to %s", id, is.MaxReceiveCount, is.DeadLetterTargetArn, redrive["maxReceiveCount"], to)
			}
		}
	}

	functions := lambda.NewFromConfig(settings)
	for _, id := range byType("AWS::Lambda::Function") {
		p := want.Resources[id].Properties
		is, err := functions.GetFunctionConfiguration(t.Context(), &lambda.GetFunctionConfigurationInput{FunctionName: aws.String(p["FunctionName"].(string))})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := fmt.Sprintln(is.Runtime, aws.ToString(is.Handler), aws.ToInt32(is.MemorySize), aws.ToInt32(is.Timeout)), fmt.Sprintln(p["Runtime"], p["Handler"], p["MemorySize"], p["Timeout"]); got != want {
			t.Errorf("%s is %s, want %s", id, got, want)
		}
		variables := p["Environment"].(map[string]any)["Variables"].(map[string]any)
		for name := range is.Environment.Variables {
			if variables[name] == nil {
				t.Errorf("%s is given %s, which the template does not say", id, name)
			}
		}
		for name, value := range variables {
			got := is.Environment.Variables[name]
			if text, ok := value.(string); ok && got != text {
				t.Errorf("%s: %s is %q, want %q", id, name, got, text)
			} else if to := referred(value); to != "" && slices.Contains(made, want.Resources[to].Type) && got != physical[to] {
				t.Errorf("%s: %s is %q, want %s, which is %q", id, name, got, to, physical[to])
			}
		}
	}

	allowed(t, settings, want, functions)

	out, err := functions.ListEventSourceMappings(t.Context(), &lambda.ListEventSourceMappingsInput{})
	if err != nil {
		t.Fatal(err)
	}
	var leads, wanted []string
	for _, m := range out.EventSourceMappings {
		name := aws.ToString(m.FunctionArn)
		leads = append(leads, fmt.Sprintf("%s to %s by %d", arns[aws.ToString(m.EventSourceArn)], name[strings.Index(name, ":function:")+10:], aws.ToInt32(m.BatchSize)))
	}
	for _, id := range byType("AWS::Lambda::EventSourceMapping") {
		p := want.Resources[id].Properties
		wanted = append(wanted, fmt.Sprintf("%s to %s by %v", referred(p["EventSourceArn"]), want.Resources[referred(p["FunctionName"])].Properties["FunctionName"], p["BatchSize"]))
	}
	slices.Sort(leads)
	slices.Sort(wanted)
	if diff := gocmp.Diff(wanted, leads); diff != "" {
		t.Errorf("what leads from queues to functions: %s", diff)
	}

	for _, id := range byType("AWS::DynamoDB::Table") {
		p := want.Resources[id].Properties
		tables := dynamodb.NewFromConfig(settings)
		is, err := tables.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String(physical[id])})
		if err != nil {
			t.Fatal(err)
		}
		var keys []any
		for _, k := range is.Table.KeySchema {
			keys = append(keys, map[string]any{"AttributeName": *k.AttributeName, "KeyType": string(k.KeyType)})
		}
		if diff := gocmp.Diff(p["KeySchema"], any(keys)); diff != "" {
			t.Errorf("%s: keys: %s", id, diff)
		}
		if got := aws.ToBool(is.Table.DeletionProtectionEnabled); got != p["DeletionProtectionEnabled"] {
			t.Errorf("%s: protected from deletion: %v", id, got)
		}
	}
}

// allowed holds who may call each function, and the log that it writes, against the template.
func allowed(t *testing.T, settings aws.Config, want template, functions *lambda.Client) {
	t.Helper()
	callers, keeps := map[string][]string{}, map[string]string{} // by function, by log group
	for _, r := range want.Resources {
		switch r.Type {
		case "AWS::Lambda::Permission":
			name := fmt.Sprint(want.Resources[referred(r.Properties["FunctionName"])].Properties["FunctionName"])
			callers[name] = append(callers[name], fmt.Sprint(r.Properties["Action"], " ", r.Properties["Principal"]))
		case "AWS::Logs::LogGroup":
			keeps[fmt.Sprint(r.Properties["LogGroupName"])] = fmt.Sprint(r.Properties["RetentionInDays"])
		}
	}
	if len(callers) == 0 || len(keeps) == 0 {
		t.Errorf("the template has permissions of %d functions, and %d logs", len(callers), len(keeps))
	}
	for name, want := range callers {
		is, err := functions.GetPolicy(t.Context(), &lambda.GetPolicyInput{FunctionName: &name})
		if err != nil {
			t.Fatal(err)
		}
		var policy struct {
			Statement []struct {
				Effect, Action string
				Principal      struct{ Service string }
			}
		}
		if err := json.Unmarshal([]byte(aws.ToString(is.Policy)), &policy); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range policy.Statement {
			if s.Effect == "Allow" {
				got = append(got, s.Action+" "+s.Principal.Service)
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("who may call %s: %s", name, diff)
		}
	}
	got := map[string]string{}
	for _, g := range call(t, *settings.BaseEndpoint, "logs", "Logs_20140328.DescribeLogGroups", map[string]any{})["logGroups"].([]any) {
		group := g.(map[string]any)
		got[fmt.Sprint(group["logGroupName"])] = fmt.Sprint(group["retentionInDays"])
	}
	if diff := gocmp.Diff(keeps, got); diff != "" {
		t.Errorf("logs, and for how many days: %s", diff)
	}
}

// forMoto leaves out of a template what moto fails on: what asks for an attribute of a
// resource that moto lacks. It knows no aliases: whoever names one is given its function.
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

// referred is the logical id that a value refers to.
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

// synthesize makes a template of the example with other choices, and stand-ins for the executables.
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
	command := exec.Command("go", "run", "./infra/cdk", "-config", filepath.Join(dir, "config.json"), "-assets", filepath.Join(dir, "assets"), "-out", filepath.Join(dir, "out"))
	command.Dir = fixture.Path(t)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	data, err := os.ReadFile(filepath.Join(dir, "out", stack+".template.json"))
	var made template
	if err == nil {
		numbers := json.NewDecoder(bytes.NewReader(data))
		numbers.UseNumber() // as they are written
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

// deploy puts what has to be there, and has moto make the stack, of empty executables.
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

// deployWith is deploy with what each function is to run.
func deployWith(t *testing.T, settings aws.Config, stack template, code func(function string) []byte) {
	t.Helper()
	put := func(path string, body []byte) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, *settings.BaseEndpoint+"/"+path, bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
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
		Overwrite: aws.Bool(true), Name: aws.String("/cdk-bootstrap/hnb659fds/version"), Value: aws.String(strconv.Itoa(27)), Type: ssmtypes.ParameterTypeString,
	}); err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(stack)
	if err != nil {
		t.Fatal(err)
	}
	client := cloudformation.NewFromConfig(settings, func(o *cloudformation.Options) { o.RetryMaxAttempts = 1 }) // a second try finds what the first left
	if _, err := client.CreateStack(t.Context(), &cloudformation.CreateStackInput{
		StackName: aws.String("verdetto"), TemplateBody: aws.String(string(body)), Capabilities: []types.Capability{types.CapabilityCapabilityNamedIam},
	}); err != nil {
		t.Fatal(err)
	}
	out, err := client.DescribeStacks(t.Context(), &cloudformation.DescribeStacksInput{StackName: aws.String("verdetto")})
	if err != nil || len(out.Stacks) != 1 || out.Stacks[0].StackStatus != types.StackStatusCreateComplete {
		t.Fatalf("the stack was not made: %v %+v", err, cmp.Or(out, &cloudformation.DescribeStacksOutput{}).Stacks)
	}
}
