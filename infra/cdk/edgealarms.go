package main

import (
	"fmt"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsbudgets"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatchactions"
	"github.com/aws/jsii-runtime-go"
)

func newEdgeAlarms(stack awscdk.Stack, c config, n notices, e edge) {
	p := panel{stack, c.Name, awscloudwatchactions.NewSnsAction(n.alarms)}
	of := map[string]*string{"DistributionId": e.distribution.DistributionId(), "Region": jsii.String("Global")}
	p.raise(alarm{id: "EdgeFailures", page: true, minutes: 5, periods: 3,
		parts: []part{one("the edge", "{a} > 5", metric("AWS/CloudFront", "5xxErrorRate", "Average", 5, of))},
		about: "For a quarter of an hour more than 5 % of answers at the edge are 5xx."})
	p.raise(alarm{id: "EdgeFlood", page: true, minutes: 5, periods: 2,
		parts: []part{one("the edge", fmt.Sprintf("{a} > %d", edgeFlood), metric("AWS/CloudFront", "Requests", "Sum", 5, of))},
		about: "The edge is asked far more often than the service ever is."})
	if c.Origin.isMutual() {
		p.raise(alarm{id: "CertificateEnds", minutes: 24 * 60,
			parts: []part{one("the edge's certificate", "{a} < 30", metric("AWS/CertificateManager", "DaysToExpiry", "Minimum", 24*60,
				dimension("CertificateArn", jsii.String(c.Origin.ClientCertificate))))},
			about: "The certificate by which the edge proves itself to API Gateway ends within 30 days; nobody renews it but you."})
	}
	newBudget(stack, c)
}

// edgeFlood is the number of requests in five minutes that notifies the operator: half of what API
// Gateway lets through by default.
const edgeFlood = 840 * 300 / 2

// newBudget notifies the operator when half or all of the month's budget is spent, and when AWS
// forecasts more. The budget covers the whole account. AWS updates it about three times a day, so
// EdgeFlood is faster.
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
