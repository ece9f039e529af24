package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsbudgets"
	cloudwatch "github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatchactions"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsdynamodb"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
	"github.com/aws/jsii-runtime-go"

	"verdetto/shared/web/routes"
)

// staleDays is the seven days between two weekly refreshes, and two days for repairs.
const staleDays = 9

const outWeeks = 3

// leastFees is in lamports, and above the balance at which selling stops (x402.LeastFunds).
const leastFees = 10_000_000

const namespace = "Verdetto"

type panel struct {
	stack  awscdk.Stack
	prefix string
	action cloudwatch.IAlarmAction
}

// docs/aws.md has a paragraph for each alarm, titled with the alarm's id.
type alarm struct {
	id, about string
	page      bool // true: act now, at any hour; false: a ticket
	minutes   int
	periods   int
	silence   cloudwatch.TreatMissingData
	parts     []part
}

// In the condition, {a}, {b} and so on stand for the metrics.
type part struct {
	name, condition string
	metrics         []cloudwatch.IMetric
}

// AWS puts the name of an alarm into the subject of the mail, so the name contains the urgency.
func alarmName(stack, id string, page bool) string {
	if page {
		return stack + "-page-" + id
	}
	return stack + "-ticket-" + id
}

// The value of an alarm is the sum of 1, 10, 100 ... for the parts whose conditions hold, so the
// operator reads in the mail which parts fail.
func (p panel) raise(a alarm) {
	if a.silence == "" {
		a.silence = cloudwatch.TreatMissingData_NOT_BREACHING
	}
	var terms, digits []string
	metrics := map[string]cloudwatch.IMetric{}
	for i, part := range a.parts {
		digit := fmt.Sprintf("%.0f", math.Pow10(i))
		condition := part.condition
		for j, m := range part.metrics {
			letter, id := string(rune('a'+j)), fmt.Sprintf("m%d%c", i, 'a'+j)
			value := "FILL(" + id + ", 0)"
			if len(a.parts) == 1 && len(part.metrics) == 1 {
				value = id
			}
			condition = strings.ReplaceAll(condition, "{"+letter+"}", value)
			metrics[id] = m
		}
		terms = append(terms, digit+"*IF("+condition+", 1, 0)")
		digits = append(digits, digit+" "+part.name)
	}
	about := a.about
	if len(a.parts) > 1 {
		about += " The value is the sum of: " + strings.Join(digits, ", ") + "."
	}
	made := cloudwatch.NewAlarm(p.stack, jsii.String(a.id), &cloudwatch.AlarmProps{
		AlarmName:        jsii.String(alarmName(p.prefix, a.id, a.page)),
		AlarmDescription: jsii.String(about + " What to do: docs/aws.md, Runbook."),
		Metric: cloudwatch.NewMathExpression(&cloudwatch.MathExpressionProps{
			Expression: jsii.String(strings.Join(terms, " + ")), UsingMetrics: &metrics,
			Period: awscdk.Duration_Minutes(jsii.Number(a.minutes)),
		}),
		Threshold: jsii.Number(0), ComparisonOperator: cloudwatch.ComparisonOperator_GREATER_THAN_THRESHOLD,
		EvaluationPeriods: jsii.Number(max(1, a.periods)), TreatMissingData: a.silence,
	})
	name(made, a.id)
	made.AddAlarmAction(p.action)
	made.AddOkAction(p.action)
}

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

func (p panel) filter(log awslogs.ILogGroup, metricName, pattern, value string) {
	awslogs.NewCfnMetricFilter(p.stack, jsii.String(metricName+"Filter"), &awslogs.CfnMetricFilterProps{
		LogGroupName: log.LogGroupName(), FilterPattern: jsii.String(pattern),
		MetricTransformations: []any{&awslogs.CfnMetricFilter_MetricTransformationProperty{
			MetricNamespace: jsii.String(namespace + "/" + p.prefix), MetricName: jsii.String(metricName),
			MetricValue: jsii.String(value)}},
	})
}

func dimension(key string, value *string) map[string]*string { return map[string]*string{key: value} }

func one(name, condition string, m ...cloudwatch.IMetric) part { return part{name, condition, m} }

