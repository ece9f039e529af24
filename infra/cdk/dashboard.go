package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	cloudwatch "github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
	"github.com/aws/jsii-runtime-go"
)

type board struct {
	dashboard                                  cloudwatch.Dashboard
	logs                                       []*string
	failures, slowest                          []cloudwatch.IMetric
	age, origins, dead, waiting, mail          []cloudwatch.IMetric
	errors, durations, throttles, units, edges []cloudwatch.IMetric
}

const byRoute = `filter msg = "request" | stats count(*) as calls, sum(status >= 500) as failures, sum(status = 429) as refused, pct(ms, 50) as p50, pct(ms, 95) as p95 by route | sort calls desc | limit 100`

func newBoard(stack awscdk.Stack, c config, l lambdas) board {
	made := cloudwatch.NewDashboard(stack, jsii.String("Dashboard"), &cloudwatch.DashboardProps{
		DashboardName: jsii.String(c.Name), DefaultInterval: awscdk.Duration_Days(jsii.Number(1))})
	name(made, "Dashboard")
	b := board{dashboard: made}
	var logs []any
	for _, f := range functions {
		if f.http {
			log := l.function[f.name].LogGroup().LogGroupName()
			b.logs, logs = append(b.logs, log), append(logs, log)
		}
	}
	awslogs.NewCfnQueryDefinition(stack, jsii.String("Routes"), &awslogs.CfnQueryDefinitionProps{
		Name: jsii.String(c.Name + "/routes"), LogGroupNames: &logs, QueryString: jsii.String(byRoute)})
	// This stack cannot refer to an edge in another stack, so a search expression finds the metrics,
	// which exist only in us-east-1.
	for _, m := range [][2]string{{"Requests", "Sum"}, {"4xxErrorRate", "Average"}, {"5xxErrorRate", "Average"}} {
		b.edges = append(b.edges, cloudwatch.NewMathExpression(&cloudwatch.MathExpressionProps{
			Expression: jsii.String("SEARCH('{AWS/CloudFront,DistributionId,Region} MetricName=\"" + m[0] + "\"', '" +
				m[1] + "', 300)"),
			SearchRegion: jsii.String(edgeRegion), Label: jsii.String(m[0]),
			Period:       awscdk.Duration_Minutes(jsii.Number(5)),
			UsingMetrics: &map[string]cloudwatch.IMetric{},
		}))
	}
	return b
}

func (b board) draw() {
	graph := func(title string, metrics []cloudwatch.IMetric) cloudwatch.IWidget {
		return cloudwatch.NewGraphWidget(&cloudwatch.GraphWidgetProps{Title: jsii.String(title), Left: &metrics,
			Width: jsii.Number(8), Height: jsii.Number(6)})
	}
	b.dashboard.AddWidgets(graph("Failures: 5xx and 429 by function, refused webhooks", b.failures),
		graph("Slowest of 100 calls, ms", b.slowest), graph("At the edge", b.edges))
	b.dashboard.AddWidgets(graph("Age of the fares, days", b.age),
		graph("Origins and departures: asked, failed, left", b.origins), graph("Mail", b.mail))
	b.dashboard.AddWidgets(graph("Dead letters", b.dead), graph("Age of the oldest work, seconds", b.waiting),
		graph("Errors of functions", b.errors))
	b.dashboard.AddWidgets(cloudwatch.NewLogQueryWidget(&cloudwatch.LogQueryWidgetProps{Title: jsii.String("Calls by route"), LogGroupNames: &b.logs,
		QueryString: jsii.String(byRoute), View: cloudwatch.LogQueryVisualizationType_TABLE, Width: jsii.Number(16),
		Height: jsii.Number(6)}), graph("Duration of functions, p99, ms", b.durations))
	b.dashboard.AddWidgets(graph("Turned away: functions, table", b.throttles), graph("Units of the table", b.units))
}
