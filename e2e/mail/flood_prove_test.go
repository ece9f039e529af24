package mail_test

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/carrier/mail/smtpmail"
	"verdetto/shared/carrier/mail/smtpmail/smtptest"
	"verdetto/shared/fare"
	"verdetto/shared/notify"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/web/limit"
)

// The mail server defers 10,000 mails, each on a connection of its own. Other mails that wait
// behind them are delayed by less than 1 minute.
func TestProveAFloodOfFailingJobs(t *testing.T) {
	const strangers, atOnce = 10_000, 16
	table, err := boltstore.Open(filepath.Join(t.TempDir(), "test.db"), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	var attempts atomic.Int64
	server := smtptest.New(false)
	server.Fail = func(at smtptest.Moment, to string) error {
		if at == smtptest.To && strings.HasSuffix(to, "@full.test") {
			attempts.Add(1)
			return smtptest.Reply(450, [3]int{4, 2, 2}, "mailbox full")
		}
		return nil
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(listener, false)
	defer server.Close()
	sender, err := smtpmail.New(smtpmail.Config{
		Server: smtpmail.Server{Host: "127.0.0.1", Port: listener.Addr().(*net.TCPAddr).Port, TLS: smtpmail.None},
		From:   "Verdetto <mail@verdetto.example>", Now: time.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	c := &notify.Confirmations{
		Alerts: store.Alerts{Table: table, Outbox: store.Outbox{Table: table, Name: "alerts"}}, Mail: sender,
		AtOnce:  atOnce,
		Limiter: limit.New(table, time.Now), Links: notify.Links{Pepper: []byte(fixture.Pepper),
			BaseURL: fixture.PublicURL}, Now: time.Now, Log: slog.New(slog.DiscardHandler),
	}
	ask := func(n int, email string) {
		id, now := fmt.Sprint("id", n), time.Now()
		pending := store.Alert{Subscriber: fixture.Subscriber(email),
			Route: fare.Route{Origin: "MIL", Destination: "BUH"}, Email: email, Language: "en", Threshold: 4000}
		if err := c.Alerts.AddPending(t.Context(), id, pending, now.Add(time.Hour),
			notify.ConfirmJob(id, now)); err != nil {
			t.Fatal(err)
		}
	}
	for n := range strangers {
		ask(n, fmt.Sprintf("s%d@full.test", n))
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			_, _ = c.Work(ctx) // ends with the context
			time.Sleep(100 * time.Millisecond)
		}
	}()
	for n, when := range []string{"behind-all", "among-retries"} {
		left, before := time.Now(), attempts.Load()
		to := when + "@mail.test"
		ask(strangers+n, to)
		taken := func() bool {
			return slices.ContainsFunc(server.Mails(), func(m smtptest.Mail) bool { return m.To == to })
		}
		for !taken() && time.Since(left) < 5*time.Minute {
			time.Sleep(10 * time.Millisecond)
		}
		waited := time.Since(left)
		t.Logf("%s: sent after %s and %d refusals", when, waited.Round(time.Millisecond), attempts.Load()-before)
		if waited >= time.Minute {
			t.Errorf("%s: sent after %s", when, waited)
		}
	}
	stop()
	<-ended
}
