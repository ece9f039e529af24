package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsbudgets"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatchactions"
	"github.com/aws/jsii-runtime-go"
)

func newEdgeAlarms(stack awscdk.Stack, c config, n notices, e edge) {
	p := panel{stack, c.Name, awscloudwatchactions.NewSnsAction(n.alarms)}
	global := jsii.String("Global")
	p.raise(alarm{id: "EdgeFailures", page: true, above: 5, periods: 3,
		about: "For a quarter of an hour more than 5 % of answers at the edge are 5xx.",
		metric: metric("AWS/CloudFront", "5xxErrorRate", "Average", 5,
			map[string]*string{"DistributionId": e.distribution.DistributionId(), "Region": global})})
	p.raise(alarm{id: "EdgeFlood", page: true, above: float64(edgeFlood), periods: 2,
		about: "The edge is asked far more often than the service ever is.",
		metric: metric("AWS/CloudFront", "Requests", "Sum", 5,
			map[string]*string{"DistributionId": e.distribution.DistributionId(), "Region": global})})
	if c.ownFirewall() {
		p.raise(alarm{id: "EdgeBlocked", above: 10_000, periods: 2, about: "The firewall turns many requests away.",
			metric: metric("AWS/WAFV2", "BlockedRequests", "Sum", 5,
				map[string]*string{"WebACL": jsii.String(c.Name), "Rule": jsii.String("ALL")})})
	}
	newBudget(stack, c)
}

// edgeFlood is the number of requests in five minutes that notifies the operator: 1,000 per second,
// which is 1,000 times today's load.
const edgeFlood = 300_000

// newBudget notifies the operator when half or all of the month's budget is spent, and when AWS
// forecasts more. The budget covers the whole account. AWS updates it about three times a day, so
// EdgeFlood and ApiFlood are faster.
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
