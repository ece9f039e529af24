package dynamostore

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"verdetto/shared/runtime/retry"
	"verdetto/shared/store"
	"verdetto/shared/store/dynamostore/schema"
)

var _ store.Whole = (*Store)(nil)

// segments is the number of segments of the table that Each reads in parallel.
const segments = 4

// Each implements store.Whole by a parallel scan of the table.
func (t *Store) Each(ctx context.Context, f func(store.Item) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var all sync.WaitGroup
	for segment := range int32(segments) {
		all.Go(func() {
			if err := t.scan(ctx, segment, f); err != nil {
				stop(err)
			}
		})
	}
	all.Wait()
	if err := context.Cause(ctx); err != nil {
		return fmt.Errorf("read all items: %w", err)
	}
	return nil
}

func (t *Store) scan(ctx context.Context, segment int32, f func(store.Item) error) error {
	in := &dynamodb.ScanInput{
		TableName: &t.name, ConsistentRead: aws.Bool(true),
		Segment: aws.Int32(segment), TotalSegments: aws.Int32(segments), ReturnConsumedCapacity: t.requestCapacity(),
	}
	for {
		var out *dynamodb.ScanOutput
		err := patiently(ctx, t.retryer.IsErrorRetryable, func() (left int, err error) {
			out, err = t.client.Scan(ctx, in, t.withRetryer)
			return 0, err
		})
		if err != nil {
			return err
		}
		t.reportCapacity("Scan", capacityOf(out.ConsumedCapacity))
		now := t.now()
		for _, got := range out.Items {
			item, err := decode(got)
			if err != nil {
				return err
			}
			if item.Expired(now) {
				continue
			}
			if err := f(item); err != nil {
				return err
			}
		}
		if len(out.LastEvaluatedKey) == 0 {
			return nil
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
	}
}

// mostInBatch is the maximum number of items that DynamoDB accepts in one batch. 25 items of the
// largest size are below its other limit of 16 MB.
const mostInBatch = 25

// Place implements store.Whole by batches of writes. DynamoDB may leave some writes of a batch
// unprocessed; Place sends these again.
func (t *Store) Place(ctx context.Context, items []store.Item, deleted []store.Key) error {
	writer := rand.Text()
	var requests []types.WriteRequest
	for _, i := range items {
		requests = append(requests, types.WriteRequest{PutRequest: &types.PutRequest{Item: asItIs(i, writer)}})
	}
	for _, k := range deleted {
		requests = append(requests, types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: keyOf(k)}})
	}
	for len(requests) > 0 {
		n := min(len(requests), mostInBatch)
		if err := t.placeBatch(ctx, requests[:n]); err != nil {
			return fmt.Errorf("place items: %w", err)
		}
		requests = requests[n:]
	}
	return nil
}

// asItIs returns the attributes of an item, with the item's own version. Data of 8 bytes is stored
// as a count. Reads return the same 8 bytes, and Take can continue the counter.
func asItIs(i store.Item, writer string) attributes {
	a := encode(i, i.Version, writer)
	if count, ok := i.Count(); ok {
		delete(a, schema.Data)
		a[schema.Taken] = number(count)
	}
	return a
}

func (t *Store) placeBatch(ctx context.Context, requests []types.WriteRequest) error {
	return patiently(ctx, t.retryer.IsErrorRetryable, func() (left int, err error) {
		out, err := t.client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{
			RequestItems: map[string][]types.WriteRequest{t.name: requests}, ReturnConsumedCapacity: t.requestCapacity(),
		}, t.withRetryer)
		if err != nil {
			return len(requests), err
		}
		t.reportCapacity("BatchWriteItem", out.ConsumedCapacity...)
		requests = out.UnprocessedItems[t.name]
		return len(requests), nil
	})
}

// mostInVain is the maximum number of successive retries without progress. The SDK retries too. A
// table that is billed per request needs minutes to adapt to a sudden load.
const mostInVain = 20 // in a row

var waits = retry.Backoff{First: 50 * time.Millisecond, Longest: 20 * time.Second}

// patiently repeats a request until nothing is left to send. request returns the number of items
// left. The wait grows after each try without progress.
func patiently(ctx context.Context, passing func(error) bool, request func() (left int, err error)) error {
	for before, inVain := -1, 0; ; {
		left, err := request()
		switch {
		case err == nil && left == 0:
			return nil
		case err != nil && !passing(err):
			return translate(err)
		case before >= 0 && left < before:
			inVain = 0
		default:
			inVain++
		}
		before = left
		if inVain == mostInVain {
			if err == nil {
				return fmt.Errorf("%w: %d items were not taken at any of %d tries", store.ErrUnavailable, left, inVain)
			}
			return translate(err)
		}
		if retry.Sleep(ctx, waits.Jittered(inVain+1)) != nil {
			return fmt.Errorf("%w: %w", store.ErrUnavailable, context.Cause(ctx))
		}
	}
}
