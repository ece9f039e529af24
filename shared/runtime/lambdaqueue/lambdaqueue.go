// Package lambdaqueue connects SQS events of Lambda to queue.Handler. The answer names the failed messages, so that
// SQS delivers only those again (ReportBatchItemFailures).
package lambdaqueue

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/aws/aws-lambda-go/events"

	"verdetto/shared/runtime/queue"
)

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
			received = 1
		}
		messages[i] = queue.Message{ID: r.MessageId, Body: r.Body, Received: received, Receipt: r.ReceiptHandle}
	}
	return messages, true
}
