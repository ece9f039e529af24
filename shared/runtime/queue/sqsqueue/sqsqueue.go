// Package sqsqueue sends messages to Amazon SQS in batches of at most ten.
package sqsqueue

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"verdetto/shared/runtime/queue"
	"verdetto/shared/runtime/retry"
)

const (
	batchMessages = 10
	batchBytes    = 256 << 10
	tries         = 4
)

var waits = retry.Backoff{First: 100 * time.Millisecond, Longest: time.Second}

type Queue struct {
	client *sqs.Client
	url    string
}

var _ interface {
	queue.Queue
	queue.Postponer
} = (*Queue)(nil)

func New(client *sqs.Client, url string) *Queue { return &Queue{client, url} }

func (q *Queue) Send(ctx context.Context, messages ...string) error {
	if err := queue.Validate(messages); err != nil {
		return err
	}
	var faults []error
	for len(messages) > 0 {
		n, size := 0, 0
		for n < min(len(messages), batchMessages) && (n == 0 || size+len(messages[n]) <= batchBytes) {
			size += len(messages[n])
			n++
		}
		if err := q.batch(ctx, messages[:n]); err != nil {
			faults = append(faults, err)
			if ctx.Err() != nil {
				break // the other batches would fail too
			}
		}
		messages = messages[n:]
	}
	if err := errors.Join(faults...); err != nil {
		return fmt.Errorf("send to queue: %w", err)
	}
	return nil
}

// SQS accepts a wait of at most 12 hours.
func (q *Queue) Postpone(ctx context.Context, m queue.Message, wait time.Duration) error {
	_, err := q.client.ChangeMessageVisibility(ctx, &sqs.ChangeMessageVisibilityInput{QueueUrl: aws.String(q.url),
		ReceiptHandle: aws.String(m.Receipt), VisibilityTimeout: int32(wait.Seconds())})
	if err != nil {
		return fmt.Errorf("postpone message: %w", err)
	}
	return nil
}

func (q *Queue) batch(ctx context.Context, messages []string) error {
	entries := make([]types.SendMessageBatchRequestEntry, len(messages))
	for i, m := range messages {
		entries[i] = types.SendMessageBatchRequestEntry{Id: aws.String(strconv.Itoa(i)), MessageBody: aws.String(m)}
	}
	var final []error
	for try := 1; ; try++ {
		out, err := q.client.SendMessageBatch(ctx, &sqs.SendMessageBatchInput{QueueUrl: aws.String(q.url), Entries: entries})
		if err != nil {
			return errors.Join(append(final, err)...) // the client has retried already
		}
		var again []types.SendMessageBatchRequestEntry
		var refused []error
		for _, f := range out.Failed {
			err := fmt.Errorf("%s: %s", aws.ToString(f.Code), aws.ToString(f.Message))
			i, wrong := strconv.Atoi(aws.ToString(f.Id))
			if f.SenderFault || wrong != nil || i < 0 || i >= len(messages) {
				final = append(final, err)
				continue
			}
			refused = append(refused, err)
			again = append(again, types.SendMessageBatchRequestEntry{Id: f.Id, MessageBody: aws.String(messages[i])})
		}
		if len(again) == 0 {
			return errors.Join(final...)
		}
		if try == tries {
			return fmt.Errorf("after %d tries: %w", try, errors.Join(append(final, refused...)...))
		}
		if err := retry.Sleep(ctx, waits.After(try)); err != nil {
			return errors.Join(append(final, err)...)
		}
		entries = again
	}
}
