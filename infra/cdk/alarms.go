package main

import (
	"fmt"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	cloudwatch "github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatchactions"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
	"github.com/aws/jsii-runtime-go"

	"verdetto/shared/web/routes"
)

// staleDays is the greatest age in days of the newest fares: one refresh cycle of seven days, and
// two days for repairs.
const staleDays = 9

// outWeeks is how many weeks in a row the score may be outside its expected range before the
// operator is notified.
const outWeeks = 3

// namespace contains the metrics in the functions' log lines.
const namespace = "Verdetto"

// panel makes the alarms, and the metrics of the dashboard.
type panel struct {
	stack  awscdk.Stack
	prefix string
	action cloudwatch.IAlarmAction
}

// alarm is a condition on a metric that requires an action of the operator. docs/aws.md has a
// paragraph on each, titled by the last part of the alarm's name.
type alarm struct {
	id, about string
	page      bool // act now, at any hour; otherwise it is a ticket
	metric    cloudwatch.IMetric
	above     float64 // the highest healthy value
	below     float64 // or the lowest healthy value, if not 0
	periods   int     // consecutive
	silence   cloudwatch.TreatMissingData
}

// alarmName returns a name that begins with the urgency, page (act now) or ticket, because AWS puts
// it into the mail's subject.
func alarmName(stack, id string, page bool) string {
	if page {
		return stack + "-page-" + id
	}
	return stack + "-ticket-" + id
}

func (p panel) raise(a alarm) {
	if a.silence == "" {
		a.silence = cloudwatch.TreatMissingData_NOT_BREACHING
	}
	threshold, comparison := a.above, cloudwatch.ComparisonOperator_GREATER_THAN_THRESHOLD
	if a.below != 0 {
		threshold, comparison = a.below, cloudwatch.ComparisonOperator_LESS_THAN_THRESHOLD
	}
	made := cloudwatch.NewAlarm(p.stack, jsii.String(a.id), &cloudwatch.AlarmProps{
		AlarmName:        jsii.String(alarmName(p.prefix, a.id, a.page)),
		AlarmDescription: jsii.String(a.about + " What to do: docs/aws.md, Runbook."),
		Metric:           a.metric, Threshold: jsii.Number(threshold),
		EvaluationPeriods:  jsii.Number(max(1, a.periods)),
		ComparisonOperator: comparison, TreatMissingData: a.silence,
	})
	name(made, a.id)
	made.AddAlarmAction(p.action)
	made.AddOkAction(p.action)
}

// metric returns a metric summarized over periods of the given minutes.
func metric(space, metricName, statistic string, minutes int, dimensions map[string]*string) cloudwatch.Metric {
	props := &cloudwatch.MetricProps{Namespace: jsii.String(space), MetricName: jsii.String(metricName),
		Statistic: jsii.String(statistic),
		Period:    awscdk.Duration_Minutes(jsii.Number(minutes))}
	if len(dimensions) > 0 {
		props.DimensionsMap = &dimensions
	}
	return cloudwatch.NewMetric(props)
}

func (p panel) logged(metricName, statistic string, minutes int, function string) cloudwatch.Metric {
	return metric(namespace, metricName, statistic, minutes,
		map[string]*string{"stack": jsii.String(p.prefix), "function": jsii.String(function)})
}

func (p panel) countLines(id string, log awslogs.ILogGroup, metricName, pattern string) cloudwatch.Metric {
	space := namespace + "/" + p.prefix
	awslogs.NewCfnMetricFilter(p.stack, jsii.String(id), &awslogs.CfnMetricFilterProps{
		LogGroupName: log.LogGroupName(), FilterPattern: jsii.String(pattern),
		MetricTransformations: []any{&awslogs.CfnMetricFilter_MetricTransformationProperty{
			MetricNamespace: jsii.String(space), MetricName: jsii.String(metricName), MetricValue: jsii.String("1")}},
	})
	return metric(space, metricName, "Sum", 5, nil)
}

func dimension(key string, value *string) map[string]*string { return map[string]*string{key: value} }

