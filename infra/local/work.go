package main

import (
	"context"
	"time"
)

// worker is a service with an outbox.
type worker interface {
	Work(context.Context) (done int, err error)
}

// bell is how a service wakes its worker. Ringing does not wait, and a worker that is awake hears it once more.
func bell() (woken <-chan struct{}, wake func()) {
	rung := make(chan struct{}, 1)
	return rung, func() {
		select {
		case rung <- struct{}{}:
		default: // it has been rung already
		}
	}
}

// keepWorking does what is in an outbox when the worker is woken, and looks from time to time for what failed before.
func (c *choices) keepWorking(ctx context.Context, w worker, woken <-chan struct{}) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-woken:
		case <-time.After(time.Minute):
		}
		if _, err := w.Work(ctx); err != nil && ctx.Err() == nil {
			c.log.Error("work in the outbox failed; it is tried again", "error", err)
		}
	}
}
