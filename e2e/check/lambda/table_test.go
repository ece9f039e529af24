package lambda

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"verdetto/shared/fare"
	"verdetto/shared/store/dynamostore/schema"
	"verdetto/shared/upstream"
)

type routesOf struct {
	upstream.Source
	to map[fare.City]fare.City // by origin: the only destination, or empty for all destinations
}

func (r routesOf) Origins(context.Context) ([]fare.City, error) {
	return slices.Sorted(maps.Keys(r.to)), nil
}

func (r routesOf) Fares(ctx context.Context, origin fare.City, since, until time.Time) (upstream.Answer, error) {
	answer, err := r.Source.Fares(ctx, origin, since, until)
	if to := r.to[origin]; to != "" {
		answer.Fares = slices.DeleteFunc(answer.Fares, func(f fare.Fare) bool { return f.Route.Destination != to })
	}
	return answer, err
}

type contents struct {
	table string
	items map[string]map[string]types.AttributeValue
}

func snapshot(t *testing.T, client *dynamodb.Client, table string) contents {
	t.Helper()
	c := contents{table, map[string]map[string]types.AttributeValue{}}
	pages := dynamodb.NewScanPaginator(client, &dynamodb.ScanInput{TableName: aws.String(table), ConsistentRead: aws.Bool(true)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range page.Items {
			c.items[keyOf(item)] = item
		}
	}
	return c
}

func keyOf(item map[string]types.AttributeValue) string {
	text := func(name string) string { return item[name].(*types.AttributeValueMemberS).Value }
	return text(schema.Partition) + "\x00" + text(schema.Sort)
}

func (c contents) restore(t *testing.T, client *dynamodb.Client) {
	t.Helper()
	now := snapshot(t, client, c.table).items
	for key, item := range now {
		if _, ok := c.items[key]; ok {
			continue
		}
		if _, err := client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: aws.String(c.table), Key: map[string]types.AttributeValue{
			schema.Partition: item[schema.Partition], schema.Sort: item[schema.Sort],
		}}); err != nil {
			t.Fatal(err)
		}
	}
	for key, item := range c.items {
		if reflect.DeepEqual(item, now[key]) {
			continue
		}
		if _, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(c.table), Item: item}); err != nil {
			t.Fatal(err)
		}
	}
}
