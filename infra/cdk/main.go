// Command cdk describes the service on AWS. It reads the operator's choices, and
// writes a CloudFormation template together with the executables that it speaks
// of, for the command line of the CDK to deploy:
//
//	go run ./infra/cdk -config verdetto.json -assets dist -out cdk.out
//
// It promises that the same choices and executables always give the same
// template, that nothing is looked up anywhere to make it, that no secret is in
// it, and that choices with a fault give no template at all but a list of every
// fault. What the service answers comes from routes.Table and what the table is
// made of from dynamostore/schema, so that neither is written down twice.
//
// A file holds one part of the service. Each part is a struct that has what the
// other parts need of it.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/jsii-runtime-go"
)

func main() {
	file := flag.String("config", "", "`file` with the operator's choices; infra/cdk/example.json shows them")
	assets := flag.String("assets", "dist", "`folder` of the built executables; make build makes it")
	out := flag.String("out", "", "`folder` to write to; default: where the CDK's command line asks for it, or cdk.out")
	flag.Parse()
	if err := run(*file, *assets, *out); err != nil {
		fmt.Fprintln(os.Stderr, "cdk:", err)
		os.Exit(1)
	}
}

func run(file, assets, out string) error {
	c, err := load(file)
	if err != nil {
		return err
	}
	for _, line := range c.Operator.missing() {
		fmt.Fprintln(os.Stderr, "cdk: "+line)
	}
	if err := checkBuilt(assets); err != nil {
		return err
	}
	defer jsii.Close()
	app := newApp(out)
	newStack(app, c, assets)
	app.Synth(nil)
	return nil
}

// checkBuilt finds out, before half a template is made, whether every executable is there.
func checkBuilt(assets string) error {
	var missing []string
	for _, f := range functions {
		path := filepath.Join(assets, f.name, "bootstrap")
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			missing = append(missing, path)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("not built: %v; make build builds them", missing)
	}
	return nil
}

// newApp makes an app whose template is the same wherever and whenever it is made.
func newApp(out string) awscdk.App {
	props := &awscdk.AppProps{
		AnalyticsReporting: jsii.Bool(false),
		TreeMetadata:       jsii.Bool(false),
		Context: &map[string]any{
			"@aws-cdk/aws-cloudfront:defaultSecurityPolicyTLSv1.2_2021": true,
			"@aws-cdk/core:enablePartitionLiterals":                     true, // arn:aws, as everywhere here
			"@aws-cdk/core:target-partitions":                           []string{"aws"},
			"@aws-cdk/core:checkSecretUsage":                            true,
			"@aws-cdk/aws-iam:minimizePolicies":                         false, // a statement for each, as they are written here
			"aws:cdk:enable-asset-metadata":                             true,  // by which sam local finds the executables
		},
	}
	if out != "" {
		props.Outdir = jsii.String(out)
	}
	return awscdk.NewApp(props)
}

// newStack puts the parts together.
func newStack(app awscdk.App, c config, assets string) awscdk.Stack {
	stack := awscdk.NewStack(app, jsii.String("Verdetto"), &awscdk.StackProps{
		StackName:             jsii.String(c.Name),
		Description:           jsii.String("Verdetto: is today's cheapest fare on a flight route cheap?"),
		Env:                   &awscdk.Environment{Account: jsii.String(c.Account), Region: jsii.String(c.Region)},
		TerminationProtection: jsii.Bool(true),
	})
	table := newTable(stack, c)
	queues := newQueues(stack, c)
	notices := newNotices(stack, c)
	mailer := newMailer(stack, c, notices)
	api := newAPI(stack, c)
	edge := newEdge(stack, c, api)
	lambdas := newFunctions(stack, c, assets, parts{table, queues, mailer, edge})
	api.addRoutes(lambdas)
	queues.addWorkers(lambdas)
	newSchedules(stack, c, lambdas)
	mailer.notify(lambdas.of("alerts"))
	newAlarms(stack, c, notices, table, queues, api, edge, lambdas)
	return stack
}
