// Package instrumented wraps a mail sender. It logs the outcome of each mail with its Tag and with
// metrics, but never the recipient.
package instrumented

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/runtime/metrics"
)

type Sender struct {
	Sender  mail.Sender
	Log     *slog.Logger
	Metrics metrics.Source
	Now     func() time.Time
}

var _ mail.Sender = Sender{}

func (s Sender) Send(ctx context.Context, m mail.Message) error {
	err := s.Sender.Send(ctx, m)
	outcome := "sent"
	switch {
	case errors.Is(err, mail.ErrRefused):
		outcome = "refused"
	case err != nil:
		outcome = "failed"
	}
	is := func(what string) float64 {
		if outcome == what {
			return 1
		}
		return 0
	}
	s.Log.LogAttrs(ctx, slog.LevelInfo, "mail",
		append([]slog.Attr{slog.String("kind", m.Tag), slog.String("outcome", outcome)}, s.Metrics.Attrs(s.Now(),
			metrics.Metric{Name: "MailSent", Unit: metrics.Count, Value: is("sent")},
			metrics.Metric{Name: "MailFailed", Unit: metrics.Count, Value: is("failed")},
		)...)...)
	return err
}
