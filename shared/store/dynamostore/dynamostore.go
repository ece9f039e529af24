// Package dynamostore keeps the table in DynamoDB. It promises what package
// store promises, and this about money: a Get is one GetItem, a Write of one
// operation and a Take are one conditional write each (a Take of a counter that
// has expired and not been deleted yet is two), several operations are one
// transaction. Reads are eventually consistent unless asked to be strong.
//
// # When an answer is lost
//
// The SDK repeats a request whose answer it did not get, though the first try may
// have landed. Each write therefore leaves a random name in the item, and a
// condition that fails hands back the item as it stands: if it bears our name the
// write has landed and is reported so. If it does not, and a try went unanswered,
// nobody can tell whether our write landed and was then overwritten; the error
// is ErrUnavailable then and not ErrExists or ErrConflict, which would claim that
// nothing was written. Transactions carry the name as their request token and
// DynamoDB itself recognises the repetition.
//
// Two cases remain. A Take whose answer was lost counts twice if others took from
// the same counter between its tries; it never passes the limit. A Delete whose
// answer was lost also deletes what was created between its tries.
package dynamostore

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"verdetto/shared/store"
	"verdetto/shared/store/dynamostore/schema"
)

// Store is a store.Table in DynamoDB. It is safe for concurrent use.
type Store struct {
	client   *dynamodb.Client
	name     string
	now      func() time.Time
	retryer  aws.Retryer
	capacity func(op string, read, write float64)
}

var _ store.Table = (*Store)(nil)

// Option changes a Store.
type Option func(*Store)

// OnCapacity has f called with the read and write units of every request that
// succeeded. Without it DynamoDB is not asked to count.
func OnCapacity(f func(op string, read, write float64)) Option {
	return func(t *Store) { t.capacity = f }
}

// New gives the table of that name. It sends nothing.
func New(client *dynamodb.Client, table string, now func() time.Time, options ...Option) *Store {
	t := &Store{client: client, name: table, now: now, retryer: withContention(client.Options().Retryer)}
	for _, o := range options {
		o(t)
	}
	return t
}

// Close does nothing: the client belongs to who made it.
func (t *Store) Close() error { return nil }

// Get is one GetItem.
func (t *Store) Get(ctx context.Context, key store.Key, read store.Consistency) (store.Item, error) {
	if err := key.Validate(); err != nil {
		return store.Item{}, fmt.Errorf("get item: %w", err)
	}
	out, err := t.client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName:              &t.name,
		Key:                    keyOf(key),
		ConsistentRead:         aws.Bool(read == store.Strong),
		ReturnConsumedCapacity: t.requestCapacity(),
	}, t.withRetryer)
	if err != nil {
		return store.Item{}, fmt.Errorf("get item: %w", translate(err))
	}
	t.reportCapacity("GetItem", capacityOf(out.ConsumedCapacity))
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

// afterExpired is the least a page asks for once a page has held expired items:
// a long run of them is then passed over in few requests.
const afterExpired = 100

// Query follows the pages of the answer until it holds Limit live items or there are no more.
func (t *Store) Query(ctx context.Context, r store.Range) ([]store.Item, error) {
	if err := r.Validate(); err != nil {
		return nil, fmt.Errorf("query items: %w", err)
	}
	in := &dynamodb.QueryInput{
		TableName:                 &t.name,
		KeyConditionExpression:    aws.String(schema.Partition + " = :p"),
		ExpressionAttributeValues: attributes{":p": text(r.Partition)},
		ConsistentRead:            aws.Bool(r.Read == store.Strong),
		ReturnConsumedCapacity:    t.requestCapacity(),
	}
	if r.Prefix != "" {
		in.KeyConditionExpression = aws.String(schema.Partition + " = :p AND begins_with(" + schema.Sort + ", :s)")
		in.ExpressionAttributeValues[":s"] = text(r.Prefix)
	}
	// A start outside the prefix is not allowed: before it, it says nothing; behind it, nothing is left.
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
		t.reportCapacity("Query", capacityOf(out.ConsumedCapacity))
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

// requestCapacity asks for consumed capacity only where someone listens.
func (t *Store) requestCapacity() types.ReturnConsumedCapacity {
	if t.capacity == nil {
		return types.ReturnConsumedCapacityNone
	}
	return types.ReturnConsumedCapacityTotal
}

// reportCapacity reports what a request cost. Writes never read and reads never write.
func (t *Store) reportCapacity(op string, capacities ...types.ConsumedCapacity) {
	if t.capacity == nil {
		return
	}
	var units float64
	for _, c := range capacities {
		units += aws.ToFloat64(c.CapacityUnits)
	}
	if op == "GetItem" || op == "Query" || op == "Scan" {
		t.capacity(op, units, 0)
	} else {
		t.capacity(op, 0, units)
	}
}

// capacityOf is the capacity of a request that reports a single one, or none.
func capacityOf(c *types.ConsumedCapacity) types.ConsumedCapacity {
	if c == nil {
		return types.ConsumedCapacity{}
	}
	return *c
}
