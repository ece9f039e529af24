package samlocal

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"verdetto/shared/architecture/testenv"
)

type template struct {
	Resources map[string]resource
	folder    string
}

type resource struct {
	Type       string
	Properties map[string]any
	Metadata   map[string]any `json:",omitempty"`
}

const functionType = "AWS::Lambda::Function"

func LogicalID(function string) string {
	return strings.ToUpper(function[:1]) + function[1:] + "Function"
}

func synthesize(ctx context.Context, config, folder string) (template, error) {
	root, err := testenv.Root()
	if err != nil {
		return template{}, err
	}
	t := template{folder: filepath.Join(folder, "cdk.out")}
	mains, err := filepath.Glob(filepath.Join(root, "functions", "*", "bootstrap"))
	if err != nil {
		return template{}, fmt.Errorf("find executables: %w", err)
	}
	assets := filepath.Join(folder, "assets")
	for _, main := range mains {
		out := filepath.Join(assets, filepath.Base(filepath.Dir(main)), "bootstrap")
		if err := run(ctx, root, []string{"CGO_ENABLED=0", "GOOS=linux"}, "go", "build", "-trimpath", "-tags",
			"lambda.norpc", "-ldflags", "-s -w", "-o", out, main); err != nil {
			return template{}, err
		}
	}
	if err := run(ctx, root, nil, "go", "run", "./infra/cdk", "-config", config, "-assets", assets, "-out",
		t.folder); err != nil {
		return template{}, err
	}
	data, err := os.ReadFile(filepath.Join(t.folder, "Verdetto.template.json"))
	if err != nil {
		return template{}, fmt.Errorf("read template: %w", err)
	}
	if err := json.Unmarshal(data, &t); err != nil {
		return template{}, fmt.Errorf("read template: %w", err)
	}
	return t, nil
}

func run(ctx context.Context, dir string, environment []string, name string, args ...string) error {
	command := exec.CommandContext(ctx, name, args...)
	command.Dir, command.Env = dir, append(os.Environ(), environment...)
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

var machines = map[string]string{"amd64": "x86_64", "arm64": "arm64"}

// SAM passes only variables that the template names, so write adds local addresses and the clock.
func (t template) write(file string, environment map[string]string, certificate []byte) error {
	here := map[string]resource{}
	for id, r := range t.Resources {
		if r.Type != functionType {
			here[id] = r
			continue
		}
		variables := map[string]any{}
		maps.Copy(variables, r.variables())
		for name, value := range environment {
			if was, named := variables[name]; named && !isParameter(was) || local(name) {
				variables[name] = value
			}
		}
		properties := maps.Clone(r.Properties)
		properties["Environment"] = map[string]any{"Variables": variables}
		properties["Architectures"] = []string{machines[runtime.GOARCH]}
		here[id] = resource{Type: r.Type, Properties: properties, Metadata: r.Metadata}
		asset, ok := r.Metadata["aws:asset:path"].(string)
		if !ok {
			return fmt.Errorf("write template: %s does not say where its executable is", id)
		}
		if !filepath.IsAbs(asset) {
			asset = filepath.Join(t.folder, asset)
		}
		if err := os.WriteFile(filepath.Join(asset, certificateFile), certificate, 0o644); err != nil {
			return fmt.Errorf("write certificate: %w", err)
		}
	}
	data, err := json.Marshal(map[string]any{"Resources": here})
	if err == nil {
		err = os.WriteFile(file, data, 0o644)
	}
	if err != nil {
		return fmt.Errorf("write template: %w", err)
	}
	return nil
}

func local(variable string) bool {
	return strings.HasPrefix(variable, "AWS_") || slices.Contains([]string{"SSL_CERT_FILE", "TRAVELPAYOUTS_URL",
		"STRIPE_URL", "VERDETTO_NOW"}, variable)
}

func (r resource) variables() map[string]any {
	environment, _ := r.Properties["Environment"].(map[string]any)
	variables, _ := environment["Variables"].(map[string]any)
	return variables
}

func isParameter(value any) bool {
	text, _ := value.(string)
	return strings.HasPrefix(text, "ssm:")
}

func (l *Local) Parameters() (names []string) {
	for _, r := range l.template.Resources {
		for _, value := range r.variables() {
			if isParameter(value) {
				names = append(names, strings.TrimPrefix(value.(string), "ssm:"))
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (l *Local) Service() string {
	name, _ := l.template.Resources[LogicalID("analisi")].Properties["FunctionName"].(string)
	return strings.TrimSuffix(name, "-analisi")
}

func (l *Local) CreateTable(ctx context.Context, client *dynamodb.Client, name string) error {
	for _, r := range l.template.Resources {
		if r.Type != "AWS::DynamoDB::Table" {
			continue
		}
		// CloudFormation and DynamoDB use the same names for these properties.
		data, err := json.Marshal(map[string]any{
			"TableName": name, "AttributeDefinitions": r.Properties["AttributeDefinitions"],
			"KeySchema": r.Properties["KeySchema"], "BillingMode": r.Properties["BillingMode"],
		})
		if err != nil {
			return fmt.Errorf("read table: %w", err)
		}
		var table dynamodb.CreateTableInput
		if err := json.Unmarshal(data, &table); err != nil {
			return fmt.Errorf("read table: %w", err)
		}
		if _, err := client.CreateTable(ctx, &table); err != nil {
			return fmt.Errorf("create table: %w", err)
		}
		expiry := &dynamodb.UpdateTimeToLiveInput{TableName: aws.String(name)}
		if data, err = json.Marshal(r.Properties["TimeToLiveSpecification"]); err == nil {
			err = json.Unmarshal(data, &expiry.TimeToLiveSpecification)
		}
		if err != nil {
			return fmt.Errorf("read expiry of table: %w", err)
		}
		if _, err := client.UpdateTimeToLive(ctx, expiry); err != nil {
			return fmt.Errorf("set expiry of table: %w", err)
		}
		return nil
	}
	return fmt.Errorf("create table: the template has none")
}
