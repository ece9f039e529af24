// Package queuetest holds the test suite for implementations of package queue.
package queuetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/runtime/queue"
)

// Receives is the number of deliveries after which the suite expects a dead letter.
const Receives = 3

type Harness interface {
	queue.Queue
	Receive(t *testing.T, most int) []queue.Message
	Done(t *testing.T, messages ...queue.Message)
	// ExpireVisibility makes delivered messages that are not done visible again.
	ExpireVisibility(t *testing.T)
	Dead(t *testing.T) []string
}

// Each call of open must return an empty queue.
func Run(t *testing.T, open func(t *testing.T) Harness) {
	for _, c := range []struct {
		name string
		run  func(*testing.T, Harness)
	}{
		{"all that is sent is delivered", delivered},
		{"any text goes through unchanged", texts},
		{"what can never be sent is refused whole", invalid},
		{"a call that was given up is an error", givenUp},
		{"delivered is out of sight, done is gone", done},
		{"what is not done comes back, and is counted", comesBack},
		{"delivered too often is a dead letter", deadLetters},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, open(t)) })
	}
}

func send(t *testing.T, b Harness, messages ...string) {
	t.Helper()
	if err := b.Send(t.Context(), messages...); err != nil {
		t.Fatal(err)
	}
}

func drain(t *testing.T, b Harness) (all []queue.Message) {
	t.Helper()
	for range 1000 {
		some := b.Receive(t, 10)
		if len(some) > 10 {
			t.Fatalf("%d messages at once, want 10 at most", len(some))
		}
		if len(some) == 0 {
			return all
		}
		all = append(all, some...)
	}
	t.Fatal("the queue does not come to an end")
	return nil
}

func bodies(messages []queue.Message) []string {
	all := []string{}
	for _, m := range messages {
		all = append(all, m.Body)
	}
	slices.Sort(all)
	return all
}

func delivered(t *testing.T, b Harness) {
	send(t, b)
	if got := drain(t, b); len(got) > 0 {
		t.Errorf("of nothing sent, %d messages", len(got))
	}
	var want []string
	for i := range 47 {
		want = append(want, fmt.Sprintf("message %02d", i))
	}
	send(t, b, want...)
	got := drain(t, b)
	if diff := cmp.Diff(want, bodies(got)); diff != "" {
		t.Error(diff)
	}
	ids := map[string]bool{}
	for _, m := range got {
		ids[m.ID] = true
		if m.Received != 1 {
			t.Errorf("%s: delivered %d times", m.Body, m.Received)
		}
	}
	if len(ids) != len(want) {
		t.Errorf("%d ids for %d messages", len(ids), len(want))
	}
}

func texts(t *testing.T, b Harness) {
	want := []string{
		" ", "a\tb\r\nc", `{"origins":["MIL"],"a":"<&>\""}`, "Città di München – 東京 🛫",
		strings.Repeat("x", queue.MaxBody), strings.Repeat("è", queue.MaxBody/2),
	}
	for range 6 {
		want = append(want, strings.Repeat("y", queue.MaxBody))
	}
	send(t, b, want...)
	slices.Sort(want)
	if got := bodies(drain(t, b)); !slices.Equal(want, got) {
		t.Errorf("%d messages sent, %d delivered, and not the same", len(want), len(got))
	}
}

func invalid(t *testing.T, b Harness) {
	for _, bad := range []string{"", strings.Repeat("x", queue.MaxBody+1), "\xff", "a\x00b", "\x1b", "\ufffe"} {
		if err := b.Send(t.Context(), "good", bad, "good"); !errors.Is(err, queue.ErrInvalid) {
			t.Errorf("%.10q: error %v", bad, err)
		}
	}
	if got := drain(t, b); len(got) > 0 {
		t.Errorf("%d messages of refused calls", len(got))
	}
}

func givenUp(t *testing.T, b Harness) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.Send(ctx, "late"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func done(t *testing.T, b Harness) {
	send(t, b, "a", "b", "c")
	all := drain(t, b)
	if diff := cmp.Diff([]string{"a", "b", "c"}, bodies(all)); diff != "" {
		t.Fatal(diff)
	}
	b.Done(t, all...)
	b.ExpireVisibility(t)
	if got := drain(t, b); len(got) > 0 {
		t.Errorf("%v came back after it was done", bodies(got))
	}
}

func comesBack(t *testing.T, b Harness) {
	send(t, b, "a", "b")
	first := drain(t, b)
	at := slices.IndexFunc(first, func(m queue.Message) bool { return m.Body == "a" })
	if at < 0 || len(first) != 2 {
		t.Fatalf("delivered %v", bodies(first))
	}
	b.Done(t, first[1-at])
	b.ExpireVisibility(t)
	want := first[at]
	want.Received = 2
	if diff := cmp.Diff([]queue.Message{want}, drain(t, b)); diff != "" {
		t.Error(diff)
	}
}

func deadLetters(t *testing.T, b Harness) {
	send(t, b, "bad")
	for n := range Receives {
		got := drain(t, b)
		if len(got) != 1 || got[0].Received != n+1 {
			t.Fatalf("delivery %d: %+v", n+1, got)
		}
		if dead := b.Dead(t); len(dead) > 0 {
			t.Fatalf("after %d deliveries a dead letter: %v", n+1, dead)
		}
		b.ExpireVisibility(t)
	}
	if got := drain(t, b); len(got) > 0 {
		t.Errorf("delivered once more: %+v", got)
	}
	if diff := cmp.Diff([]string{"bad"}, b.Dead(t)); diff != "" {
		t.Errorf("dead letters: %s", diff)
	}
}
