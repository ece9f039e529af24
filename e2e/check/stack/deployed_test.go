package stack

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"
	gocmp "github.com/google/go-cmp/cmp"

	"verdetto/shared/architecture/testenv"
	"verdetto/shared/carrier/mail/sesmail/motolocal"
)

type deployed struct {
	settings aws.Config
	want     template
	physical map[string]string
}

func (s deployed) ids(kind string) (ids []string) {
	for id, r := range s.want.Resources {
		if r.Type == kind {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// moto fails on the outputs of the template, so the outputs are left out.
func TestDeployed(t *testing.T) {
	testenv.Command(t, "node", "apt-get install nodejs")
	settings := aws.Config{
		Region: "eu-west-1", BaseEndpoint: aws.String(motolocal.Endpoint(t)),
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	}
	whole := synthesize(t, "Verdetto", nil)
	s := deployed{settings, forMoto(whole), map[string]string{}}
	deploy(t, settings, s.want)
	s.resources(t, len(whole.Resources))
	functions := lambda.NewFromConfig(settings)
	arns := s.queues(t)
	s.functions(t, functions)
	allowed(t, settings, s.want, functions)
	s.mappings(t, functions, arns)
	s.tables(t)
}

func (s deployed) resources(t *testing.T, whole int) {
	t.Helper()
	counts := map[string][2]int{}
	pages := cloudformation.NewListStackResourcesPaginator(cloudformation.NewFromConfig(s.settings),
		&cloudformation.ListStackResourcesInput{StackName: aws.String("verdetto")})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range page.StackResourceSummaries {
			if r.ResourceType != nil && s.want.Resources[aws.ToString(r.LogicalResourceId)].Type == *r.ResourceType {
				s.physical[*r.LogicalResourceId] = aws.ToString(r.PhysicalResourceId)
			}
		}
	}
	for id, r := range s.want.Resources {
		n := counts[r.Type]
		n[0]++
		if _, ok := s.physical[id]; ok {
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
	for _, kind := range []string{"AWS::DynamoDB::Table", "AWS::Lambda::EventSourceMapping", "AWS::Lambda::Function",
		"AWS::SQS::Queue"} {
		if counts[kind][0] == 0 {
			t.Errorf("%s: none is in the template", kind)
		}
	}
	t.Logf("of %d resources of the template %d were handed to moto, and %d made\n%s", whole, all, there, table)
}

func (s deployed) queues(t *testing.T) (arns map[string]string) {
	t.Helper()
	queues := sqs.NewFromConfig(s.settings)
	arns = map[string]string{}
	attributes := map[string]map[string]string{}
	for _, id := range s.ids("AWS::SQS::Queue") {
		out, err := queues.GetQueueAttributes(t.Context(),
			&sqs.GetQueueAttributesInput{QueueUrl: aws.String(s.physical[id]),
				AttributeNames: []sqstypes.QueueAttributeName{"All"}})
		if err != nil {
			t.Fatal(err)
		}
		attributes[id], arns[out.Attributes["QueueArn"]] = out.Attributes, id
	}
	for _, id := range s.ids("AWS::SQS::Queue") {
		p := s.want.Resources[id].Properties
		for property, attribute := range map[string]string{"VisibilityTimeout": "VisibilityTimeout",
			"MessageRetentionPeriod": "MessageRetentionPeriod"} {
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
			if to := referred(redrive["deadLetterTargetArn"]); arns[is.DeadLetterTargetArn] != to ||
				is.MaxReceiveCount.String() != fmt.Sprint(redrive["maxReceiveCount"]) {
				t.Errorf("%s: dead letters after %s to %s, want %v to %s", id, is.MaxReceiveCount,
					is.DeadLetterTargetArn, redrive["maxReceiveCount"], to)
			}
		}
	}
	return arns
}

func (s deployed) functions(t *testing.T, functions *lambda.Client) {
	t.Helper()
	for _, id := range s.ids("AWS::Lambda::Function") {
		p := s.want.Resources[id].Properties
		is, err := functions.GetFunctionConfiguration(t.Context(),
			&lambda.GetFunctionConfigurationInput{FunctionName: aws.String(p["FunctionName"].(string))})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := fmt.Sprintln(is.Runtime, aws.ToString(is.Handler), aws.ToInt32(is.MemorySize),
			aws.ToInt32(is.Timeout)), fmt.Sprintln(p["Runtime"], p["Handler"], p["MemorySize"],
			p["Timeout"]); got != want {
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
			} else if to := referred(value); to != "" && slices.Contains(made,
				s.want.Resources[to].Type) && got != s.physical[to] {
				t.Errorf("%s: %s is %q, want %s, which is %q", id, name, got, to, s.physical[to])
			}
		}
	}
}

func (s deployed) mappings(t *testing.T, functions *lambda.Client, arns map[string]string) {
	t.Helper()
	out, err := functions.ListEventSourceMappings(t.Context(), &lambda.ListEventSourceMappingsInput{})
	if err != nil {
		t.Fatal(err)
	}
	var leads, wanted []string
	for _, m := range out.EventSourceMappings {
		name := aws.ToString(m.FunctionArn)
		leads = append(leads, fmt.Sprintf("%s to %s by %d", arns[aws.ToString(m.EventSourceArn)],
			name[strings.Index(name, ":function:")+10:], aws.ToInt32(m.BatchSize)))
	}
	for _, id := range s.ids("AWS::Lambda::EventSourceMapping") {
		p := s.want.Resources[id].Properties
		wanted = append(wanted, fmt.Sprintf("%s to %s by %v", referred(p["EventSourceArn"]),
			s.want.Resources[referred(p["FunctionName"])].Properties["FunctionName"], p["BatchSize"]))
	}
	slices.Sort(leads)
	slices.Sort(wanted)
	if diff := gocmp.Diff(wanted, leads); diff != "" {
		t.Errorf("what leads from queues to functions: %s", diff)
	}
}

func (s deployed) tables(t *testing.T) {
	t.Helper()
	for _, id := range s.ids("AWS::DynamoDB::Table") {
		p := s.want.Resources[id].Properties
		tables := dynamodb.NewFromConfig(s.settings)
		is, err := tables.DescribeTable(t.Context(),
			&dynamodb.DescribeTableInput{TableName: aws.String(s.physical[id])})
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

func allowed(t *testing.T, settings aws.Config, want template, functions *lambda.Client) {
	t.Helper()
	callers, keeps := map[string][]string{}, map[string]string{} // callers of each function, and the days that each log group keeps
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
	for _, g := range call(t, *settings.BaseEndpoint, "logs", "Logs_20140328.DescribeLogGroups",
		map[string]any{})["logGroups"].([]any) {
		group := g.(map[string]any)
		got[fmt.Sprint(group["logGroupName"])] = fmt.Sprint(group["retentionInDays"])
	}
	if diff := gocmp.Diff(keeps, got); diff != "" {
		t.Errorf("logs, and for how many days: %s", diff)
	}
}
