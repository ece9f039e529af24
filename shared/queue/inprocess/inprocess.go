// Package inprocess is a queue within one process: for the service on a desk, and
// for tests of what queues do to their workers. It behaves as SQS does where that
// matters: a delivered message is out of sight for a while and comes back unless
// it was done, and after so many deliveries it is a dead letter.
//
// It keeps nothing: what is on the queue when the process ends is gone.
package inprocess

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"verdetto/shared/queue"
)

// Config is how a queue behaves; the zero value has defaults.
type Config struct {
	Visibility time.Duration    // how long a delivered message is out of sight; 30 seconds
	Receives   int              // so many deliveries, then it is a dead letter; 3
	Now        func() time.Time // time.Now
}

// Queue is a queue in memory. It is safe for concurrent use.
type Queue struct {
	config Config

	mu       sync.Mutex
	last     int
	messages []*message    // in the order sent
	dead     []string      // bodies
	changed  chan struct{} // closed, and made anew, when there is more to see
}

type message struct {
	queue.Message
	visible time.Time // not to be delivered before
}

var _ queue.Queue = (*Queue)(nil)

// New makes an empty queue.
func New(c Config) *Queue {
	c.Visibility = cmp.Or(c.Visibility, 30*time.Second)
	c.Receives = cmp.Or(c.Receives, 3)
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Queue{config: c, changed: make(chan struct{})}
}

// Send implements queue.Queue.
func (q *Queue) Send(ctx context.Context, messages ...string) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("send %d messages: %w", len(messages), err)
	}
	if err := queue.Validate(messages); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, body := range messages {
		q.last++
		q.messages = append(q.messages, &message{Message: queue.Message{ID: strconv.Itoa(q.last), Body: body}})
	}
	q.wake()
	return nil
}

func (q *Queue) wake() {
	close(q.changed)
	q.changed = make(chan struct{})
}

// Receive delivers up to so many messages that are in sight, none if there are none.
func (q *Queue) Receive(most int) []queue.Message {
	got, _, _ := q.receive(most)
	return got
}

// receive also says what to wait for where there is nothing: a change, or the
// moment at which the next message comes into sight (zero: none is on its way).
func (q *Queue) receive(most int) (got []queue.Message, changed <-chan struct{}, next time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.config.Now()
	q.messages = slices.DeleteFunc(q.messages, func(m *message) bool {
		switch {
		case now.Before(m.visible):
			if next.IsZero() || m.visible.Before(next) {
				next = m.visible
			}
		case m.Received >= q.config.Receives:
			q.dead = append(q.dead, m.Body)
			return true
		case len(got) < most:
			m.Received++
			m.visible = now.Add(q.config.Visibility)
			got = append(got, m.Message)
		}
		return false
	})
	return got, q.changed, next
}

// Done takes messages off the queue.
func (q *Queue) Done(ids ...string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.messages = slices.DeleteFunc(q.messages, func(m *message) bool { return slices.Contains(ids, m.ID) })
	q.wake()
}

// Left says how many messages are on the queue, in sight or not.
func (q *Queue) Left() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.messages)
}

// Dead gives the bodies of the dead letters.
func (q *Queue) Dead() []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Clone(q.dead)
}
