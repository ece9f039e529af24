package notify

import (
	"context"
	"fmt"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/store"
)

// channel holds the state of one delivery channel (such as mail) during one call of Sender.Work:
// its rate limit and its failures. A failing channel does not delay the other channels.
type channel struct {
	name string // as in store.Alert; "" is mail
	pace *pace
	// postponedInARow and refusedInARow count failures since the last message that was sent. run.mu
	// guards postponedInARow, refusedInARow and shut.
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
// alert has ended. The owner of a webhook gets that message by mail.
func channelOf(n *look, a store.Alert) string {
	if n == nil && a.Email != "" {
		return ""
	}
	return a.Channel
}

// isShut reports whether a channel is stopped for the rest of this call of Work.
func (r *run) isShut(c *channel) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return c.shut
}

// close stops a channel for the rest of this call of Work. The next call of Work uses the channel
// again.
func (r *run) close(c *channel, why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.shut(c, why)
}

// shut does the same as close, for callers that hold r.mu.
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

// countRefused counts a subscriber whose address refuses messages permanently. After maxInARow
// successive refusals, it stops the channel.
func (r *run) countRefused(c *channel, about string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Refused++
	if c.refusedInARow++; c.refusedInARow >= maxInARow {
		r.shut(c, fmt.Errorf("notify of %s: %w for good to %d subscribers in a row", about, mail.ErrRefused, maxInARow))
	}
}

// countPostponed counts a message that waits for the next call of Work. After maxInARow successive
// postponements, it stops the channel.
func (r *run) countPostponed(ctx context.Context, c *channel, about string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Postponed++
	if c.postponedInARow++; c.postponedInARow < maxInARow {
		r.Log.WarnContext(ctx, "message postponed", "channel", c.name, "about", about)
		return
	}
	r.shut(c, fmt.Errorf("notify of %s: %w %d times over, for %d subscribers in a row", about, mail.ErrThrottled,
		tries, maxInARow))
}
