// Package lambdaqueue stands between Lambda's events and queues: it turns an event
// of SQS into messages, lets a queue.Handler work them, and answers which of them
// failed, so that only those come back (ReportBatchItemFailures). Handlers do not
// know where they run.
package lambdaqueue

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/aws/aws-lambda-go/events"

	"verdetto/shared/runtime/queue"
)

// Adapt makes the function that the Lambda runtime calls: events of a queue go to
// handle, all others to other.
func Adapt(handle queue.Handler, other func(context.Context, json.RawMessage) (any, error)) func(context.Context,
	json.RawMessage) (any, error) {
	return func(ctx context.Context, raw json.RawMessage) (any, error) {
		messages, ok := Messages(raw)
		if !ok {
			return other(ctx, raw)
		}
		answer := events.SQSEventResponse{BatchItemFailures: []events.SQSBatchItemFailure{}}
		for _, id := range handle(ctx, messages) {
			answer.BatchItemFailures = append(answer.BatchItemFailures, events.SQSBatchItemFailure{ItemIdentifier: id})
		}
		return answer, nil
	}
}

// Messages reads an event of SQS, or says that it is none.
func Messages(raw json.RawMessage) ([]queue.Message, bool) {
	var event events.SQSEvent
	if err := json.Unmarshal(raw, &event); err != nil || len(event.Records) == 0 {
		return nil, false
	}
	messages := make([]queue.Message, len(event.Records))
	for i, r := range event.Records {
		if r.EventSource != "aws:sqs" {
			return nil, false
		}
		received, err := strconv.Atoi(r.Attributes["ApproximateReceiveCount"])
		if err != nil {
			received = 1 // it has been, or we would not see it
		}
		messages[i] = queue.Message{ID: r.MessageId, Body: r.Body, Received: received}
	}
	return messages, true
}
