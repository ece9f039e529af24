package main

import (
	"fmt"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	cloudwatch "github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscodedeploy"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambdadestinations"
	"github.com/aws/jsii-runtime-go"
)

// liveAlias names the version of a function that is called. Going back is
// pointing it at the version before, which takes a second.
const liveAlias = "live"

// canary is how a new version is let in: a tenth of the calls for five minutes,
// then all. (AWS, "Working with deployment configurations in CodeDeploy".)
const canary = "CodeDeployDefault.LambdaCanary10Percent5Minutes"

// newLive names a version of a function. What is handed to it without waiting for
// the answer is tried again, and then kept.
func newLive(stack awscdk.Stack, p parts, f function, made awslambda.Function) awslambda.Alias {
	props := &awslambda.AliasProps{AliasName: jsii.String(liveAlias), Version: made.CurrentVersion()}
	if f.events {
		props.OnFailure = awslambdadestinations.NewSqsDestination(p.queues.events)
		props.RetryAttempts = jsii.Number(2)
		props.MaxEventAge = awscdk.Duration_Hours(jsii.Number(1))
	}
	live := awslambda.NewAlias(stack, jsii.String(title(f.name)+"Live"), props)
	name(live, title(f.name)+"Live")
	return live
}

// newRollout has new versions let in by degrees, and taken back as soon as they
// fail. It is made of bare resources: the CDK's own kind gives its role what AWS
// thinks that all deployments of all functions may ever need.
func newRollout(stack awscdk.Stack, c config, l lambdas) {
	application := awscodedeploy.NewCfnApplication(stack, jsii.String("Rollout"), &awscodedeploy.CfnApplicationProps{
		ApplicationName: jsii.String(c.Name), ComputePlatform: jsii.String("Lambda"),
	})
	role := awsiam.NewRole(stack, jsii.String("RolloutRole"), &awsiam.RoleProps{
		AssumedBy:   awsiam.NewServicePrincipal(jsii.String("codedeploy.amazonaws.com"), nil),
		Description: jsii.String("What letting in new versions may do"),
	})
	name(role, "RolloutRole")
	allow := func(sid string, resources []*string, actions ...string) {
		role.AddToPolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{Sid: jsii.String(sid), Actions: list(actions...), Resources: &resources}))
	}
	var watched, aliases []*string
	for _, f := range functions {
		id := title(f.name)
		var watching []any
		for _, a := range canaryAlarms(stack, c, f) {
			watching = append(watching, &awscodedeploy.CfnDeploymentGroup_AlarmProperty{Name: a.AlarmName()})
			watched = append(watched, a.AlarmArn())
		}
		group := awscodedeploy.NewCfnDeploymentGroup(stack, jsii.String(id+"Rollout"), &awscodedeploy.CfnDeploymentGroupProps{
			ApplicationName: application.Ref(), DeploymentGroupName: jsii.String(c.Name + "-" + f.name), ServiceRoleArn: role.RoleArn(),
			DeploymentConfigName: jsii.String(canary),
			DeploymentStyle: &awscodedeploy.CfnDeploymentGroup_DeploymentStyleProperty{
				DeploymentType: jsii.String("BLUE_GREEN"), DeploymentOption: jsii.String("WITH_TRAFFIC_CONTROL")},
			AlarmConfiguration: &awscodedeploy.CfnDeploymentGroup_AlarmConfigurationProperty{Enabled: jsii.Bool(true), Alarms: watching},
			AutoRollbackConfiguration: &awscodedeploy.CfnDeploymentGroup_AutoRollbackConfigurationProperty{
				Enabled: jsii.Bool(true), Events: list("DEPLOYMENT_FAILURE", "DEPLOYMENT_STOP_ON_ALARM", "DEPLOYMENT_STOP_ON_REQUEST")},
		})
		l.live(f.name).Node().DefaultChild().(awslambda.CfnAlias).CfnOptions().SetUpdatePolicy(&awscdk.CfnUpdatePolicy{
			CodeDeployLambdaAliasUpdate: &awscdk.CfnCodeDeployLambdaAliasUpdate{ApplicationName: application.Ref(), DeploymentGroupName: group.Ref()},
		})
		plain := fmt.Sprintf("arn:aws:lambda:%s:%s:function:%s-%s", c.Region, c.Account, c.Name, f.name)
		aliases = append(aliases, jsii.String(plain), jsii.String(plain+":"+liveAlias))
	}
	allow("Shift", aliases, "lambda:GetAlias", "lambda:UpdateAlias", "lambda:GetProvisionedConcurrencyConfig")
	allow("Watch", watched, "cloudwatch:DescribeAlarms")
}

// canaryAlarms watch a function by the minute, for the few minutes in which a new
// version is let in: its failures, and its answers of 5xx.
func canaryAlarms(stack awscdk.Stack, c config, f function) []cloudwatch.Alarm {
	watch := func(id, about string, m cloudwatch.IMetric, above int) cloudwatch.Alarm {
		made := cloudwatch.NewAlarm(stack, jsii.String(id), &cloudwatch.AlarmProps{
			AlarmName: jsii.String(c.Name + "-" + id), AlarmDescription: jsii.String(about), Metric: m,
			Threshold: jsii.Number(above), EvaluationPeriods: jsii.Number(1), ActionsEnabled: jsii.Bool(false), // CodeDeploy looks at it
			ComparisonOperator: cloudwatch.ComparisonOperator_GREATER_THAN_THRESHOLD, TreatMissingData: cloudwatch.TreatMissingData_NOT_BREACHING,
		})
		name(made, id)
		return made
	}
	id := title(f.name)
	made := []cloudwatch.Alarm{watch(id+"Canary", "A new version of "+f.name+" fails: it is taken back.",
		metric("AWS/Lambda", "Errors", "Sum", 1, map[string]*string{
			"FunctionName": jsii.String(c.Name + "-" + f.name), "Resource": jsii.String(c.Name + "-" + f.name + ":" + liveAlias)}), 0)}
	if f.http {
		made = append(made, watch(id+"Canary5xx", "A new version of "+f.name+" answers 5xx: it is taken back.",
			metric(namespace, "Errors5xx", "Sum", 1, map[string]*string{"function": jsii.String(f.name)}), 1))
	}
	return made
}
