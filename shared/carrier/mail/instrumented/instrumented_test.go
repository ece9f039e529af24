package instrumented_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/carrier/mail/instrumented"
	"verdetto/shared/runtime/metrics"
	"verdetto/shared/runtime/metrics/metricstest"
)

type ends struct{ err error }

func (e ends) Send(context.Context, mail.Message) error { return e.err }

func TestOutcomes(t *testing.T) {
	for _, c := range []struct {
		err                   error
		sent, refused, failed float64
	}{
		{nil, 1, 0, 0},
		{fmt.Errorf("send: %w", mail.ErrRefused), 0, 1, 0},
		{mail.ErrThrottled, 0, 0, 1},
		{mail.ErrBlocked, 0, 0, 1},
		{mail.ErrUnavailable, 0, 0, 1},
	} {
		var log bytes.Buffer
		s := instrumented.Sender{Sender: ends{c.err}, Log: slog.New(slog.NewJSONHandler(&log, nil)),
			Metrics: metrics.NewSource("verdetto-pro"),
			Now:     func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }}
		if err := s.Send(t.Context(), mail.Message{To: "ada@example.com", Tag: "key"}); !errors.Is(err, c.err) {
			t.Errorf("error %v, want %v", err, c.err)
		}
		got, err := metricstest.Read(log.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]float64{
			"Verdetto stack=verdetto function=pro MailSent (Count)":    c.sent,
			"Verdetto stack=verdetto function=pro MailRefused (Count)": c.refused,
			"Verdetto stack=verdetto function=pro MailFailed (Count)":  c.failed,
		}
		if diff := cmp.Diff(want, got); diff != "" || strings.Contains(log.String(), "ada") ||
			!strings.Contains(log.String(), `"kind":"key"`) {
			t.Errorf("%s %s", diff, &log)
		}
	}
}
