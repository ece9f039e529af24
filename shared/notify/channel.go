package notify

import (
	"context"
	"fmt"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/store"
)

// channel is one of those that messages go by, in one Work: how fast, and whether it takes any.
// What goes wrong with one says nothing of the others, which go on.
type channel struct {
	name string // as in store; "" is mail
	pace *pace
	// What follows is guarded by run.mu. How many were postponed, and refused, since the last that was sent.
	postponedInARow, refusedInARow int
	shut                           bool // nothing more is handed over in this Work
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

// carriedBy is the channel that takes what an alert is told of a look; without one,
// that it has ended: the owner of an endpoint hears of that by mail.
func carriedBy(n *look, a store.Alert) string {
	if n == nil && a.Email != "" {
		return ""
	}
	return a.Channel
}

// closed tells whether nothing more goes by a channel in this Work.
func (r *run) closed(c *channel) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return c.shut
}

// close has nothing more go by a channel in this Work; the next one tries again.
func (r *run) close(c *channel, why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.shut(c, why)
}

// shut is close for those who hold the mutex.
func (r *run) shut(c *channel, why error) {
	if !c.shut {
		c.shut, r.faults = true, append(r.faults, why)
	}
}

func (r *run) sent(c *channel) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Sent++
	c.postponedInARow, c.refusedInARow = 0, 0
}

// refused counts somebody who will never be notified. Where it is not one but everyone, the channel is closed.
func (r *run) refused(c *channel, about string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Refused++
	if c.refusedInARow++; c.refusedInARow >= maxInARow {
		r.shut(c, fmt.Errorf("notify of %s: %w for good to %d subscribers in a row", about, mail.ErrRefused, maxInARow))
	}
}

// postponed counts somebody for the next Work, and closes the channel likewise.
func (r *run) postponed(ctx context.Context, c *channel, about string) {
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
