package notify

import (
	"context"
	"fmt"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/store"
)

// channel holds the pace and the failures of one delivery channel during one Work. Channels are
// independent: a failing channel does not delay the others.
type channel struct {
	name string // as in store; "" is mail
	pace *pace
	// Consecutive failures since the last message sent. They and shut are guarded by run.mu.
	postponedInARow, refusedInARow int
	shut                           bool // the channel sends nothing more in this Work
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

// channelOf returns the channel that sends a look to an alert. Without a look the message says that
// the alert has ended. The owner of an endpoint is notified of that by mail.
func channelOf(n *look, a store.Alert) string {
	if n == nil && a.Email != "" {
		return ""
	}
	return a.Channel
}

// isShut reports whether a channel is shut for the rest of this Work.
func (r *run) isShut(c *channel) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return c.shut
}

// close shuts a channel for the rest of this Work. The next Work tries it again.
func (r *run) close(c *channel, why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.shut(c, why)
}

// shut is close for callers that hold r.mu.
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

// countRefused counts a subscriber whose address refuses messages for good. It shuts the channel
// after maxInARow refusals in a row.
func (r *run) countRefused(c *channel, about string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Refused++
	if c.refusedInARow++; c.refusedInARow >= maxInARow {
		r.shut(c, fmt.Errorf("notify of %s: %w for good to %d subscribers in a row", about, mail.ErrRefused, maxInARow))
	}
}

// countPostponed counts a subscriber left for the next Work. It shuts the channel after maxInARow
// postponements in a row.
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
