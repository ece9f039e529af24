package main

import (
	"fmt"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	cloudwatch "github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatchactions"
	"github.com/aws/jsii-runtime-go"

	"verdetto/shared/routes"
)

// staleDays is how old the newest fares may be: one cycle of seven days and two for mending.
const staleDays = 9

// namespace is that of the metrics in the functions' log lines.
const namespace = "Verdetto"

// panel collects alarms, and the graphs that go with them.
type panel struct {
	stack  awscdk.Stack
	prefix string
	action cloudwatch.IAlarmAction
}

// alarm says when somebody has to look. Each description says what to do.
type alarm struct {
	id, about string
	metric    cloudwatch.IMetric
	above     float64 // the highest value that is well
	periods   int     // in a row
	silence   cloudwatch.TreatMissingData
}

func (p panel) raise(a alarm) {
	if a.silence == "" {
		a.silence = cloudwatch.TreatMissingData_NOT_BREACHING
	}
	made := cloudwatch.NewAlarm(p.stack, jsii.String(a.id), &cloudwatch.AlarmProps{
		AlarmName: jsii.String(p.prefix + "-" + a.id), AlarmDescription: jsii.String(a.about),
		Metric: a.metric, Threshold: jsii.Number(a.above), EvaluationPeriods: jsii.Number(max(1, a.periods)),
		ComparisonOperator: cloudwatch.ComparisonOperator_GREATER_THAN_THRESHOLD, TreatMissingData: a.silence,
	})
	name(made, a.id)
	made.AddAlarmAction(p.action)
	made.AddOkAction(p.action)
}

// metric is one of CloudWatch's, over minutes.
func metric(space, metricName, statistic string, minutes int, dimensions map[string]*string) cloudwatch.Metric {
	props := &cloudwatch.MetricProps{Namespace: jsii.String(space), MetricName: jsii.String(metricName), Statistic: jsii.String(statistic),
		Period: awscdk.Duration_Minutes(jsii.Number(minutes))}
	if len(dimensions) > 0 {
		props.DimensionsMap = &dimensions
	}
	return cloudwatch.NewMetric(props)
}

