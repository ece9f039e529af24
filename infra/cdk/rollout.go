package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambdadestinations"
	"github.com/aws/jsii-runtime-go"
)

const liveAlias = "live"

// newLive makes the alias that all callers use. The template always names $LATEST, so
// CloudFormation never moves the alias. Only infra/rollout does, after a test of the new version.
// An event that the function fails on is retried twice, then kept as a dead letter.
func newLive(stack awscdk.Stack, p parts, f function, made awslambda.Function) awslambda.Alias {
	props := &awslambda.AliasProps{AliasName: jsii.String(liveAlias), Version: made.LatestVersion()}
	if f.events {
		props.OnFailure = awslambdadestinations.NewSqsDestination(p.queues.events)
		props.RetryAttempts = jsii.Number(2)
		props.MaxEventAge = awscdk.Duration_Hours(jsii.Number(1))
	}
	live := awslambda.NewAlias(stack, jsii.String(title(f.name)+"Live"), props)
	name(live, title(f.name)+"Live")
	return live
}
