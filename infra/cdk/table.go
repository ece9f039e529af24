package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsdynamodb"
	"github.com/aws/jsii-runtime-go"

	"verdetto/shared/store/dynamostore/schema"
)

func newTable(stack awscdk.Stack, c config) awsdynamodb.ITable {
	original := awsdynamodb.NewTable(stack, jsii.String("Table"), &awsdynamodb.TableProps{
		TableName: jsii.String(c.Name),
		PartitionKey: &awsdynamodb.Attribute{Name: jsii.String(schema.Partition),
			Type: awsdynamodb.AttributeType_STRING},
		SortKey:     &awsdynamodb.Attribute{Name: jsii.String(schema.Sort), Type: awsdynamodb.AttributeType_STRING},
		BillingMode: awsdynamodb.BillingMode_PAY_PER_REQUEST,
		// These limits cap the cost of a day: two units for each call, and the rest for refreshes.
		MaxReadRequestUnits: jsii.Number(2*c.RequestsPerSecond + 1600), MaxWriteRequestUnits: jsii.Number(2*c.RequestsPerSecond + 700),
		PointInTimeRecoverySpecification: &awsdynamodb.PointInTimeRecoverySpecification{
			PointInTimeRecoveryEnabled: jsii.Bool(true),
			RecoveryPeriodInDays:       jsii.Number(35),
		},
		TimeToLiveAttribute: jsii.String(schema.Expires),
		Encryption:          awsdynamodb.TableEncryption_AWS_MANAGED,
		DeletionProtection:  jsii.Bool(true),
		RemovalPolicy:       awscdk.RemovalPolicy_RETAIN,
	})
	name(original, "Table")
	if c.RestoredTable != "" {
		return awsdynamodb.Table_FromTableName(stack, jsii.String("RestoredTable"), jsii.String(c.RestoredTable))
	}
	return original
}
