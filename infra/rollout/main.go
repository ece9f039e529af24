// Command rollout makes a deployment live. It publishes a version of each function, tests the new
// versions, and points the aliases at them:
//
//	go run ./infra/rollout -config verdetto.json
//
// An interrupted run can be repeated. With -back, rollout points the aliases at the versions before
// the last deployment.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/aws-sdk-go-v2/service/ssm"

	"verdetto/cmd/verdetto/smoke"
	"verdetto/shared/web/routes"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	file := flag.String("config", "", "`file` with the operator's choices, as make deploy gets them")
	back := flag.Bool("back", false, "point the aliases at the versions from before the last deployment")
	flag.Parse()
	if err := run(ctx, *file, *back); err != nil {
		fmt.Fprintln(os.Stderr, "rollout:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, file string, back bool) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read configuration: %w; make deploy CONFIG=verdetto.json names it", err)
	}
	r := rollout{Name: "verdetto", out: os.Stdout}
	if err := json.Unmarshal(data, &r); err != nil {
		return fmt.Errorf("read configuration %s: %w", file, err)
	}
	settings, err := awsconfig.LoadDefaultConfig(ctx, awsconfig.WithRegion(r.Region))
	if err != nil {
		return fmt.Errorf("load AWS configuration: %w", err)
	}
	r.lambda, r.parameters = lambda.NewFromConfig(settings), ssm.NewFromConfig(settings)
	if back {
		return r.back(ctx)
	}
	return r.forward(ctx)
}

type rollout struct {
	Name    string `json:"name"`
	Account string `json:"account"`
	Region  string `json:"region"`
	Domain  string `json:"domain"`

	lambda     *lambda.Client
	parameters *ssm.Client
	out        io.Writer
}

const live, former, latest = "live", "former", "$LATEST"

