// Package dynamostore implements store.Table in DynamoDB. Start with Store.
//
// If a request gets no answer, the SDK retries it, although the first try may have taken effect. So each write that
// stores an item adds a random name to the item, by which a retry recognizes an earlier try. Where the outcome stays
// unknown, the error is ErrUnavailable.
//
// A Take whose answer was lost may count twice if another caller took from the counter between the tries. A Delete
// whose answer was lost may also delete an item that was created between the tries.
package dynamostore

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"verdetto/shared/store"
	"verdetto/shared/store/dynamostore/schema"
)

// Store is safe for concurrent use.
type Store struct {
	client  *dynamodb.Client
	name    string
	now     func() time.Time
	retryer aws.Retryer
}

var _ store.Table = (*Store)(nil)

func New(client *dynamodb.Client, table string, now func() time.Time) *Store {
	return &Store{client, table, now, withContention(client.Options().Retryer)}
}

func (t *Store) Close() error { return nil }

func (t *Store) Get(ctx context.Context, key store.Key, read store.Consistency) (store.Item, error) {
	if err := key.Validate(); err != nil {
		return store.Item{}, fmt.Errorf("get item: %w", err)
	}
	out, err := t.client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName:      &t.name,
		Key:            keyOf(key),
		ConsistentRead: aws.Bool(read == store.Strong),
	}, t.withRetryer)
	if err != nil {
		return store.Item{}, fmt.Errorf("get item: %w", translate(err))
	}
	if out.Item == nil {
		return store.Item{}, fmt.Errorf("get item: %w", store.ErrNotFound)
	}
	item, err := decode(out.Item)
	if err != nil {
		return store.Item{}, fmt.Errorf("get item: %w", err)
	}
	if item.Expired(t.now()) {
		return store.Item{}, fmt.Errorf("get item: %w", store.ErrNotFound)
	}
	return item, nil
}

// afterExpired is the least number of items in a further request, so that many expired items need few requests.
const afterExpired = 100

func (t *Store) Query(ctx context.Context, r store.Range) ([]store.Item, error) {
	if err := r.Validate(); err != nil {
		return nil, fmt.Errorf("query items: %w", err)
	}
	in := &dynamodb.QueryInput{
		TableName:                 &t.name,
		KeyConditionExpression:    aws.String(schema.Partition + " = :p"),
		ExpressionAttributeValues: attributes{":p": text(r.Partition)},
		ConsistentRead:            aws.Bool(r.Read == store.Strong),
	}
	if r.Prefix != "" {
		in.KeyConditionExpression = aws.String(schema.Partition + " = :p AND begins_with(" + schema.Sort + ", :s)")
		in.ExpressionAttributeValues[":s"] = text(r.Prefix)
	}
	// DynamoDB rejects a start key outside the prefix.
	switch {
	case strings.HasPrefix(r.After, r.Prefix) && r.After != "":
		in.ExclusiveStartKey = keyOf(store.Key{Partition: r.Partition, Sort: r.After})
	case r.After > r.Prefix:
		return nil, nil
	}
	now := t.now()
	var items []store.Item
	for page := r.Limit; ; page = max(r.Limit-len(items), afterExpired) {
		if r.Limit > 0 {
			in.Limit = aws.Int32(int32(min(page, 1<<20)))
		}
		out, err := t.client.Query(ctx, in, t.withRetryer)
		if err != nil {
			return nil, fmt.Errorf("query items: %w", translate(err))
		}
		for _, got := range out.Items {
			item, err := decode(got)
			if err != nil {
				return nil, fmt.Errorf("query items: %w", err)
			}
			if item.Expired(now) {
				continue
			}
			if items = append(items, item); len(items) == r.Limit {
				return items, nil
			}
		}
		if len(out.LastEvaluatedKey) == 0 {
			return items, nil
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
	}
}
