package lambdaqueue

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/runtime/queue"
)

func TestAdapt(t *testing.T) {
	for _, c := range []struct {
		name, event string
		messages    []queue.Message
		answer      string
	}{
		{"two of three fail", `{"Records":[
			{"messageId":"a","body":"{\"origins\":[\"MIL\"]}","attributes":{"ApproximateReceiveCount":"1"},"eventSource":"aws:sqs"},
			{"messageId":"b","body":"x","attributes":{"ApproximateReceiveCount":"3"},"eventSource":"aws:sqs"},
			{"messageId":"c","body":"y","eventSource":"aws:sqs"}]}`,
			[]queue.Message{{ID: "a", Body: `{"origins":["MIL"]}`, Received: 1}, {ID: "b", Body: "x", Received: 3}, {ID: "c", Body: "y", Received: 1}},
			`{"batchItemFailures":[{"itemIdentifier":"b"},{"itemIdentifier":"c"}]}`},
		{"none fails", `{"Records":[{"messageId":"a","body":"x","attributes":{"ApproximateReceiveCount":"2"},"eventSource":"aws:sqs"}]}`,
			[]queue.Message{{ID: "a", Body: "x", Received: 2}}, `{"batchItemFailures":[]}`},
		{"of a schedule", `{"source":"aws.events"}`, nil, `"other"`},
		{"empty", `{}`, nil, `"other"`},
		{"no records", `{"Records":[]}`, nil, `"other"`},
		{"of something else", `{"Records":[{"eventSource":"aws:s3"}]}`, nil, `"other"`},
		{"no object", `[1]`, nil, `"other"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []queue.Message
			f := Adapt(func(_ context.Context, messages []queue.Message) (failed []string) {
				got = messages
				for _, m := range messages {
					if m.ID != "a" {
						failed = append(failed, m.ID)
					}
				}
				return failed
			}, func(_ context.Context, raw json.RawMessage) (any, error) {
				if string(raw) != c.event {
					return nil, errors.New("not the event")
				}
				return "other", nil
			})
			answer, err := f(t.Context(), json.RawMessage(c.event))
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(answer)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.messages, got); diff != "" || string(text) != c.answer {
				t.Errorf("answer %s, messages %s", text, diff)
			}
		})
	}
}