// newAlarms makes the alarms on faults that callers, payers and subscribers would notice, and on
// their causes.
func newAlarms(stack awscdk.Stack, c config, n notices, t table, q queues, a api, l lambdas) {
	p := panel{stack, c.Name, awscloudwatchactions.NewSnsAction(n.alarms)}
	b := newBoard(stack, c, l)
	for _, f := range functions {
		p.ofFunction(f, l, &b)
	}
	p.ofAPI(c, a, &b)
	p.ofQueues(q, &b)
	p.ofTable(t, &b)
	p.ofFares(&b)
	p.ofMail(&b)
	p.ofWebhook(l, &b)
	p.ofFees()
	p.ofClaims()
	b.draw()
}

func (p panel) ofFunction(f function, l lambdas, b *board) {
	of := dimension("FunctionName", l.function(f.name).FunctionName())
	failed, throttled := metric("AWS/Lambda", "Errors", "Sum", 5, of), metric("AWS/Lambda", "Throttles", "Sum", 5, of)
	p.raise(alarm{id: title(f.name) + "Errors", metric: failed,
		about: f.name + " fails. The failed work is retried, or kept as a dead letter."})
	p.raise(alarm{id: title(f.name) + "Throttles", metric: throttled, periods: 2,
		about: f.name + " is called more often than its concurrency allows."})
	b.errors, b.throttles = append(b.errors, failed), append(b.throttles, throttled)
	b.durations = append(b.durations, metric("AWS/Lambda", "Duration", "p99", 5, of))
	if f.http {
		failing := p.logged("Errors5xx", "Sum", 5, f.name)
		p.raise(alarm{id: title(f.name) + "Failures", page: true, periods: 2, metric: failing,
			about: f.name + " answers 5xx."})
		b.failures = append(b.failures, failing, p.logged("Throttled429", "Sum", 5, f.name))
	}
}

func (p panel) ofAPI(c config, a api, b *board) {
	of := dimension("ApiId", a.httpAPI.Ref())
	broken := metric("AWS/ApiGateway", "5xx", "Sum", 5, of)
	b.failures = append(b.failures, broken)
	// compat answers 501 for data that cannot exist, which is no failure.
	absent := p.logged("Absent501", "Sum", 5, "compat")
	failures := cloudwatch.NewMathExpression(&cloudwatch.MathExpressionProps{
		Expression:   jsii.String("broken - FILL(absent, 0)"),
		UsingMetrics: &map[string]cloudwatch.IMetric{"broken": broken, "absent": absent},
		Period:       awscdk.Duration_Minutes(jsii.Number(5)),
	})
	p.raise(alarm{id: "ApiFailures", page: true, metric: failures, above: 4, periods: 2,
		about: "API Gateway answers 5xx."})
	// Calls to Stripe and Solana sometimes take seconds, but they are few. If 1 in 100 calls is
	// slow for 15 minutes, the reason is another.
	slow := metric("AWS/ApiGateway", "Latency", "p99", 5, of)
	b.slowest = append(b.slowest, slow)
	p.raise(alarm{id: "ApiSlow", metric: slow, above: 3000, periods: 3,
		about: "1 in 100 calls takes longer than 3 seconds."})
	p.raise(alarm{id: "ApiFlood", page: true, metric: metric("AWS/ApiGateway", "Count", "Sum", 5, of),
		above: float64(c.RequestsPerSecond) * 300 / 2, periods: 3,
		about: "For a quarter of an hour half as many calls have come as are let through at all."})
}