func newAlarms(stack awscdk.Stack, c config, n notices, t awsdynamodb.ITable, q queues, a api, l lambdas) {
	p := panel{stack, c.Name, awscloudwatchactions.NewSnsAction(n.alarms)}
	b := newBoard(stack, c, l)
	p.ofService(t, a, l, &b)
	p.ofQueues(q, &b)
	p.ofFares(&b)
	p.ofMail(&b)
	p.ofSales(c, l)
	b.draw()
}

func (p panel) ofService(t awsdynamodb.ITable, a api, l lambdas, b *board) {
	p.raise(alarm{id: "Unreachable", page: true, minutes: 60, periods: 2,
		silence: cloudwatch.TreatMissingData_BREACHING,
		about:   "The hourly call from outside got no right answer, or was not made.",
		parts:   []part{one("the check", "{a} < 1", p.logged("CheckPassed", "Sum", 60, "refresh"))}})
	var errors, failures, throttled []part
	for _, f := range functions {
		dimensions := dimension("FunctionName", l.function[f.name].FunctionName())
		failed, refused := metric("AWS/Lambda", "Errors", "Sum", 5, dimensions), metric("AWS/Lambda", "Throttles", "Sum", 5, dimensions)
		errors = append(errors, one(f.name, "{a} > 0", failed))
		throttled = append(throttled, one(f.name, "{a} > 0", refused))
		b.errors, b.throttles = append(b.errors, failed), append(b.throttles, refused)
		b.durations = append(b.durations, metric("AWS/Lambda", "Duration", "p99", 5, dimensions))
		if f.http {
			failing := p.logged("Errors5xx", "Sum", 5, f.name)
			failures = append(failures, one(f.name, "{a} > 4", failing))
			b.failures = append(b.failures, failing, p.logged("Throttled429", "Sum", 5, f.name))
		}
	}
	p.raise(alarm{id: "FunctionErrors", minutes: 5, parts: errors,
		about: "A function fails or runs out of time. Its work is retried, or kept as a dead letter."})
	p.raise(alarm{id: "Failures", page: true, minutes: 5, periods: 2, parts: failures,
		about: "A function answers 5xx, more than four times in five minutes."})
	dimensions := dimension("TableName", t.TableName())
	for _, kind := range []string{"Read", "Write"} {
		m := metric("AWS/DynamoDB", kind+"ThrottleEvents", "Sum", 5, dimensions)
		throttled = append(throttled, one("the table's "+strings.ToLower(kind)+"s", "{a} > 50", m))
		b.throttles = append(b.throttles, m)
		b.units = append(b.units, metric("AWS/DynamoDB", "Consumed"+kind+"CapacityUnits", "Sum", 5, dimensions))
	}
	// HTTP APIs have no metric for throttled calls. In the access log, a throttled call has no integration status,
	// because no function answered.
	p.filter(a.log, "ApiThrottled", `{ ($.status = "429") && ($.integration != "429") }`, "1")
	throttled = append(throttled, one("API Gateway", "{a} > 200",
		metric(namespace+"/"+p.prefix, "ApiThrottled", "Sum", 5, nil)))
	p.raise(alarm{id: "Throttled", minutes: 5, periods: 3, parts: throttled,
		about: "For a quarter of an hour calls have been turned away for want of instances, of units, or of a share."})
	gateway := dimension("ApiId", a.httpAPI.Ref())
	slow := metric("AWS/ApiGateway", "Latency", "p99", 5, gateway)
	b.slowest = append(b.slowest, slow)
	b.failures = append(b.failures, metric("AWS/ApiGateway", "5xx", "Sum", 5, gateway))
	p.raise(alarm{id: "ApiSlow", minutes: 5, periods: 3, parts: []part{one("API Gateway", "{a} > 3000", slow)},
		about: "1 in 100 calls takes longer than 3 seconds."})
}

func (p panel) ofQueues(q queues, b *board) {
	letters := func(name string, queue *string) part {
		m := metric("AWS/SQS", "ApproximateNumberOfMessagesVisible", "Maximum", 5, dimension("QueueName", queue))
		b.dead = append(b.dead, m)
		return one(name, "{a} > 0", m)
	}
	dead := []part{letters("events", q.events.QueueName())}
	for _, name := range sorted(q.ofFunction) {
		dead = append(dead, letters(name, q.ofFunction[name].dead.QueueName()))
	}
	p.raise(alarm{id: "DeadLetters", minutes: 5, parts: dead,
		about: "A scheduled call, a notice or a message failed as often as it is tried."})
	// The queues of pro and alerts carry only signals; if a signal is lost, a schedule does the work.
	age := metric("AWS/SQS", "ApproximateAgeOfOldestMessage", "Maximum", 5,
		dimension("QueueName", q.ofFunction["refresh"].work.QueueName()))
	b.waiting = append(b.waiting, age)
	p.raise(alarm{id: "RefreshWaiting", minutes: 5, periods: 2, parts: []part{one("refresh", "{a} > 10800", age)},
		about: "Refreshes have been waiting for more than three hours."})
}

