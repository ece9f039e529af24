package notify_test

import (
	"fmt"
	"testing"
	"time"
)

func TestCeilingOfConfirmations(t *testing.T) {
	b := newOutbox(t)
	b.clock.Add(time.Minute)
	for range 8 {
		b.add("early@example.com")
	}
	b.clock.Add(time.Second)
	for n := range 1000 {
		b.add(fmt.Sprintf("a%d@example.com", n))
	}
	b.clock.Add(time.Second)
	for range 8 {
		b.add("late@example.com")
	}
	b.clock.Add(time.Second)
	b.add("last@example.com")
	late := func() (n int) {
		for _, m := range b.carrier.taken {
			if m.To == "late@example.com" {
				n++
			}
		}
		return n
	}
	sendAll := func() {
		for {
			if done, err := b.Work(t.Context()); err != nil {
				t.Fatal(err)
			} else if done == 0 {
				return
			}
		}
	}
	sendAll()
	if len(b.carrier.taken) != 1000 || late() != 0 {
		t.Fatalf("%d mails were sent in the hour, %d of them late", len(b.carrier.taken), late())
	}
	for range 5 {
		if err := b.work(); err != nil || b.carrier.asked != 1000 {
			t.Fatalf("the carrier was asked %d times, %v", b.carrier.asked, err)
		}
	}
	b.clock.Add(time.Hour)
	sendAll()
	if len(b.carrier.taken) != 1013 || late() != 6 {
		t.Errorf("%d mails in all, %d of them to a mailbox that gets six", len(b.carrier.taken), late())
	}
}
