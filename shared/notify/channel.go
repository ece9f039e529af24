package notify

import (
	"context"
	"fmt"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/store"
)

// channel holds the rate limit and the failures of one delivery channel (such as mail) during one
// call of Sender.Work. A failing channel does not delay the others.
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
		c = &channel{name: name, pace: newPace(r.Sender)}
		r.channels[name] = c
	}
	return c
}

// channelOf returns the channel by which to notify an alert. If n is nil, the message says that the
// alert has ended, which the owner of a webhook gets by mail.
func channelOf(n *look, a store.Alert) string {
	if n == nil && a.Email != "" {
		return ""
	}
	return a.Channel
}

func (r *run) isShut(c *channel) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return c.shut
}

// close stops a channel for the rest of this call of Work.
func (r *run) close(c *channel, why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.shut(c, why)
}

// shut is like close, for callers that hold r.mu.
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

// countRefused counts a subscriber whose address refuses messages permanently, and stops the
// channel after maxInARow successive refusals.
func (r *run) countRefused(c *channel, about string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Refused++
	if c.refusedInARow++; c.refusedInARow >= maxInARow {
		r.shut(c, fmt.Errorf("notify of %s: %w for good to %d subscribers in a row", about, mail.ErrRefused, maxInARow))
	}
}

// countPostponed counts a message that waits for the next call of Work, and stops the channel after
// maxInARow successive postponements.
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
