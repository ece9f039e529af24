package onemachine

import (
	"context"
	"sync"
	"time"
)

const (
	every = time.Minute
	// Requests do not signal the workers that send mail, because the time of an answer would then
	// reveal whether the request caused a mail.
	everyOutbox = time.Second
	// jobsAtOnce is below the default limits on connections of Exim (20) and Postfix (50 for a client).
	jobsAtOnce = 16
)

func newSignal() (signalled <-chan struct{}, signal func()) {
	pending := make(chan struct{}, 1)
	return pending, func() {
		select {
		case pending <- struct{}{}:
		default:
		}
	}
}

func (s *Service) Work(ctx context.Context) {
	if s.Pro == nil {
		return
	}
	var workers sync.WaitGroup
	for _, w := range []struct {
		what      string
		every     time.Duration
		signalled <-chan struct{}
		work      func() error
	}{
		{"sending mails about keys", everyOutbox, nil, func() error { _, err := s.Pro.Work(ctx); return err }},
		{"sending mails that confirm", everyOutbox, nil, func() error { _, err := s.Alerts.Confirmations.Work(ctx); return err }},
		{"sending messages to phones", everyOutbox, nil, func() error { return drain(ctx, s.Alerts.Pushes.Work) }},
		{"calling webhooks", every, s.hooksSignal, func() error { return drain(ctx, s.Alerts.Webhooks.Work) }},
		{"sending alerts", every, nil, func() error { r, err := s.Sender.Work(ctx); s.options.Monitor.AddSent(r.Sent); return err }},
		{"looking after the service", every, nil, func() error { return s.LookAfter(ctx) }},
	} {
		workers.Go(func() { s.repeat(ctx, w.what, w.every, w.signalled, w.work) })
	}
	workers.Wait()
}

func drain(ctx context.Context, work func(context.Context) (int, error)) error {
	for {
		if done, err := work(ctx); done == 0 || err != nil {
			return err
		}
	}
}

func (s *Service) repeat(ctx context.Context, what string, every time.Duration, signalled <-chan struct{},
	work func() error) {
	for {
		if err := work(); err != nil && ctx.Err() == nil {
			s.options.Log.Error(what+" failed; the service tries again in "+every.String(), "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-signalled:
		case <-time.After(every):
		}
	}
}
