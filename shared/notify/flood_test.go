package notify_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"verdetto/shared/carrier/mail"
)

type inTurn struct {
	mu      sync.Mutex
	carrier *carrier
}

func (o *inTurn) Send(ctx context.Context, m mail.Message) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.carrier.Send(ctx, m)
}

// The outbox holds 2,000 mails, and the carrier throttles all of them. Another mail, added at any
// time, is delayed by less than 1 minute. The throttled mails do not use up the hourly quota. Each
// refusal takes 80 ms, and 16 jobs run concurrently.
func TestAFloodOfFailingJobs(t *testing.T) {
	t.Parallel()
	const strangers, atOnce, inASecond = 2_000, 16, 16 * 1000 / 80
	b := newOutbox(t)
	b.AtOnce, b.Mail = atOnce, &inTurn{carrier: b.carrier}
	for n := range strangers {
		b.add(fmt.Sprintf("s%d@full.test", n))
	}
	b.clock.Add(time.Second)
	come := map[string]int{"before": 1, "during": strangers / 2, "after": strangers + 100} // at which attempt
	left := map[string]time.Time{}
	b.carrier.during = func() {
		for who, attempt := range come {
			if b.carrier.asked == attempt {
				left[who] = b.clock.Now()
				b.add(who + "@mail.test")
			}
		}
		if b.carrier.asked%inASecond == 0 {
			b.clock.Add(time.Second)
		}
	}
	b.carrier.refuses = func(m mail.Message) error {
		if strings.HasSuffix(m.To, "@full.test") {
			return fmt.Errorf("450 4.2.2: %w", mail.ErrThrottled)
		}
		return nil
	}
	for began := b.clock.Now(); len(b.carrier.taken) < len(come) &&
		b.clock.Now().Sub(began) < 3*time.Hour; b.clock.Add(time.Second) {
		if _, err := b.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for i, m := range b.carrier.taken {
		who, _, _ := strings.Cut(m.To, "@")
		waited := b.carrier.at[i].Sub(left[who])
		if t.Logf("%s: sent after %s", who, waited); waited >= time.Minute {
			t.Errorf("%s: sent after %s", who, waited)
		}
	}
	if len(b.carrier.taken) != len(come) {
		t.Errorf("%d of %d honest mails were sent; %d attempts", len(b.carrier.taken), len(come), b.carrier.asked)
	}
}