func (p panel) ofQueues(q queues, b *board) {
	letters := func(id, about string, name *string) {
		m := metric("AWS/SQS", "ApproximateNumberOfMessagesVisible", "Maximum", 5, dimension("QueueName", name))
		p.raise(alarm{id: id, metric: m, about: about})
		b.dead = append(b.dead, m)
	}
	for _, name := range sorted(q.ofFunction) {
		letters(title(name)+"Dead", "Messages of "+name+" failed eight times and are dead letters.",
			q.ofFunction[name].dead.QueueName())
		// The most seconds that a message may wait: 3 hours for refreshes, which wait for each
		// other, and 15 minutes for a signal to a worker, which should wait only a moment.
		most := 900.0
		if name == "refresh" {
			most = 3 * 3600
		}
		age := metric("AWS/SQS", "ApproximateAgeOfOldestMessage", "Maximum", 5,
			dimension("QueueName", q.ofFunction[name].work.QueueName()))
		p.raise(alarm{id: title(name) + "Waiting", metric: age, above: most, periods: 2,
			about: "Work of " + name + " has been waiting for longer than it ever should."})
		b.waiting = append(b.waiting, age)
	}
	letters("EventsDead", "A scheduled call or a notice failed and is a dead letter.", q.events.QueueName())
}

func (p panel) ofTable(t table, b *board) {
	of := dimension("TableName", t.used.TableName())
	for _, kind := range []string{"ReadThrottleEvents", "WriteThrottleEvents"} {
		m := metric("AWS/DynamoDB", kind, "Sum", 5, of)
		p.raise(alarm{id: "Table" + kind[:len(kind)-len("Events")] + "s", metric: m, above: 50, periods: 2,
			about: "DynamoDB refuses requests: a partition is hot, the table is at its maximum, or traffic has " +
				"more than doubled."})
		b.throttles = append(b.throttles, m)
	}
	b.units = []cloudwatch.IMetric{metric("AWS/DynamoDB", "ConsumedReadCapacityUnits", "Sum", 5, of),
		metric("AWS/DynamoDB", "ConsumedWriteCapacityUnits", "Sum", 5, of)}
}

func (p panel) ofFares(b *board) {
	of := func(metricName, statistic string, minutes int) cloudwatch.Metric {
		return p.logged(metricName, statistic, minutes, "refresh")
	}
	age := of("DataAgeDays", "Maximum", 60)
	p.raise(alarm{id: "StaleFares", metric: age, above: staleDays, silence: cloudwatch.TreatMissingData_BREACHING,
		periods: 2,
		about: fmt.Sprintf("The newest fares were found more than %d days ago, or their age is unknown.",
			staleDays)})
	originsFailed, seriesFailed := of("OriginsFailed", "Sum", 60), of("SeriesFailed", "Sum", 60)
	share := func(failed, asked cloudwatch.IMetric) cloudwatch.IMetric {
		return cloudwatch.NewMathExpression(&cloudwatch.MathExpressionProps{
			Expression:   jsii.String("IF(failed > 0, 100 * failed / (failed + FILL(asked, 0)), 0)"),
			UsingMetrics: &map[string]cloudwatch.IMetric{"failed": failed, "asked": asked},
			Period:       awscdk.Duration_Minutes(jsii.Number(60)),
		})
	}
	p.raise(alarm{id: "OriginsFailed", metric: share(originsFailed, of("OriginsAsked", "Sum", 60)), above: 10,
		about: "In an hour more than a tenth of the requests for origins failed."})
	p.raise(alarm{id: "SeriesFailed", metric: share(seriesFailed, of("SeriesAsked", "Sum", 60)), above: 10,
		about: "In an hour more than a tenth of the requests for departures failed."})
	p.raise(alarm{id: "SourceRefused", page: true, metric: of("SourceRefused", "Sum", 60),
		about: "The fare source refuses the token."})
	// If a day's demand exceeds the daily quota of the fare source, the next day starts with the
	// routes that are left over.
	left := of("SeriesLeft", "Sum", 24*60)
	p.raise(alarm{id: "SeriesLeft", metric: left, above: 100, periods: 3,
		about: "For three days the quota of calls was too low for the departures that were due."})
	// The daily plan of the refresh logs this metric, which changes weekly.
	p.raise(alarm{id: "ScoreOut", metric: of("ScoreWeeksOut", "Maximum", 24*60), above: outWeeks - 1,
		about: fmt.Sprintf("For %d weeks in a row, or more, verdicts have been outside of the band in which they "+
			"should be.", outWeeks)})
	// The weekly plan logs this metric.
	p.raise(alarm{id: "SourceForm", metric: of("SourceDifferences", "Maximum", 24*60),
		about: "The fare source's answers differ from the form that we read."})
	b.age = []cloudwatch.IMetric{age}
	b.origins = []cloudwatch.IMetric{of("OriginsAsked", "Sum", 60), originsFailed, of("SeriesAsked", "Sum", 60),
		seriesFailed, of("SeriesLeft", "Sum", 60)}
}

