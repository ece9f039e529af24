package onemachine

import (
	"context"
	"sync"
	"time"
)

const (
	// every is how often a worker looks for work that nobody has signalled, such as what failed before.
	every = time.Minute
	// everyOutbox is how often a worker looks for mails that are due. Nothing signals them: answers that
	// leave a job and answers that leave none are followed by the same.
	everyOutbox = time.Second
	// jobsAtOnce is fewer connections than a mail server takes from one client: Exim 20, Postfix 50.
	jobsAtOnce = 16
)

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

// drain works until nothing is due.
func drain(ctx context.Context, work func(context.Context) (int, error)) error {
	for {
		if done, err := work(ctx); done == 0 || err != nil {
			return err
		}
	}
}

// repeat works at once, when it is signalled, and from time to time. What fails is tried again the next time.
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
