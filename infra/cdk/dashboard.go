package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	cloudwatch "github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/jsii-runtime-go"
)

// board collects what the dashboard shows. It is read from the top: is anything
// wrong for callers, is what they are told fresh, is work left undone; then what
// that rests on.
type board struct {
	dashboard                                  cloudwatch.Dashboard
	requests, failures, slowest, latencies     []cloudwatch.IMetric
	age, origins, dead, waiting, mail          []cloudwatch.IMetric
	errors, durations, throttles, units, edges []cloudwatch.IMetric
}

func newBoard(stack awscdk.Stack, c config) board {
	made := cloudwatch.NewDashboard(stack, jsii.String("Dashboard"), &cloudwatch.DashboardProps{
		DashboardName: jsii.String(c.Name), DefaultInterval: awscdk.Duration_Days(jsii.Number(1))})
	name(made, "Dashboard")
	b := board{dashboard: made}
	// The edge's metrics are in us-east-1 only, and its stack's own may be another: it is searched for.
	for _, m := range [][2]string{{"Requests", "Sum"}, {"4xxErrorRate", "Average"}, {"5xxErrorRate", "Average"}} {
		b.edges = append(b.edges, cloudwatch.NewMathExpression(&cloudwatch.MathExpressionProps{
			Expression:   jsii.String("SEARCH('{AWS/CloudFront,DistributionId,Region} MetricName=\"" + m[0] + "\"', '" + m[1] + "', 300)"),
			SearchRegion: jsii.String(edgeRegion), Label: jsii.String(m[0]), Period: awscdk.Duration_Minutes(jsii.Number(5)),
			UsingMetrics: &map[string]cloudwatch.IMetric{},
		}))
	}
	return b
}

func (b board) draw() {
	graph := func(title string, metrics []cloudwatch.IMetric) cloudwatch.IWidget {
		return cloudwatch.NewGraphWidget(&cloudwatch.GraphWidgetProps{Title: jsii.String(title), Left: &metrics, Width: jsii.Number(8), Height: jsii.Number(6)})
	}
	b.dashboard.AddWidgets(graph("Failures: 5xx and 429 by function, refused webhooks", b.failures), graph("Slowest of 100 calls, ms", b.slowest), graph("At the edge", b.edges))
	b.dashboard.AddWidgets(graph("Age of the fares, days", b.age), graph("Origins asked and failed", b.origins), graph("Mail", b.mail))
	b.dashboard.AddWidgets(graph("Dead letters", b.dead), graph("Age of the oldest work, seconds", b.waiting), graph("Errors of functions", b.errors))
	b.dashboard.AddWidgets(graph("Requests by route", b.requests), graph("Latency by route, p95, ms", b.latencies), graph("Duration of functions, p99, ms", b.durations))
	b.dashboard.AddWidgets(graph("Turned away: functions, table", b.throttles), graph("Units of the table", b.units))
}