func functions() []string {
	names := []string{"refresh"}
	for _, s := range routes.Shares {
		names = append(names, s.Function)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (r *rollout) forward(ctx context.Context) error {
	before, deployment, changed := map[string]string{}, map[string]string{}, map[string]bool{}
	for _, f := range functions() {
		alias, err := r.alias(ctx, f, live)
		if err != nil {
			return err
		}
		// Lambda returns the existing version if code and settings are unchanged.
		made, err := r.lambda.PublishVersion(ctx, &lambda.PublishVersionInput{FunctionName: r.full(f)})
		if err != nil {
			return fmt.Errorf("publish a version of %s: %w", f, err)
		}
		before[f], deployment[f] = aws.ToString(alias.FunctionVersion), aws.ToString(made.Version)
		changed[f] = before[f] != deployment[f]
		fmt.Fprintf(r.out, "%-12s %s -> %s\n", f, before[f], deployment[f])
		ready := lambda.NewPublishedVersionActiveWaiter(r.lambda)
		if err := ready.Wait(ctx, &lambda.GetFunctionConfigurationInput{FunctionName: r.full(f),
			Qualifier: made.Version}, 5*time.Minute); err != nil {
			return fmt.Errorf("wait for version %s of %s: %w", deployment[f], f, err)
		}
	}
	if err := r.try(ctx, deployment, changed); err != nil {
		return fmt.Errorf("the new versions are not live, callers have the versions from before: %w", err)
	}
	// The description of the alias "former" names the deployment that set the alias, perhaps in an interrupted run.
	id := describe(deployment)
	for _, f := range functions() {
		if before[f] == latest {
			before[f] = deployment[f]
		}
		switch was, err := r.alias(ctx, f, former); {
		case errors.As(err, new(*types.ResourceNotFoundException)):
			if _, err := r.lambda.CreateAlias(ctx, &lambda.CreateAliasInput{FunctionName: r.full(f),
				Name: aws.String(former), FunctionVersion: aws.String(before[f]), Description: &id}); err != nil {
				return fmt.Errorf("remember version %s of %s: %w", before[f], f, err)
			}
		case err != nil:
			return err
		case aws.ToString(was.Description) != id:
			if err := r.point(ctx, f, former, before[f], &id); err != nil {
				return err
			}
		}
	}
	for _, f := range functions() {
		if err := r.point(ctx, f, live, deployment[f], nil); err != nil {
			return fmt.Errorf("%w; run make deploy again, or make back", err)
		}
	}
	fmt.Fprintln(r.out, "live:", id)
	return nil
}

func (r *rollout) back(ctx context.Context) error {
	before := map[string]string{}
	for _, f := range functions() {
		alias, err := r.alias(ctx, f, former)
		if errors.As(err, new(*types.ResourceNotFoundException)) {
			err = fmt.Errorf("nothing to go back to: %w", err)
		}
		if err != nil {
			return err
		}
		before[f] = aws.ToString(alias.FunctionVersion)
	}
	for _, f := range functions() {
		if err := r.point(ctx, f, live, before[f], nil); err != nil {
			return fmt.Errorf("%w; run make back again", err)
		}
	}
	fmt.Fprintln(r.out, "live:", describe(before))
	return nil
}

func (r *rollout) full(function string) *string { return aws.String(r.Name + "-" + function) }

func (r *rollout) alias(ctx context.Context, function, name string) (*lambda.GetAliasOutput, error) {
	alias, err := r.lambda.GetAlias(ctx, &lambda.GetAliasInput{FunctionName: r.full(function), Name: &name})
	if err != nil {
		return nil, fmt.Errorf("read the alias %s of %s: %w", name, function, err)
	}
	if !strings.Contains(aws.ToString(alias.AliasArn), ":"+r.Account+":") {
		return nil, fmt.Errorf("the credentials are of another account than %s: %s", r.Account,
			aws.ToString(alias.AliasArn))
	}
	return alias, nil
}

func (r *rollout) point(ctx context.Context, function, alias, version string, description *string) error {
	if _, err := r.lambda.UpdateAlias(ctx, &lambda.UpdateAliasInput{FunctionName: r.full(function), Name: &alias,
		FunctionVersion: &version, Description: description}); err != nil {
		return fmt.Errorf("point %s of %s at version %s: %w", alias, function, version, err)
	}
	return nil
}

func describe(versions map[string]string) string {
	var words []string
	for _, f := range functions() {
		words = append(words, f+"="+versions[f])
	}
	return strings.Join(words, " ")
}

// try tests only changed functions, because the failure of an old version must not block the fix of
// another function.
func (r *rollout) try(ctx context.Context, versions map[string]string, changed map[string]bool) error {
	if changed["refresh"] {
		if _, err := r.invoke(ctx, "refresh", versions["refresh"], []byte(`{"age":true}`)); err != nil {
			return err
		}
	}
	name := "/" + r.Name + "/origin-secrets"
	secrets, err := r.parameters.GetParameter(ctx, &ssm.GetParameterInput{Name: &name, WithDecryption: aws.Bool(true)})
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	secret, _, _ := strings.Cut(aws.ToString(secrets.Parameter.Value), ",")
	d := direct{r, versions, secret, fmt.Sprintf("198.18.%d.%d:1", rand.IntN(256), rand.IntN(256))}
	host := r.Domain
	if host == "" {
		host = "verdetto.invalid"
	}
	return smoke.Run(ctx, &http.Client{Transport: d}, "https://"+host, r.out,
		func(path string) bool { return changed[routes.ShareOf(path).Function] })
}

func (r *rollout) invoke(ctx context.Context, function, version string, event []byte) ([]byte, error) {
	out, err := r.lambda.Invoke(ctx, &lambda.InvokeInput{FunctionName: r.full(function), Qualifier: &version,
		Payload: event})
	if err == nil && out.FunctionError != nil {
		err = fmt.Errorf("%s: %.500s", *out.FunctionError, out.Payload)
	}
	if err != nil {
		return nil, fmt.Errorf("invoke version %s of %s: %w", version, function, err)
	}
	return out.Payload, nil
}
