package onemachine

import (
	"context"
	"sync"
	"time"
)

const (
	// every is how often a worker looks for work when no signal arrives, for example for retries
	// that are due.
	every = time.Minute
	// everyOutbox is how often a worker looks for mails that are due. Request handlers do not
	// signal this worker. Otherwise the time of an answer would reveal whether the request caused a
	// mail.
	everyOutbox = time.Second
	// jobsAtOnce is how many mails are sent in parallel. It is below the number of connections that
	// a mail server allows a client: Exim 20, Postfix 50.
	jobsAtOnce = 16
)

// newSignal returns a channel on which a worker receives signals, and a function that sends a
// signal. Sending never blocks. A signal to a busy worker makes the worker run once more when it
// has finished.
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

// drain repeats work until work reports that nothing is due.
func drain(ctx context.Context, work func(context.Context) (int, error)) error {
	for {
		if done, err := work(ctx); done == 0 || err != nil {
			return err
		}
	}
}

// repeat runs work at once, on each signal, and at an interval. Failed work is retried at the
// next run.
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