func (p panel) ofMail(b *board) {
	bounces, complaints := metric("AWS/SES", "Reputation.BounceRate", "Average", 60, nil),
		metric("AWS/SES", "Reputation.ComplaintRate", "Average", 60, nil)
	p.raise(alarm{id: "MailBounces", metric: bounces, above: 0.03,
		about: "More than 3 % of mails come back; at 5 % SES looks into it, at 10 % it stops us."})
	p.raise(alarm{id: "MailComplaints", metric: complaints, above: 0.0005,
		about: "More than 0.05 % of mails are reported as spam; at 0.1 % SES looks into it."})
	for _, f := range functions {
		if !f.mails {
			continue
		}
		refused, failed := p.logged("MailRefused", "Sum", 60, f.name), p.logged("MailFailed", "Sum", 15, f.name)
		p.raise(alarm{id: title(f.name) + "MailRefused", metric: refused, above: 5,
			about: "SES refuses mails of " + f.name + " for good: addresses that no one can have."})
		// "Refused" counts mails that the mail server rejects one by one. "Failed" counts failures
		// of the server itself, after which all mails wait for a retry, so even a small number
		// matters.
		p.raise(alarm{id: title(f.name) + "MailFailed", page: true, metric: failed, periods: 2,
			about: "For half an hour SES has taken no mail of " + f.name + ", or not all: what failed is retried."})
		if f.outbox {
			p.raise(alarm{id: title(f.name) + "JobsGivenUp", metric: p.logged("JobsGivenUp", "Sum", 60, f.name),
				about: "Mails of " + f.name + " could not be sent for 24 hours. The service does not try again."})
		}
		b.mail = append(b.mail, p.logged("MailSent", "Sum", 60, f.name), refused, failed)
	}
	b.mail = append(b.mail, bounces, complaints)
}

// leastFees is the balance in lamports below which the operator is notified. It still covers 400
// answers at the highest fee before selling stops (x402.LeastFunds).
const leastFees = 10_000_000

// Paid calls log the balance for network fees. Without paid calls none are spent.
func (p panel) ofFees() {
	p.raise(alarm{id: "FeesLow", metric: p.logged("FeeLamports", "Minimum", 60, "x402"), below: leastFees,
		about: "The address that pays the network's fees of answers that are paid one by one has less than 0.01 SOL."})
}

// ofClaims makes an alarm on payments that wait for a newer program.
func (p panel) ofClaims() {
	p.raise(alarm{id: "PaymentsUnjudged", metric: p.logged("PaymentsUnjudged", "Maximum", 60, "pro"),
		about: "Somebody paid in USDC with a transaction that this version cannot judge. The claim is kept."})
}

// webhookMetric counts refused or failed deliveries of Stripe's webhook in the request log of the
// function pro.
const webhookMetric = "WebhookRefused"

func (p panel) ofWebhook(l lambdas, b *board) {
	refused := p.countLines("WebhookFilter", l.function("pro").LogGroup(), webhookMetric,
		fmt.Sprintf(`{ ($.path = "*%s") && ($.status >= 400) }`, routes.Named("pro-webhook").Path))
	p.raise(alarm{id: "WebhookRefused", page: true, metric: refused, above: 4, periods: 3,
		about: "Deliveries of Stripe's webhook are refused, so payments are not noticed."})
	p.raise(alarm{id: "WebhookSecret", metric: p.logged("WebhookSecretWrong", "Sum", 24*60, "pro"), above: 2,
		about: "In several hours of a day deliveries of Stripe's webhook had a wrong signature."})
	b.failures = append(b.failures, refused)
}