func (p panel) ofFares(b *board) {
	refresh := func(metricName, statistic string, minutes int) cloudwatch.Metric {
		return p.logged(metricName, statistic, minutes, "refresh")
	}
	age := refresh("DataAgeDays", "Maximum", 60)
	p.raise(alarm{id: "StaleFares", minutes: 60, periods: 2, silence: cloudwatch.TreatMissingData_BREACHING,
		parts: []part{one("the fares", fmt.Sprintf("{a} > %d", staleDays), age)},
		about: fmt.Sprintf("The newest fares were found more than %d days ago, or their age is unknown.", staleDays)})
	origins, series := refresh("OriginsFailed", "Sum", 60), refresh("SeriesFailed", "Sum", 60)
	originsAsked, seriesAsked := refresh("OriginsAsked", "Sum", 60), refresh("SeriesAsked", "Sum", 60)
	const share = "{a} > 0.1*({a} + {b})"
	p.raise(alarm{id: "Source", minutes: 60,
		parts: []part{one("origins", share, origins, originsAsked), one("departures", share, series, seriesAsked),
			one("token refused", "{a} > 0", refresh("SourceRefused", "Sum", 60))},
		about: "In an hour more than a tenth of the calls to the fare source failed, or it refuses the token."})
	const day = 24 * 60
	p.raise(alarm{id: "Drift", minutes: day,
		parts: []part{one("the form of the source's answers", "{a} > 0", refresh("SourceDifferences", "Maximum", day)),
			one("the score", fmt.Sprintf("{a} > %d", outWeeks-1), refresh("ScoreWeeksOut", "Maximum", day))},
		about: fmt.Sprintf("The fare source's answers differ from the form that we read, or for %d weeks in a row verdicts "+
			"have been outside of the band in which they should be.", outWeeks)})
	b.age = []cloudwatch.IMetric{age}
	b.origins = []cloudwatch.IMetric{originsAsked, origins, seriesAsked, series}
}

func (p panel) ofMail(b *board) {
	bounces, complaints := metric("AWS/SES", "Reputation.BounceRate", "Average", 60, nil),
		metric("AWS/SES", "Reputation.ComplaintRate", "Average", 60, nil)
	p.raise(alarm{id: "MailReputation", minutes: 60,
		parts: []part{one("bounces", "{a} > 0.03", bounces), one("complaints", "{a} > 0.0005", complaints)},
		about: "More than 3 % of mails come back, or more than 0.05 % are reported as spam; SES stops us at 10 % and 0.5 %."})
	var failing []part
	for _, f := range functions {
		if !f.worker {
			continue
		}
		failed, sent := p.logged("MailFailed", "Sum", 30, f.name), p.logged("MailSent", "Sum", 30, f.name)
		failing = append(failing, one(f.name, "{a} > 2 && {a} > 0.1*({a} + {b})", failed, sent))
		b.mail = append(b.mail, sent, failed)
		if f.http {
			failing = append(failing, one(f.name+" gave up", "{a} > 0", p.logged("JobsGivenUp", "Sum", 30, f.name)))
		}
	}
	p.raise(alarm{id: "MailFailures", page: true, minutes: 30, parts: failing,
		about: "In half an hour SES did not take more than a tenth of the mails, which are retried, or a mail was given up after a day."})
	b.mail = append(b.mail, bounces, complaints)
}

