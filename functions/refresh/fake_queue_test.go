package refresh_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"verdetto/shared/runtime/queue"
	"verdetto/shared/runtime/queue/queuetest"
)

type fakeQueue struct {
	visibility time.Duration
	receives   int
	now        func() time.Time

	mu       sync.Mutex
	sent     int
	messages []*delivery
	dead     []string
}

type delivery struct {
	queue.Message
	visible time.Time
}

func (q *fakeQueue) Send(ctx context.Context, messages ...string) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("send %d messages: %w", len(messages), err)
	}
	if err := queue.Validate(messages); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, body := range messages {
		q.sent++
		q.messages = append(q.messages, &delivery{Message: queue.Message{ID: strconv.Itoa(q.sent), Body: body}})
	}
	return nil
}

func (q *fakeQueue) receive(most int) (got []queue.Message) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.now()
	q.messages = slices.DeleteFunc(q.messages, func(d *delivery) bool {
		switch {
		case now.Before(d.visible) || len(got) == most:
			return false
		case d.Received == q.receives:
			q.dead = append(q.dead, d.Body)
			return true
		}
		d.Received++
		d.visible = now.Add(q.visibility)
		got = append(got, d.Message)
		return false
	})
	return got
}

func (q *fakeQueue) done(messages []queue.Message) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.messages = slices.DeleteFunc(q.messages, func(d *delivery) bool {
		return slices.ContainsFunc(messages, func(m queue.Message) bool { return m.ID == d.ID })
	})
}

func (q *fakeQueue) left() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.messages)
}

// killed is the panic value by which a handler imitates a killed process.
const killed = "killed"

func (q *fakeQueue) work(ctx context.Context, workers int, timeout time.Duration, handle queue.Handler) {
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for q.left() > 0 {
				if messages := q.receive(10); len(messages) > 0 {
					q.handOver(ctx, timeout, handle, messages)
				} else {
					select {
					case <-ctx.Done():
						return
					case <-time.After(time.Second):
					}
				}
			}
		})
	}
	all.Wait()
}

func (q *fakeQueue) handOver(ctx context.Context, timeout time.Duration, handle queue.Handler,
	messages []queue.Message) {
	defer func() {
		if v := recover(); v != nil && v != killed {
			panic(v)
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	failed := handle(ctx, messages)
	q.done(slices.DeleteFunc(slices.Clone(messages),
		func(m queue.Message) bool { return slices.Contains(failed, m.ID) }))
}

type box struct {
	*fakeQueue
	at *time.Time
}

func (b box) Receive(_ *testing.T, most int) []queue.Message { return b.receive(most) }
func (b box) Done(_ *testing.T, messages ...queue.Message)   { b.done(messages) }
func (b box) ExpireVisibility(*testing.T)                    { *b.at = b.at.Add(b.visibility) }
func (b box) Dead(*testing.T) []string                       { return b.dead }

func TestFakeQueue(t *testing.T) {
	queuetest.Run(t, func(*testing.T) queuetest.Harness {
		at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		return box{&fakeQueue{visibility: time.Minute, receives: queuetest.Receives,
			now: func() time.Time { return at }}, &at}
	})
}
