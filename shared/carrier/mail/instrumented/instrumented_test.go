package instrumented_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"testing"
	"time"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/carrier/mail/instrumented"
	"verdetto/shared/runtime/metrics"
	"verdetto/shared/runtime/metrics/metricstest"
)

type ends struct{ err error }

func (e ends) Send(context.Context, mail.Message) error { return e.err }

func TestOutcomes(t *testing.T) {
	for _, c := range []struct {
		err    error
		metric string
	}{
		{nil, "MailSent"},
		{fmt.Errorf("send: %w", mail.ErrRefused), ""},
		{mail.ErrThrottled, "MailFailed"},
		{mail.ErrBlocked, "MailFailed"},
		{mail.ErrUnavailable, "MailFailed"},
	} {
		var log bytes.Buffer
		s := instrumented.Sender{Sender: ends{c.err}, Log: slog.New(slog.NewJSONHandler(&log, nil)),
			Metrics: metrics.NewSource("verdetto-pro"),
			Now:     func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }}
		if err := s.Send(t.Context(), mail.Message{To: "ada@example.com", Tag: "key"}); !errors.Is(err, c.err) {
			t.Errorf("error %v, want %v", err, c.err)
		}
		want := map[string]float64{"Verdetto stack=verdetto function=pro " + c.metric + " (Count)": 1}
		if c.metric != "" {
			if got, err := metricstest.Read(log.Bytes()); err != nil || !maps.Equal(got, want) {
				t.Errorf("%v %v, want %v", err, got, want)
			}
		}
		if strings.Contains(log.String(), "ada") || c.metric == "" && strings.Contains(log.String(), "_aws") ||
			!strings.Contains(log.String(), `"kind":"key"`) {
			t.Errorf("logged %s", &log)
		}
	}
}
