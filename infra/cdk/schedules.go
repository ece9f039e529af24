package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsscheduler"
	"github.com/aws/jsii-runtime-go"
)

// schedules are what happens by the clock. Every seven days all origins are put
// on the queue, and every day the departures that are due. Every five minutes each outbox is looked
// into: signals come sooner,
// but a signal may get lost.
var schedules = []struct {
	id, function, when string
	event              string // what the function is told
	within             int    // minutes in which it may begin, for AWS to choose; 0 is at once
	tries, seconds     int    // how often, and how long, it is handed over again
}{
	// A plan is as of its moment, so that one that is handed over twice is one plan. It is worth a day
	// of trying; a look into an outbox is soon made again.
	{"RefreshWeekly", "refresh", "cron(0 3 ? * TUE *)",
		`{"source":"aws.scheduler","time":"<aws.scheduler.scheduled-time>"}`, 15, 185, 24 * 60 * 60},
	// until well before the next
	{"RefreshDepartures", "refresh", "cron(0 5 * * ? *)", `{"departures":true,"time":"<aws.scheduler.scheduled-time>"}`,
		15, 185, 12 * 60 * 60},
	{"RefreshMail", "refresh", "rate(5 minutes)", `{"mail":true}`, 0, 2, 300},
	{"ProOutbox", "pro", "rate(5 minutes)", `{"work":true}`, 0, 2, 300},
	{"AlertsOutbox", "alerts", "rate(5 minutes)", `{"work":true}`, 0, 2, 300},
}

// newSchedules makes them. What cannot be handed over lies among the dead letters
// of events, and so does what a function fails on, which is for its alias.
func newSchedules(stack awscdk.Stack, c config, q queues, l lambdas) {
	role := awsiam.NewRole(stack, jsii.String("ScheduleRole"), &awsiam.RoleProps{
		AssumedBy: awsiam.NewServicePrincipal(jsii.String("scheduler.amazonaws.com"), &awsiam.ServicePrincipalOpts{
			Conditions: &map[string]any{"StringEquals": map[string]string{"aws:SourceAccount": c.Account}}}),
		Description: jsii.String("What schedules may do"),
	})
	name(role, "ScheduleRole")
	called, arns := map[string]bool{}, []*string{}
	for _, s := range schedules {
		if !called[s.function] {
			called[s.function], arns = true, append(arns, l.live(s.function).FunctionArn())
		}
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
		}).Node().AddDependency(role) // and on what it may do: a schedule is tried as it is made
	}
	role.AddToPolicy(allow("Invoke", []string{"lambda:InvokeFunction"}, arns...))
	role.AddToPolicy(allow("Keep", []string{"sqs:SendMessage"}, q.events.QueueArn()))
}
