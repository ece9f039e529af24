package dynamostore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"verdetto/shared/runtime/awscall"
	"verdetto/shared/store"
	"verdetto/shared/store/dynamostore/schema"
)

// maxTransaction is DynamoDB's limit in bytes.
const maxTransaction = 4 << 20

func (t *Store) Write(ctx context.Context, ops ...store.Op) error {
	if err := store.Validate(ops); err != nil {
		return fmt.Errorf("write items: %w", err)
	}
	var err error
	switch {
	case len(ops) > 1:
		err = t.transact(ctx, ops)
	case ops[0].Mode == store.Check:
		err = t.check(ctx, ops[0])
	default:
		err = t.write(ctx, ops[0])
	}
	if err != nil {
		return fmt.Errorf("write items: %w", err)
	}
	return nil
}

func (t *Store) write(ctx context.Context, op store.Op) error {
	writer := rand.Text()
	var tries awscall.Tries
	err := t.send(ctx, t.request(op, writer), &tries)
	var failed *types.ConditionalCheckFailedException
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &failed):
		return translate(err)
	case writtenBy(failed.Item, writer):
		return nil
	case tries.Ambiguous:
		return fmt.Errorf("%w: answer lost: %w", store.ErrUnavailable, err)
	}
	return refusal(op.Mode)
}

// check sends a strong read, which is cheaper than a transaction with a condition check.
func (t *Store) check(ctx context.Context, op store.Op) error {
	item, err := t.Get(ctx, op.Item.Key, store.Strong)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	return op.Refuses(item)
}

func (t *Store) transact(ctx context.Context, ops []store.Op) error {
	writer := rand.Text()
	in := &dynamodb.TransactWriteItemsInput{ClientRequestToken: aws.String(writer)}
	size := 0
	for _, op := range ops {
		const overhead = 100
		size += len(op.Item.Partition) + len(op.Item.Sort) + len(op.Item.Data) + overhead
		in.TransactItems = append(in.TransactItems, t.request(op, writer))
	}
	if size > maxTransaction {
		return fmt.Errorf("%w: a transaction of %d bytes", store.ErrTooLarge, size)
	}
	_, err := t.client.TransactWriteItems(ctx, in, t.withRetryer)
	if err == nil {
		return nil
	}
	var cancelled *types.TransactionCanceledException
	if errors.As(err, &cancelled) {
		for i, reason := range cancelled.CancellationReasons {
			if aws.ToString(reason.Code) == "ConditionalCheckFailed" && i < len(ops) {
				return refusal(ops[i].Mode)
			}
		}
	}
	return translate(err)
}

func refusal(mode store.Mode) error {
	if mode == store.Create {
		return store.ErrExists
	}
	return store.ErrConflict
}

// In the conditions below, :now is in Unix seconds.
const (
	noItem   = "(attribute_not_exists(" + schema.Partition + ") OR " + schema.Expires + " <= :now)"
	sameItem = "(" + schema.Version + " = :version AND " + schema.Expires + " > :now)"
	notYet   = "(attribute_not_exists(" + schema.Writer + ") OR " + schema.Writer + " <> :writer)"
)

func (t *Store) request(op store.Op, writer string) types.TransactWriteItem {
	now := number(t.now().Unix())
	same := attributes{":version": number(op.Item.Version), ":now": now}
	none := attributes{":now": now}
	switch op.Mode {
	case store.Create:
		return types.TransactWriteItem{Put: &types.Put{TableName: &t.name, Item: encode(op.Item, 1, writer),
			ConditionExpression: aws.String(noItem), ExpressionAttributeValues: none}}
	case store.Replace:
		return types.TransactWriteItem{Put: &types.Put{TableName: &t.name, Item: encode(
			op.Item, op.Item.Version+1, writer,
		),
			ConditionExpression: aws.String(sameItem), ExpressionAttributeValues: same}}
	case store.Delete:
		return types.TransactWriteItem{Delete: &types.Delete{TableName: &t.name, Key: keyOf(op.Item.Key)}}
	case store.Remove:
		return types.TransactWriteItem{Delete: &types.Delete{TableName: &t.name, Key: keyOf(op.Item.Key),
			ConditionExpression: aws.String(sameItem), ExpressionAttributeValues: same}}
	case store.Check:
		c := &types.ConditionCheck{TableName: &t.name, Key: keyOf(op.Item.Key),
			ConditionExpression: aws.String(sameItem), ExpressionAttributeValues: same}
		if op.Item.Version == 0 {
			c.ConditionExpression, c.ExpressionAttributeValues = aws.String(noItem), none
		}
		return types.TransactWriteItem{ConditionCheck: c}
	default:
		return types.TransactWriteItem{Update: t.set(op.Item, writer)}
	}
}

// set returns an update, because only an update can increase a version that is not known.
func (t *Store) set(item store.Item, writer string) *types.Update {
	set := "SET " + schema.Expires + " = :expires, " + schema.Writer + " = :writer"
	remove := " REMOVE " + schema.Taken
	values := attributes{":expires": number(expiry(item.Expires)), ":writer": text(writer), ":one": number(1)}
	if len(item.Data) > 0 {
		set += ", " + schema.Data + " = :data"
		values[":data"] = &types.AttributeValueMemberB{Value: item.Data}
	} else {
		remove += ", " + schema.Data
	}
	return &types.Update{TableName: &t.name, Key: keyOf(item.Key),
		UpdateExpression:          aws.String(set + remove + " ADD " + schema.Version + " :one"),
		ConditionExpression:       aws.String(notYet),
		ExpressionAttributeValues: values,
	}
}

func (t *Store) send(ctx context.Context, w types.TransactWriteItem, tries *awscall.Tries) error {
	const old = types.ReturnValuesOnConditionCheckFailureAllOld
	options := func(o *dynamodb.Options) { o.Retryer, o.APIOptions = t.retryer, tries.Observe(o.APIOptions) }
	var err error
	switch {
	case w.Put != nil:
		_, err = t.client.PutItem(ctx, &dynamodb.PutItemInput{TableName: &t.name, Item: w.Put.Item,
			ConditionExpression: w.Put.ConditionExpression, ExpressionAttributeValues: w.Put.ExpressionAttributeValues,
			ReturnValuesOnConditionCheckFailure: old}, options)
	case w.Update != nil:
		_, err = t.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{TableName: &t.name, Key: w.Update.Key,
			UpdateExpression:    w.Update.UpdateExpression,
			ConditionExpression: w.Update.ConditionExpression, ExpressionAttributeValues: w.Update.ExpressionAttributeValues,
			ReturnValuesOnConditionCheckFailure: old}, options)
	default:
		_, err = t.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &t.name, Key: w.Delete.Key,
			ConditionExpression: w.Delete.ConditionExpression, ExpressionAttributeValues: w.Delete.ExpressionAttributeValues,
			ReturnValuesOnConditionCheckFailure: old}, options)
	}
	return err
}
