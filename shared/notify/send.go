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

// Sender sends stored news to subscribers. After a carrier accepts a message, one write records it;
// if that write fails, the message is sent again with the same ID.
//
// A lease ensures that only one process sends at a time, so that the rate limit holds. Work stops
// before the deadline of its context; the next call continues at the same page of subscribers. A
// channel that is blocked or fails repeatedly is not used until the next call.
type Sender struct {
	Alerts        store.Alerts
	Notifications store.Notifications
	Mail          mail.Sender
	Carriers      map[string]Carrier
	Links         Links
	Answers       Answers // judges the departure of a fare; nil: messages contain no such verdict
	Rate          float64 // messages per second on each channel, above 0
	Now           func() time.Time
	// Sleep waits for a time, or returns the error of the context if that ends first. If nil, the
	// system clock is used.
	Sleep func(context.Context, time.Duration) error
	Log   *slog.Logger
}

type Result struct {
	Sent      int  `json:"sent"`
	Refused   int  `json:"refused,omitempty"`   // subscribers who refused permanently and get no messages for a while
	Postponed int  `json:"postponed,omitempty"` // messages that the next call of Work retries
	Settled   int  `json:"told,omitempty"`      // stored news that needs no more messages
	Busy      bool `json:"busy,omitempty"`      // another process is sending
	More      bool `json:"left,omitempty"`      // there is more to send
}

const (
	pageSize = 100
	leaseFor = 3 * time.Minute
	// maxFaults limits the faults of alerts that Work returns, so that the error stays readable.
	maxFaults = 20
)

// reserve is the time before the deadline in which Work starts no new message.
const reserve = 15 * time.Second

type run struct {
	*Sender
	answers *answer.Reader
	stop    context.CancelCauseFunc
	flight  chan struct{} // one slot for each message that is being sent

	mu       sync.Mutex // guards the fields below
	lease    *store.Lease
	result   Result
	faults   []error
	channels map[string]*channel
}

func newRun(s *Sender, lease *store.Lease) *run {
	// If a message takes half a second, this many in progress use the whole rate, up to 128 per
	// second.
	places := min(max(1, int(s.Rate/2)), 64)
	return &run{Sender: s, lease: lease, channels: map[string]*channel{}, flight: make(chan struct{}, places),
		answers: answer.NewUnrecorded(store.Fares{Table: s.Notifications.Table}, s.Now, s.Log)}
}

// hold renews the lease unless more than half of its time is left, which is enough for one message.
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
	incomplete bool // a message must be sent by the next call of Work
}

func (b *batch) markIncomplete() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.incomplete = true
}

// send starts sending a message by a channel, as soon as the number of messages in progress allows.
// It returns false if the channel is stopped.
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
			b.stop(err) // stops this call of Work
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

// channel holds the rate limit and the failures of one channel (such as mail) during one call of
// Sender.Work.
type channel struct {
	name string // as in store.Alert; "" is mail
	pace *pace
	// Failures since the last message that was sent. run.mu guards these and shut.
	postponedInARow, refusedInARow int
	shut                           bool // the channel sends nothing more in this call of Work
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
