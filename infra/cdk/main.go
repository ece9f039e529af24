// Command cdk describes the service on AWS. It reads the operator's choices and writes
// CloudFormation templates, with references to the executables, for the CDK's command line:
//
//	go run ./infra/cdk -config verdetto.json -assets dist -out cdk.out
//
// The templates depend only on the choices and the executables, and contain no secret.
// Start reading at newStacks.
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
	release := flag.String("release", "",
		"write a `file` NAME.zip with a template with parameters, and the functions' zip files")
	flag.Parse()
	stderr := os.Stderr
	write := func() error { return run(*file, *assets, *out) }
	if *release != "" {
		write = func() error { return writeRelease(*release, *assets) }
	}
	if err := write(); err != nil {
		fmt.Fprintln(stderr, "cdk:", err)
		os.Exit(1)
	}
}

// The library waits for the CDK's Node.js process twice, and reports the failure of the second wait on
// os.Stderr even after a good end.
func closeRuntime() {
	if null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0); err == nil {
		os.Stderr = null
	}
	jsii.Close()
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
	defer closeRuntime()
	app := newApp(out)
	newStacks(app, c, assets)
	app.Synth(nil)
	return nil
}

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

func newApp(out string) awscdk.App {
	props := &awscdk.AppProps{
		AnalyticsReporting: jsii.Bool(false),
		TreeMetadata:       jsii.Bool(false),
		Context: &map[string]any{
			"@aws-cdk/aws-cloudfront:defaultSecurityPolicyTLSv1.2_2021": true,
			"@aws-cdk/core:enablePartitionLiterals":                     true,
			"@aws-cdk/core:target-partitions":                           []string{"aws"},
			"@aws-cdk/core:checkSecretUsage":                            true,
			// The CDK must not merge the policy statements of this program.
			"@aws-cdk/aws-iam:minimizePolicies": false,
			// sam local finds the executables by this metadata.
			"aws:cdk:enable-asset-metadata": true,
		},
	}
	if out != "" {
		props.Outdir = jsii.String(out)
	}
	return awscdk.NewApp(props)
}

// The edge must be in us-east-1, where CloudFront has its firewall, logs and metrics, so a service
// elsewhere gets a second stack.
func newStacks(app awscdk.App, c config, assets string) []awscdk.Stack {
	stack := newStack(app, "Verdetto", c.Name, c.Region, c.Account)
	stacks, before := []awscdk.Stack{stack}, stack
	notices := newNotices(stack, c, "")
	alarms := notices
	if c.Region != edgeRegion {
		before = newStack(app, "VerdettoEdge", c.Name+"-edge", edgeRegion, c.Account)
		before.AddDependency(stack, jsii.String("what callers are led to is there before they are"))
		stacks, alarms = append(stacks, before), newNotices(before, c, "Edge")
	}
	table := newTable(stack, c)
	queues := newQueues(stack, c)
	mailer := newMailer(stack, c, notices)
	api := newAPI(stack, c)
	edge := newEdge(before, c, api)
	lambdas := newFunctions(stack, c, assets, parts{table, queues, mailer, edge})
	api.addRoutes(lambdas)
	queues.addWorkers(lambdas)
	newSchedules(stack, c, queues, lambdas)
	mailer.notify(lambdas.live["alerts"])
	newAlarms(stack, c, notices, table, queues, api, lambdas)
	newEdgeAlarms(before, c, alarms, edge)
	return stacks
}

func newStack(app awscdk.App, id, called, region, account string) awscdk.Stack {
	return awscdk.NewStack(app, jsii.String(id), &awscdk.StackProps{
		StackName:             jsii.String(called),
		Description:           jsii.String("Verdetto 1: is today's cheapest fare on a flight route cheap?"),
		Env:                   &awscdk.Environment{Account: jsii.String(account), Region: jsii.String(region)},
		TerminationProtection: jsii.Bool(true),
	})
}