func (p panel) ofSales(c config, l lambdas) {
	if c.StripePrice != "" {
		log, path := l.function["pro"].LogGroup(), routes.Named("pro-webhook").Path
		status := func(statistic string) cloudwatch.Metric {
			return metric(namespace+"/"+p.prefix, "WebhookStatus", statistic, 6*60, nil)
		}
		p.filter(log, "WebhookStatus", fmt.Sprintf(`{ ($.path = "*%s") && ($.status = *) }`, path), "$.status")
		p.raise(alarm{id: "WebhookRefused", page: true, minutes: 6 * 60,
			parts: []part{one("Stripe's webhook", "{a} > 399 && {b} > 2", status("Minimum"), status("SampleCount"))},
			about: "For six hours every delivery of Stripe's webhook was refused, so payments are not noticed."})
	}
	if c.SolanaWallet == "" {
		return
	}
	p.raise(alarm{id: "PaymentsUnjudged", minutes: 60,
		parts: []part{one("payments", "{a} > 0", p.logged("PaymentsUnjudged", "Maximum", 60, "pro"))},
		about: "Somebody paid in USDC with a transaction that this version cannot judge. The claim is kept."})
	// Calls to the paid endpoints log the balance, so the alarm is silent if single answers are not
	// sold.
	p.raise(alarm{id: "FeesLow", minutes: 60,
		parts: []part{one("fees", fmt.Sprintf("{a} < %d", leastFees), p.logged("FeeLamports", "Minimum", 60, "x402"))},
		about: "The address that pays the network's fees of answers that are paid one by one has less than 0.01 SOL."})
}

func newEdgeAlarms(stack awscdk.Stack, c config, n notices, e edge) {
	p := panel{stack, c.Name, awscloudwatchactions.NewSnsAction(n.alarms)}
	dimensions := map[string]*string{"DistributionId": e.distribution.DistributionId(), "Region": jsii.String("Global")}
	p.raise(alarm{id: "EdgeFailures", page: true, minutes: 5, periods: 3,
		parts: []part{one("the edge", "{a} > 5", metric("AWS/CloudFront", "5xxErrorRate", "Average", 5, dimensions))},
		about: "For a quarter of an hour more than 5 % of answers at the edge are 5xx."})
	p.raise(alarm{id: "EdgeFlood", page: true, minutes: 5, periods: 2,
		parts: []part{one("the edge", fmt.Sprintf("{a} > %d", edgeFlood), metric("AWS/CloudFront", "Requests", "Sum", 5, dimensions))},
		about: "The edge is asked far more often than the service ever is."})
	if c.Origin.isMutual() {
		p.raise(alarm{id: "CertificateEnds", minutes: 24 * 60,
			parts: []part{one("the edge's certificate", "{a} < 30", metric("AWS/CertificateManager", "DaysToExpiry", "Minimum", 24*60,
				dimension("CertificateArn", jsii.String(c.Origin.ClientCertificate))))},
			about: "The certificate by which the edge proves itself to API Gateway ends within 30 days; nobody renews it but you."})
	}
	newBudget(stack, c)
}

// edgeFlood is half of the requests that API Gateway lets through in five minutes by default.
const edgeFlood = 840 * 300 / 2

// The budget covers the whole account. AWS updates budgets at most three times a day, so the alarm EdgeFlood is faster.
func newBudget(stack awscdk.Stack, c config) {
	notify := func(kind string, percent float64) *awsbudgets.CfnBudget_NotificationWithSubscribersProperty {
		return &awsbudgets.CfnBudget_NotificationWithSubscribersProperty{
			Notification: &awsbudgets.CfnBudget_NotificationProperty{
				NotificationType: jsii.String(kind), ComparisonOperator: jsii.String("GREATER_THAN"),
				Threshold: jsii.Number(percent), ThresholdType: jsii.String("PERCENTAGE")},
			Subscribers: []any{&awsbudgets.CfnBudget_SubscriberProperty{SubscriptionType: jsii.String("EMAIL"),
				Address: jsii.String(c.AlarmEmail)}},
		}
	}
	awsbudgets.NewCfnBudget(stack, jsii.String("Budget"), &awsbudgets.CfnBudgetProps{
		Budget: &awsbudgets.CfnBudget_BudgetDataProperty{
			BudgetName: jsii.String(c.Name), BudgetType: jsii.String("COST"), TimeUnit: jsii.String("MONTHLY"),
			BudgetLimit: &awsbudgets.CfnBudget_SpendProperty{Amount: jsii.Number(c.MonthlyBudget),
				Unit: jsii.String("USD")},
		},
		NotificationsWithSubscribers: []any{notify("ACTUAL", 50), notify("ACTUAL", 100), notify("FORECASTED", 100)},
	})
}
