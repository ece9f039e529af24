package onemachine

import (
	"context"
	"sync"
	"time"
)

// every is how often a worker looks for work that nobody has signalled, such as what failed before.
const every = time.Minute

// newSignal is how a service tells its worker that there is work. Signalling does
// not wait, and a worker that is busy works once more afterwards.
func newSignal() (signalled <-chan struct{}, signal func()) {
	pending := make(chan struct{}, 1)
	return pending, func() {
		select {
		case pending <- struct{}{}:
		default: // it is signalled already
		}
	}
}

// Work goes through the outboxes and sends notifications until the context ends.
func (s *Service) Work(ctx context.Context) {
	if s.Pro == nil {
		return
	}
	var workers sync.WaitGroup
	workers.Go(func() {
		s.repeat(ctx, "work in the outbox", s.proSignal, func() error { _, err := s.Pro.Work(ctx); return err })
	})
	workers.Go(func() {
		s.repeat(ctx, "work in the outbox", s.alertsSignal, func() error { _, err := s.Alerts.Confirmations.Work(ctx); return err })
	})
	workers.Go(func() {
		s.repeat(ctx, "messages to phones", nil, func() error { _, err := s.Alerts.Pushes.Work(ctx); return err })
	})
	workers.Go(func() {
		s.repeat(ctx, "delivering to webhooks", s.hooksSignal, func() error { return s.deliver(ctx) })
	})
	workers.Go(func() {
		s.repeat(ctx, "sending notifications", nil, func() error { _, err := s.Sender.Work(ctx); return err })
	})
	workers.Wait()
}

// deliver delivers until nothing is due.
func (s *Service) deliver(ctx context.Context) error {
	for {
		if done, err := s.Alerts.Webhooks.Work(ctx); done == 0 || err != nil {
			return err
		}
	}
}

// repeat works at once, when it is signalled, and from time to time. What fails is tried again the next time.
func (s *Service) repeat(ctx context.Context, what string, signalled <-chan struct{}, work func() error) {
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
