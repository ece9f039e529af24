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

	"verdetto/shared/runtime/awscall"
	"verdetto/shared/store"
	"verdetto/shared/store/dynamostore/schema"
)

const takeTries = 4

func (t *Store) Take(ctx context.Context, key store.Key, n, limit int64, expires time.Time) (int64, error) {
	err := store.ValidateTake(key, n)
	if err == nil && limit <= 0 {
		err = store.ErrLimit
	}
	var count int64
	if err == nil {
		count, err = t.take(ctx, key, n, limit, expires)
	}
	if err != nil {
		return 0, fmt.Errorf("take from counter: %w", err)
	}
	return count, nil
}

func (t *Store) take(ctx context.Context, key store.Key, n, limit int64, expires time.Time) (int64, error) {
	writer := rand.Text()
	for range takeTries {
		count, err := t.count(ctx, key, n, limit, expires, writer)
		if err == nil {
			return count, nil
		}
		found := itemFound(err)
		switch {
		case found == nil:
			return 0, translate(err)
		case writtenBy(found, writer):
			return integer(found, schema.Taken)
		}
		if until, err := integer(found, schema.Expires); err == nil && until > t.now().Unix() {
			return 0, store.ErrLimit
		}
		if err = t.begin(ctx, key, n, expires, writer); err == nil || writtenBy(itemFound(err), writer) {
			return n, nil
		}
		if itemFound(err) == nil {
			return 0, translate(err)
		}
	}
	return 0, fmt.Errorf("%w: others keep beginning it", store.ErrUnavailable)
}

func (t *Store) count(
	ctx context.Context, key store.Key, n, limit int64, expires time.Time, writer string,
) (int64, error) {
	out, err := t.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &t.name, Key: keyOf(key),
		UpdateExpression: aws.String("SET " + schema.Expires + " = if_not_exists(" + schema.Expires + ", :expires), " +
			schema.Writer + " = :writer ADD " + schema.Taken + " :n, " + schema.Version + " :one"),
		ConditionExpression: aws.String("(attribute_not_exists(" + schema.Partition + ") OR (" + schema.Expires +
			" > :now AND (attribute_not_exists(" + schema.Taken + ") OR " + schema.Taken + " < :limit))) AND " +
			notYet),
		ExpressionAttributeValues: attributes{":expires": number(expiry(expires)), ":writer": text(writer),
			":n": number(n), ":one": number(1), ":now": number(t.now().Unix()), ":limit": number(limit)},
		ReturnValues:                        types.ReturnValueUpdatedNew,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}, t.withRetryer)
	if err != nil {
		return 0, err
	}
	return integer(out.Attributes, schema.Taken)
}

func (t *Store) begin(ctx context.Context, key store.Key, n int64, expires time.Time, writer string) error {
	create := t.request(store.Op{Mode: store.Create, Item: store.Item{Key: key, Expires: expires}}, writer)
	create.Put.Item[schema.Taken] = number(n)
	return t.send(ctx, create, new(awscall.Tries))
}

func itemFound(err error) attributes {
	var failed *types.ConditionalCheckFailedException
	if errors.As(err, &failed) {
		return failed.Item
	}
	return nil
}
