package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsscheduler"
	"github.com/aws/jsii-runtime-go"
)

// All origins are queued every seven days, and the due departures daily. The service calls itself from
// outside every hour. Each outbox is checked every five minutes, because a signal that starts the work
// sooner may be lost.
var schedules = []struct {
	id, function, when string
	event              string // input of the function
	within             int    // minutes within which AWS may choose the start; 0 is at once
	tries, seconds     int    // number and duration of redeliveries
}{
	// A plan contains its scheduled time, so a second delivery has no effect. It is retried for 24
	// hours. A check of an outbox needs few retries, because the next follows five minutes later.
	{"RefreshWeekly", "refresh", "cron(0 3 ? * TUE *)",
		`{"source":"aws.scheduler","time":"<aws.scheduler.scheduled-time>"}`, 15, 185, 24 * 60 * 60},
	// Retried for 12 hours, so retries end before the next day's event.
	{"RefreshDepartures", "refresh", "cron(0 5 * * ? *)", `{"departures":true,"time":"<aws.scheduler.scheduled-time>"}`,
		15, 185, 12 * 60 * 60},
	{"RefreshCheck", "refresh", "rate(1 hour)", `{"check":true}`, 15, 2, 1800},
	{"RefreshMail", "refresh", "rate(5 minutes)", `{"mail":true}`, 0, 2, 300},
	{"ProOutbox", "pro", "rate(5 minutes)", `{"work":true}`, 0, 2, 300},
	{"AlertsOutbox", "alerts", "rate(5 minutes)", `{"work":true}`, 0, 2, 300},
}

// Events that cannot be delivered become dead letters. The function's alias configures the same for
// events on which the function fails.
func newSchedules(stack awscdk.Stack, c config, q queues, l lambdas) {
	called, arns := map[string]bool{}, []*string{}
	for _, s := range schedules {
		if !called[s.function] {
			called[s.function], arns = true, append(arns, l.live(s.function).FunctionArn())
		}
	}
	role := awsiam.NewRole(stack, jsii.String("ScheduleRole"), &awsiam.RoleProps{
		AssumedBy: awsiam.NewServicePrincipal(jsii.String("scheduler.amazonaws.com"), &awsiam.ServicePrincipalOpts{
			Conditions: &map[string]any{"StringEquals": map[string]string{"aws:SourceAccount": c.Account}}}),
		Description: jsii.String("What schedules may do"),
		InlinePolicies: inline(allow("Invoke", []string{"lambda:InvokeFunction"}, arns...),
			allow("Keep", []string{"sqs:SendMessage"}, q.events.QueueArn())),
	})
	name(role, "ScheduleRole")
	for _, s := range schedules {
		window := &awsscheduler.CfnSchedule_FlexibleTimeWindowProperty{Mode: jsii.String("OFF")}
		if s.within > 0 {
			window = &awsscheduler.CfnSchedule_FlexibleTimeWindowProperty{Mode: jsii.String("FLEXIBLE"),
				MaximumWindowInMinutes: jsii.Number(s.within)}
		}
		awsscheduler.NewCfnSchedule(stack, jsii.String(s.id), &awsscheduler.CfnScheduleProps{
			Name: jsii.String(c.Name + "-" + s.id), ScheduleExpression: jsii.String(s.when),
			ScheduleExpressionTimezone: jsii.String("UTC"),
			FlexibleTimeWindow:         window, State: jsii.String("ENABLED"),
			Target: &awsscheduler.CfnSchedule_TargetProperty{
				Arn: l.live(s.function).FunctionArn(), RoleArn: role.RoleArn(), Input: jsii.String(s.event),
				RetryPolicy: &awsscheduler.CfnSchedule_RetryPolicyProperty{
					MaximumRetryAttempts: jsii.Number(s.tries), MaximumEventAgeInSeconds: jsii.Number(s.seconds)},
				DeadLetterConfig: &awsscheduler.CfnSchedule_DeadLetterConfigProperty{Arn: q.events.QueueArn()},
			},
		}).Node().AddDependency(role) // AWS tests a schedule on creation
	}
}
