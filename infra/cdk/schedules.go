package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsevents"
	"github.com/aws/aws-cdk-go/awscdk/v2/awseventstargets"
	"github.com/aws/jsii-runtime-go"
)

// schedules are what happens by the clock. Every seven days all origins are put
// on the queue, and every day the routes of which departures are due. Every five minutes each outbox is looked into: signals come sooner,
// but a signal may get lost.
var schedules = []struct {
	id, function, when string
	about              string // what the event says is to be done; empty: it says when it is and nothing else
}{
	{"RefreshWeekly", "refresh", "cron(0 3 ? * TUE *)", ""},
	{"RefreshDepartures", "refresh", "cron(30 3 * * ? *)", "departures"},
	{"RefreshMail", "refresh", "rate(5 minutes)", "mail"},
	{"ProOutbox", "pro", "rate(5 minutes)", "work"},
	{"AlertsOutbox", "alerts", "rate(5 minutes)", "work"},
}

func newSchedules(stack awscdk.Stack, c config, l lambdas) {
	for _, s := range schedules {
		// What fails is tried again and kept by the function's own dead letters;
		// what cannot even be handed to it is tried again by the bus for a day.
		target := &awseventstargets.LambdaFunctionProps{}
		if s.about != "" {
			target.Event = awsevents.RuleTargetInput_FromObject(map[string]bool{s.about: true})
		}
		rule := awsevents.NewRule(stack, jsii.String(s.id), &awsevents.RuleProps{
			Schedule: awsevents.Schedule_Expression(jsii.String(s.when)),
			Targets:  &[]awsevents.IRuleTarget{awseventstargets.NewLambdaFunction(l.of(s.function), target)},
		})
		name(rule, s.id)
	}
}
