package dynamostore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"verdetto/shared/store/dynamostore/schema"
)

const createWait = time.Minute

// Create does nothing if the table exists.
func Create(ctx context.Context, client *dynamodb.Client, name string) error {
	_, err := client.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName:   &name,
		BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String(schema.Partition), AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String(schema.Sort), AttributeType: types.ScalarAttributeTypeS},
		},
		KeySchema: []types.KeySchemaElement{
			{AttributeName: aws.String(schema.Partition), KeyType: types.KeyTypeHash},
			{AttributeName: aws.String(schema.Sort), KeyType: types.KeyTypeRange},
		},
	})
	var exists *types.ResourceInUseException
	if errors.As(err, &exists) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("create table %s: %w", name, translate(err))
	}
	made := dynamodb.NewTableExistsWaiter(
		client, func(o *dynamodb.TableExistsWaiterOptions) { o.MinDelay = 100 * time.Millisecond },
	)
	if err := made.Wait(ctx, &dynamodb.DescribeTableInput{TableName: &name}, createWait); err != nil {
		return fmt.Errorf("create table %s: %w", name, translate(err))
	}
	_, err = client.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{TableName: &name,
		TimeToLiveSpecification: &types.TimeToLiveSpecification{
			AttributeName: aws.String(schema.Expires), Enabled: aws.Bool(true),
		}})
	if err != nil {
		return fmt.Errorf("set expiry of table %s: %w", name, translate(err))
	}
	return nil
}
