package dynamostore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"verdetto/shared/runtime/awscall"
	"verdetto/shared/runtime/retry"
	"verdetto/shared/store"
	"verdetto/shared/store/dynamostore/schema"
)

var _ store.Whole = (*Store)(nil)

func (t *Store) Scan(ctx context.Context, after store.Key) (page []store.Item, next store.Key, err error) {
	in := &dynamodb.ScanInput{TableName: &t.name, ConsistentRead: aws.Bool(true)}
	if after != (store.Key{}) {
		in.ExclusiveStartKey = keyOf(after)
	}
	var out *dynamodb.ScanOutput
	err = t.patiently(ctx, func() (err error) {
		out, err = t.client.Scan(ctx, in, t.withRetryer)
		return err
	})
	if err != nil {
		return nil, next, translate(err)
	}
	now := t.now()
	for _, got := range out.Items {
		item, err := decode(got)
		if err != nil {
			return nil, next, err
		}
		if !item.Expired(now) {
			page = append(page, item)
		}
	}
	if len(out.LastEvaluatedKey) > 0 {
		next, err = decodeKey(out.LastEvaluatedKey)
	}
	return page, next, err
}

const placers = 16

func (t *Store) Place(ctx context.Context, items []store.Item) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	queue, writer := make(chan store.Item), rand.Text()
	var all sync.WaitGroup
	for range placers {
		all.Go(func() {
			for i := range queue {
				if err := t.place(ctx, i, writer); err != nil {
					stop(err)
				}
			}
		})
	}
	for _, i := range items {
		select {
		case queue <- i:
		case <-ctx.Done():
		}
	}
	close(queue)
	all.Wait()
	if err := context.Cause(ctx); err != nil {
		return fmt.Errorf("place items: %w", err)
	}
	return nil
}

func (t *Store) place(ctx context.Context, i store.Item, writer string) error {
	put := types.TransactWriteItem{Put: &types.Put{Item: asItIs(i, writer),
		ConditionExpression: aws.String(noItem + " OR " + schema.Version + " = :version"),
		ExpressionAttributeValues: attributes{
			":now": number(t.now().Unix()), ":version": number(i.Version),
		}}}
	err := t.patiently(ctx, func() error { return t.send(ctx, put, new(awscall.Tries)) })
	var failed *types.ConditionalCheckFailedException
	switch {
	case err == nil:
		return nil
	case errors.As(err, &failed):
		return fmt.Errorf("%s/%s: %w", i.Partition, i.Sort, store.ErrConflict)
	}
	return translate(err)
}

// asItIs stores data of 8 bytes as a count, so that Take can continue the counter.
func asItIs(i store.Item, writer string) attributes {
	a := encode(i, i.Version, writer)
	if count, ok := i.Count(); ok {
		delete(a, schema.Data)
		a[schema.Taken] = number(count)
	}
	return a
}

// mostInVain is high, because a table billed per request needs minutes to adapt to a sudden load.
const mostInVain = 20

var waits = retry.Backoff{First: 50 * time.Millisecond, Longest: 20 * time.Second}

func (t *Store) patiently(ctx context.Context, request func() error) error {
	for try := 1; ; try++ {
		err := request()
		if err == nil || try == mostInVain || !t.retryer.IsErrorRetryable(err) {
			return err
		}
		if retry.Sleep(ctx, waits.Jittered(try+1)) != nil {
			return context.Cause(ctx)
		}
	}
}