func newAlarms(stack awscdk.Stack, c config, n notices, t table, q queues, a api, e edge, l lambdas) {
	p := panel{stack, c.Name, awscloudwatchactions.NewSnsAction(n.alarms)}
	dimension := func(key string, value *string) map[string]*string { return map[string]*string{key: value} }
	var errors, durations, throttles, requests, failures, latencies []cloudwatch.IMetric
	for _, f := range functions {
		of := dimension("FunctionName", l.of(f.name).FunctionName())
		failed, throttled := metric("AWS/Lambda", "Errors", "Sum", 5, of), metric("AWS/Lambda", "Throttles", "Sum", 5, of)
		p.raise(alarm{id: title(f.name) + "Errors", metric: failed, about: f.name + " fails. Its log says why; what it failed on is tried again or lies among the dead letters."})
		p.raise(alarm{id: title(f.name) + "Throttles", metric: throttled, periods: 2, about: f.name + " is called more often than its concurrency allows. Ask AWS for more, or reserve less elsewhere."})
		errors, throttles = append(errors, failed), append(throttles, throttled)
		durations = append(durations, metric("AWS/Lambda", "Duration", "p95", 5, of))
		if f.http {
			failing := metric(namespace, "Errors5xx", "Sum", 5, dimension("function", jsii.String(f.name)))
			p.raise(alarm{id: title(f.name) + "Failures", periods: 2, metric: failing, about: f.name + " answers 5xx. Its log says why, with the route."})
			failures = append(failures, failing, metric(namespace, "Throttled429", "Sum", 5, dimension("function", jsii.String(f.name))))
		}
	}
	for _, r := range routes.Table {
		// Each combination of values is paid for, so the latency alone is separated
		// by route; it has one sample a request, which is their count.
		of := map[string]*string{"function": jsii.String(r.Function), "route": jsii.String(r.Name)}
		requests = append(requests, metric(namespace, "LatencyMs", "SampleCount", 5, of))
		latencies = append(latencies, metric(namespace, "LatencyMs", "p95", 5, of))
	}
	broken := metric("AWS/ApiGateway", "5xx", "Sum", 5, dimension("ApiId", a.httpAPI.Ref()))
	p.raise(alarm{id: "ApiFailures", metric: broken, above: 4, periods: 2, about: "API Gateway answers 5xx. If no function does, one runs into its timeout or cannot be started."})
	var dead []cloudwatch.IMetric
	letters := func(id, about string, name *string) {
		m := metric("AWS/SQS", "ApproximateNumberOfMessagesVisible", "Maximum", 5, dimension("QueueName", name))
		p.raise(alarm{id: id, metric: m, about: about})
		dead = append(dead, m)
	}
	for _, name := range sorted(q.ofFunction) {
		letters(title(name)+"Dead", "Work of "+name+" was given up. docs/deploy.md says how to send it again.", q.ofFunction[name].dead.QueueName())
	}
	letters("EventsDead", "A schedule or a notice was given up. docs/deploy.md says how to send it again.", q.events.QueueName())
	var slowed []cloudwatch.IMetric
	for _, kind := range []string{"ReadThrottleEvents", "WriteThrottleEvents"} {
		m := metric("AWS/DynamoDB", kind, "Sum", 5, dimension("TableName", t.used.TableName()))
		p.raise(alarm{id: "Table" + kind[:len(kind)-len("Events")] + "s", metric: m, above: 50, periods: 2,
			about: "DynamoDB turns requests away: a partition is hot, or traffic has more than doubled. docs/scale.md says what to change."})
		slowed = append(slowed, m)
	}
	age := metric(namespace, "DataAgeDays", "Maximum", 60, dimension("function", jsii.String("refresh")))
	p.raise(alarm{id: "StaleFares", metric: age, above: staleDays, silence: cloudwatch.TreatMissingData_BREACHING, periods: 2,
		about: fmt.Sprintf("The newest complete refresh is more than %d days old, or nobody says how old it is. Invoke the refresh by hand and read its log.", staleDays)})
	bounces, complaints := metric("AWS/SES", "Reputation.BounceRate", "Average", 60, nil), metric("AWS/SES", "Reputation.ComplaintRate", "Average", 60, nil)
	p.raise(alarm{id: "MailBounces", metric: bounces, above: 0.03, about: "More than 3 % of mails come back; at 5 % SES looks into it, at 10 % it stops us."})
	p.raise(alarm{id: "MailComplaints", metric: complaints, above: 0.0005, about: "More than 0.05 % of mails are reported as spam; at 0.1 % SES looks into it."})
	refused := metric(namespace, "MailRefused", "Sum", 60, dimension("function", jsii.String("refresh")))
	p.raise(alarm{id: "MailRefused", metric: refused, above: 5, about: "SES refuses mails of the refresh for good: addresses that no one can have. Its log says how they are wrong."})
	// The sandbox, a quota or a missing permission is no fault of a mail: the function fails, and RefreshErrors tells.
	failing := metric(namespace, "MailFailed", "Sum", 60, dimension("function", jsii.String("refresh")))

	graph := func(title string, metrics ...cloudwatch.IMetric) cloudwatch.IWidget {
		return cloudwatch.NewGraphWidget(&cloudwatch.GraphWidgetProps{Title: jsii.String(title), Left: &metrics, Width: jsii.Number(8), Height: jsii.Number(6)})
	}
	board := cloudwatch.NewDashboard(stack, jsii.String("Dashboard"), &cloudwatch.DashboardProps{DashboardName: jsii.String(c.Name)})
	name(board, "Dashboard")
	board.AddWidgets(graph("Requests by route", requests...), graph("5xx and 429 by function", append(failures, broken)...), graph("Latency by route, p95, ms", latencies...))
	board.AddWidgets(graph("Errors of functions", errors...), graph("Duration of functions, p95, ms", durations...), graph("Throttles", append(throttles, slowed...)...))
	board.AddWidgets(graph("Age of the fares, days", age),
		graph("Origins asked and failed", metric(namespace, "OriginsAsked", "Sum", 60, dimension("function", jsii.String("refresh"))), metric(namespace, "OriginsFailed", "Sum", 60, dimension("function", jsii.String("refresh")))),
		graph("Dead letters", dead...))
	of := dimension("TableName", t.used.TableName())
	board.AddWidgets(
		graph("Units of the table", metric("AWS/DynamoDB", "ConsumedReadCapacityUnits", "Sum", 5, of), metric("AWS/DynamoDB", "ConsumedWriteCapacityUnits", "Sum", 5, of)),
		graph("Mail", metric(namespace, "MailSent", "Sum", 60, dimension("function", jsii.String("refresh"))), refused, failing, bounces, complaints),
		cloudwatch.NewGraphWidget(&cloudwatch.GraphWidgetProps{Title: jsii.String("Requests at the edge"), Width: jsii.Number(8), Height: jsii.Number(6), Region: jsii.String("us-east-1"),
			Left: &[]cloudwatch.IMetric{cloudwatch.NewMetric(&cloudwatch.MetricProps{Namespace: jsii.String("AWS/CloudFront"), MetricName: jsii.String("Requests"), Statistic: jsii.String("Sum"),
				Region: jsii.String("us-east-1"), DimensionsMap: &map[string]*string{"DistributionId": e.distribution.DistributionId(), "Region": jsii.String("Global")}})}}))
}
