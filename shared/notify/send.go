package notify

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"verdetto/shared/answer"
	"verdetto/shared/carrier/mail"
	"verdetto/shared/store"
)

// Sender sends stored news to subscribers. If recording a sent message fails, the message may be
// sent again.
//
// A lease lets one process send at a time, to keep the rate limit.
type Sender struct {
	Alerts        store.Alerts
	Notifications store.Notifications
	Mail          mail.Sender
	Carriers      map[string]Carrier
	Links         Links
	Answers       Answers
	Rate          float64 // messages per second on each channel, above 0
	Now           func() time.Time
	Sleep         func(context.Context, time.Duration) error
	Log           *slog.Logger
}

type Result struct {
	Sent      int  `json:"sent"`
	Refused   int  `json:"refused,omitempty"`
	Postponed int  `json:"postponed,omitempty"`
	Settled   int  `json:"told,omitempty"`
	Busy      bool `json:"busy,omitempty"`
	More      bool `json:"left,omitempty"`
}

const (
	pageSize  = 100
	leaseFor  = 3 * time.Minute
	maxFaults = 20
)

// Work starts no message if less time than reserve is left until the deadline of its context.
const reserve = 15 * time.Second

type run struct {
	*Sender
	answers *answer.Reader
	stop    context.CancelCauseFunc
	flight  chan struct{}

	mu       sync.Mutex
	lease    *store.Lease
	result   Result
	faults   []error
	channels map[string]*channel
}

func newRun(s *Sender, lease *store.Lease) *run {
	// If a message takes half a second, each place allows 2 messages per second.
	places := min(max(1, int(s.Rate/2)), 64)
	return &run{Sender: s, lease: lease, channels: map[string]*channel{}, flight: make(chan struct{}, places),
		answers: answer.NewUnrecorded(store.Fares{Table: s.Notifications.Table}, s.Now, s.Log)}
}

func (r *run) hold(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if r.lease.Remaining() > leaseFor/2 {
		return nil
	}
	return r.lease.Hold(ctx)
}

type batch struct {
	*run
	sending    sync.WaitGroup
	incomplete bool
}

func (b *batch) markIncomplete() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.incomplete = true
}

// send returns false if the channel is shut.
func (b *batch) send(ctx context.Context, by *channel, message func() (settled bool, err error)) bool {
	if b.isShut(by) {
		b.markIncomplete()
		return false
	}
	b.flight <- struct{}{}
	b.sending.Go(func() {
		defer func() { <-b.flight }()
		if ctx.Err() != nil {
			return
		}
		settled, err := message()
		if err != nil {
			b.stop(err)
		}
		if !settled {
			b.markIncomplete()
		}
	})
	return true
}

func (b *batch) wait(ctx context.Context) (settled bool, err error) {
	b.sending.Wait()
	return !b.incomplete, context.Cause(ctx)
}

func (r *run) fault(ctx context.Context, err error) {
	r.Log.ErrorContext(ctx, "an alert could not be judged or sent; the next run tries again", "error", err)
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.faults) < maxFaults {
		r.faults = append(r.faults, err)
	}
}

func (s *Sender) carrier(channel string) (Carrier, error) {
	if channel == "" {
		return byMail{s.Mail}, nil
	}
	if c := s.Carriers[channel]; c != nil {
		return c, nil
	}
	return nil, fmt.Errorf("%w: there is no carrier for %q here", ErrUnwritable, channel)
}

type channel struct {
	name string
	pace *pace
	// run.mu guards these counters and shut.
	postponedInARow, refusedInARow int
	shut                           bool
}

func (r *run) channel(name string) *channel {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.channels[name]
	if c == nil {
		c = &channel{name: name, pace: newPace(r.Rate, r.Now, r.Sleep)}
		r.channels[name] = c
	}
	return c
}

func (r *run) isShut(c *channel) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return c.shut
}

func (r *run) close(c *channel, why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.shut(c, why)
}

func (r *run) shut(c *channel, why error) {
	if !c.shut {
		c.shut, r.faults = true, append(r.faults, why)
	}
}

func (r *run) countSent(c *channel) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Sent++
	c.postponedInARow, c.refusedInARow = 0, 0
}

func (r *run) countRefused(c *channel, about string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Refused++
	if c.refusedInARow++; c.refusedInARow >= maxInARow {
		r.shut(c, fmt.Errorf("notify of %s: %w for good to %d subscribers in a row", about, mail.ErrRefused, maxInARow))
	}
}

func (r *run) countPostponed(ctx context.Context, c *channel, about string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Postponed++
	if c.postponedInARow++; c.postponedInARow < maxInARow {
		r.Log.WarnContext(ctx, "the carrier takes no message to one recipient now; it is tried again at the next run", "channel", c.name, "about", about)
		return
	}
	r.shut(c, fmt.Errorf("notify of %s: %w %d times over, for %d subscribers in a row", about, mail.ErrThrottled,
		tries, maxInARow))
}
