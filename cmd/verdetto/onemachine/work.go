package onemachine

import (
	"context"
	"sync"
	"time"
)

const (
	// every is how often a worker looks for work without a signal, for example for due retries.
	every = time.Minute
	// everyOutbox is how often a worker looks for due mails. Request handlers do not signal this
	// worker, because the time of an answer would then reveal whether the request caused a mail.
	everyOutbox = time.Second
	// jobsAtOnce is how many mails are sent in parallel: fewer than the connections that a mail
	// server allows a client (Exim 20, Postfix 50).
	jobsAtOnce = 16
)

// newSignal returns a channel on which a worker receives signals, and a function that sends one
// without blocking. A signal to a busy worker makes it run once more when it has finished.
func newSignal() (signalled <-chan struct{}, signal func()) {
	pending := make(chan struct{}, 1)
	return pending, func() {
		select {
		case pending <- struct{}{}:
		default: // already signalled
		}
	}
}

// Work processes the outboxes and sends notifications until the context ends.
func (s *Service) Work(ctx context.Context) {
	if s.Pro == nil {
		return
	}
	var workers sync.WaitGroup
	workers.Go(func() {
		s.repeat(ctx, "work in the outbox", everyOutbox, nil, func() error { _, err := s.Pro.Work(ctx); return err })
	})
	workers.Go(func() {
		s.repeat(ctx, "work in the outbox", everyOutbox, nil,
			func() error { _, err := s.Alerts.Confirmations.Work(ctx); return err })
	})
	workers.Go(func() {
		s.repeat(ctx, "messages to phones", everyOutbox, nil, func() error { return drain(ctx, s.Alerts.Pushes.Work) })
	})
	workers.Go(func() {
		s.repeat(ctx, "delivering to webhooks", every, s.hooksSignal,
			func() error { return drain(ctx, s.Alerts.Webhooks.Work) })
	})
	workers.Go(func() {
		s.repeat(ctx, "sending notifications", every, nil, func() error { _, err := s.Sender.Work(ctx); return err })
	})
	workers.Wait()
}

func drain(ctx context.Context, work func(context.Context) (int, error)) error {
	for {
		if done, err := work(ctx); done == 0 || err != nil {
			return err
		}
	}
}

// repeat runs work at once, on each signal, and at an interval. The next run retries failed work.
func (s *Service) repeat(ctx context.Context, what string, every time.Duration, signalled <-chan struct{},
	work func() error) {
	for {
		if err := work(); err != nil && ctx.Err() == nil {
			s.options.Log.Error(what+" failed; it is tried again", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-signalled:
		case <-time.After(every):
		}
	}
}
