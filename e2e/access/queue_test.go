package access

import "context"

// line is a queue that only stores the messages sent to it.
type line struct{ messages []string }

func (q *line) Send(_ context.Context, bodies ...string) error {
	q.messages = append(q.messages, bodies...)
	return nil
}
