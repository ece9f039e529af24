package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsscheduler"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
	"github.com/aws/jsii-runtime-go"
)

type queues struct {
	stack   awscdk.Stack
	workers int
	// The queue of refresh carries origins and departures to refresh. The queues of pro and alerts
	// carry signals that the outbox contains work.
	ofFunction map[string]queue
	// events receives events that could not be delivered, or that made a function fail repeatedly.
	events awssqs.Queue
}

type queue struct{ work, dead awssqs.Queue }

// tries is high, because a deployment or a rate limit that stops a worker also uses up a delivery.
const tries = 8

func newQueues(stack awscdk.Stack, c config) queues {
	q := queues{stack: stack, workers: c.Workers, ofFunction: map[string]queue{}}
	var all []*string
	dead := func(id, purpose string) awssqs.Queue {
		made := awssqs.NewQueue(stack, jsii.String(id), &awssqs.QueueProps{
			QueueName: jsii.String(c.Name + "-" + purpose + "-dead"), Encryption: awssqs.QueueEncryption_SQS_MANAGED,
			RetentionPeriod: awscdk.Duration_Days(jsii.Number(14)),
		})
		name(made, id)
		all = append(all, made.QueueUrl())
		return made
	}
	for _, f := range functions {
		if !f.worker {
			continue
		}
		id := title(f.name)
		delay := seconds(0)
		if f.http { // the delay is the longest store.RandomDelay, so that a job is due when its signal arrives
			delay = seconds(10)
		}
		letters := dead(id+"DeadLetters", f.name)
		work := awssqs.NewQueue(stack, jsii.String(id+"Queue"), &awssqs.QueueProps{
			QueueName: jsii.String(c.Name + "-" + f.name), Encryption: awssqs.QueueEncryption_SQS_MANAGED,
			// AWS recommends six times the worker's timeout, because Lambda retries throttled batches
			// in that time.
			VisibilityTimeout: seconds(6 * f.timeout),
			DeliveryDelay:     delay,
			RetentionPeriod:   awscdk.Duration_Days(jsii.Number(4)),
			DeadLetterQueue:   &awssqs.DeadLetterQueue{Queue: letters, MaxReceiveCount: jsii.Number(tries)},
		})
		name(work, id+"Queue")
		q.ofFunction[f.name] = queue{work, letters}
		all = append(all, work.QueueUrl())
	}
	q.events = dead("EventDeadLetters", "events")
	deny := awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Sid: jsii.String("OnlyTLS"), Effect: awsiam.Effect_DENY, Actions: list("sqs:*"), Resources: list("*"),
		Principals: &[]awsiam.IPrincipal{awsiam.NewAnyPrincipal()},
		Conditions: &map[string]any{"Bool": map[string]string{"aws:SecureTransport": "false"}},
	})
	awssqs.NewCfnQueuePolicy(stack, jsii.String("QueuePolicy"), &awssqs.CfnQueuePolicyProps{Queues: &all,
		PolicyDocument: awsiam.NewPolicyDocument(&awsiam.PolicyDocumentProps{Statements: &[]awsiam.PolicyStatement{deny}})})
	return q
}

func (q queues) addWorkers(l lambdas) {
	for _, f := range functions {
		if !f.worker {
			continue
		}
		workers := 2.0 // the minimum of MaxConcurrency
		if f.name == "refresh" {
			workers = float64(q.workers)
		}
		mapping := awslambda.NewEventSourceMapping(q.stack, jsii.String(title(f.name)+"Work"),
			&awslambda.EventSourceMappingProps{
				Target:                  l.function[f.name],
				EventSourceArn:          q.ofFunction[f.name].work.QueueArn(),
				BatchSize:               jsii.Number(10),
				MaxConcurrency:          jsii.Number(workers),
				ReportBatchItemFailures: jsii.Bool(true),
			})
		name(mapping, title(f.name)+"Work")
		mapping.Node().DefaultChild().(awslambda.CfnEventSourceMapping).SetFunctionName(l.live[f.name].FunctionArn())
	}
}

// Schedules check each outbox every five minutes, because a signal may be lost.
var schedules = []struct {
	id, function, when string
	event              string
	within             int // minutes within which AWS chooses the start
	tries, seconds     int // limits of redelivery: how often, and for how long
}{
	// A refresh event contains its scheduled time, so after a second delivery the source is not asked
	// again for origins that have answered.
	{"RefreshWeekly", "refresh", "cron(0 3 ? * TUE *)",
		`{"source":"aws.scheduler","time":"<aws.scheduler.scheduled-time>"}`, 15, 185, 24 * 60 * 60},
	// Retries end within 12 hours, before the next day's event.
	{"RefreshDepartures", "refresh", "cron(0 5 * * ? *)", `{"departures":true,"time":"<aws.scheduler.scheduled-time>"}`,
		15, 185, 12 * 60 * 60},
	{"RefreshCheck", "refresh", "rate(1 hour)", `{"check":true}`, 15, 2, 1800},
	{"RefreshMail", "refresh", "rate(5 minutes)", `{"mail":true}`, 0, 2, 300},
	{"ProOutbox", "pro", "rate(5 minutes)", `{"work":true}`, 0, 2, 300},
	{"AlertsOutbox", "alerts", "rate(5 minutes)", `{"work":true}`, 0, 2, 300},
}

func newSchedules(stack awscdk.Stack, c config, q queues, l lambdas) {
	called, arns := map[string]bool{}, []*string{}
	for _, s := range schedules {
		if !called[s.function] {
			called[s.function], arns = true, append(arns, l.live[s.function].FunctionArn())
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
				Arn: l.live[s.function].FunctionArn(), RoleArn: role.RoleArn(), Input: jsii.String(s.event),
				RetryPolicy: &awsscheduler.CfnSchedule_RetryPolicyProperty{
					MaximumRetryAttempts: jsii.Number(s.tries), MaximumEventAgeInSeconds: jsii.Number(s.seconds)},
				DeadLetterConfig: &awsscheduler.CfnSchedule_DeadLetterConfigProperty{Arn: q.events.QueueArn()},
			},
		}).Node().AddDependency(role) // AWS tests a schedule on creation
	}
}
