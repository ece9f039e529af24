package dynamostore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"verdetto/shared/store"
	"verdetto/shared/store/dynamostore/schema"
)

// takeTries is how often Take changes between counting and beginning again. They
// alternate only where others begin and expire the same counter at the same moment.
const takeTries = 4

// Take is one conditional update. Only where the counter has expired and DynamoDB
// has not deleted it yet is a second write needed, since an expression cannot
// begin a number again.
func (t *Store) Take(ctx context.Context, key store.Key, n, limit int64, expires time.Time) (int64, error) {
	if err := key.Validate(); err != nil {
		return 0, fmt.Errorf("take from counter: %w", err)
	}
	if n < 1 {
		return 0, fmt.Errorf("take from counter: %w: take %d", store.ErrInvalid, n)
	}
	if limit <= 0 {
		return 0, fmt.Errorf("take from counter: %w", store.ErrLimit)
	}
	writer := rand.Text()
	for range takeTries {
		count, found, err := t.count(ctx, key, n, limit, expires, writer)
		if err == nil {
			return count, nil
		}
		if found == nil {
			return 0, fmt.Errorf("take from counter: %w", translate(err))
		}
		if writtenBy(found, writer) {
			return t.taken(found)
		}
		if until, err := integer(found, schema.Expires); err == nil && until > t.now().Unix() {
			return 0, fmt.Errorf("take from counter: %w", store.ErrLimit)
		}
		found, err = t.begin(ctx, key, n, expires, writer)
		if err == nil {
			return n, nil
		}
		if found == nil {
			return 0, fmt.Errorf("take from counter: %w", translate(err))
		}
		if writtenBy(found, writer) {
			return t.taken(found)
		}
	}
	return 0, fmt.Errorf("take from counter: %w: others keep beginning it", store.ErrUnavailable)
}

func (t *Store) taken(a attributes) (int64, error) {
	n, err := integer(a, schema.Taken)
	if err != nil {
		return 0, fmt.Errorf("take from counter: %w", err)
	}
	return n, nil
}

// count adds n to a counter that is absent, or live and below the limit. Where
// it cannot, it gives the item it found, and a nil item where the request failed.
func (t *Store) count(ctx context.Context, key store.Key, n, limit int64, expires time.Time, writer string) (int64, attributes, error) {
	out, err := t.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &t.name, Key: keyOf(key),
		UpdateExpression: aws.String("SET " + schema.Expires + " = if_not_exists(" + schema.Expires + ", :expires), " +
			schema.Writer + " = :writer ADD " + schema.Taken + " :n, " + schema.Version + " :one"),
		ConditionExpression: aws.String("(attribute_not_exists(" + schema.Partition + ") OR (" + schema.Expires + " > :now AND (attribute_not_exists(" +
			schema.Taken + ") OR " + schema.Taken + " < :limit))) AND " + notYet),
		ExpressionAttributeValues: attributes{":expires": number(expiry(expires)), ":writer": text(writer),
			":n": number(n), ":one": number(1), ":now": number(t.now().Unix()), ":limit": number(limit)},
		ReturnValues:                        types.ReturnValueUpdatedNew,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		ReturnConsumedCapacity:              t.requestCapacity(),
	}, t.withRetryer)
	if err != nil {
		return 0, itemFound(err), err
	}
	t.reportCapacity("UpdateItem", capacityOf(out.ConsumedCapacity))
	count, err := t.taken(out.Attributes)
	return count, nil, err
}

// begin puts a counter at n where none is or an expired one.
func (t *Store) begin(ctx context.Context, key store.Key, n int64, expires time.Time, writer string) (attributes, error) {
	counter := encode(store.Item{Key: key, Expires: expires}, 1, writer)
	counter[schema.Taken] = number(n)
	out, err := t.client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: &t.name, Item: counter,
		ConditionExpression:                 aws.String(noItem),
		ExpressionAttributeValues:           attributes{":now": number(t.now().Unix())},
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		ReturnConsumedCapacity:              t.requestCapacity(),
	}, t.withRetryer)
	if err != nil {
		return itemFound(err), err
	}
	t.reportCapacity("PutItem", capacityOf(out.ConsumedCapacity))
	return nil, nil
}

// itemFound gives the item on which a condition failed.
func itemFound(err error) attributes {
	var failed *types.ConditionalCheckFailedException
	if errors.As(err, &failed) {
		return failed.Item
	}
	return nil
}
