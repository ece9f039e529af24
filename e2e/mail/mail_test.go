// Package mail holds end-to-end tests of sending mail through a mail server. The server rejects
// mails, defers mails or breaks connections. The tests check how many copies of each mail the
// server stores.
package mail

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	netmail "net/mail"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/shared/carrier/mail/smtpmail/smtptest"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
	"verdetto/shared/upstream/sample"
)

// fault affects the first mail to an address, or all if always is true.
type fault struct {
	at     smtptest.Moment
	err    error
	always bool
}

// kept is how many copies of a mail the server should have at the end.
var faulty = []struct {
	address string
	fault
	kept int
}{
	{"fine@example.com", fault{}, 1},
	{"greylisted@example.com", fault{smtptest.To, smtptest.Reply(451, [3]int{4, 7, 1}, "greylisted"), false}, 1},
	// The greeting comes before the server knows the address, so s.Fail breaks the first
	// connection.
	{"cut-at-once@example.com", fault{smtptest.Hello, smtptest.ErrCut, false}, 1},
	{"cut-before@example.com", fault{smtptest.To, smtptest.ErrCut, false}, 1},
	{"cut-unkept@example.com", fault{smtptest.Content, smtptest.ErrCut, false}, 1},
	// The server stored the mail, but its response was lost, so the mail is sent again.
	{"cut-kept@example.com", fault{smtptest.Kept, smtptest.ErrCut, false}, 2},
	{"later@example.com", fault{smtptest.Content, smtptest.Reply(452, [3]int{4, 3, 1}, "disk full"), false}, 1},
	{"nobody@example.com", fault{smtptest.To, smtptest.Reply(550, [3]int{5, 1, 1}, "no such user"), true}, 0},
}

// served starts a mail server with the faults in faulty.
func served(t *testing.T) (*smtptest.Server, string) {
	t.Helper()
	s := smtptest.New(false)
	s.User, s.Password = "verdetto", "geheim"
	var mu sync.Mutex
	met := map[string]bool{}
	s.Fail = func(at smtptest.Moment, to string) error {
		mu.Lock()
		defer mu.Unlock()
		if at == smtptest.Hello && !met["the first connection"] {
			met["the first connection"] = true
			return smtptest.ErrCut
		}
		for _, f := range faulty {
			if f.address == to && f.at == at && (f.always || !met[to]) {
				met[to] = true
				return f.err
			}
		}
		return nil
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go s.Serve(l, false)
	t.Cleanup(s.Close)
	t.Setenv("VERDETTO_SMTP_USER", "verdetto")
	t.Setenv("VERDETTO_SMTP_PASSWORD", "geheim")
	t.Setenv("VERDETTO_MAIL_FROM", "Verdetto <mail@verdetto.example>")
	t.Setenv("VERDETTO_MAIL_RATE", "1000")
	return s, fmt.Sprintf("smtp://%s?tls=off", l.Addr())
}

func open(t *testing.T,
	mail string) (s *onemachine.Service, table store.Table, clock *storetest.Clock, log *bytes.Buffer) {
	t.Helper()
	clock, log = storetest.NewClock(), &bytes.Buffer{}
	table = fixture.Bolt(t, clock.Now)
	s = fixture.New(t, onemachine.Options{
		Table: table, Source: sample.New(), Now: clock.Now, Log: slog.New(slog.NewTextHandler(log, nil)), Mail: mail,
		BaseURL: fixture.LocalURL,
	})
	s.Sender.Sleep = func(ctx context.Context, d time.Duration) error {
		clock.Add(d)
		return ctx.Err()
	}
	return s, table, clock, log
}

// kept counts the stored mails by address, and the different messages among them by Message-ID.
func kept(t *testing.T, s *smtptest.Server) (mails, messages map[string]int) {
	t.Helper()
	mails, messages = map[string]int{}, map[string]int{}
	seen := map[string]bool{}
	for _, m := range s.Mails() {
		read, err := netmail.ReadMessage(bytes.NewReader(m.Raw))
		if err != nil {
			t.Fatal(err)
		}
		mails[m.To]++
		if id := read.Header.Get("Message-Id"); !seen[id] {
			seen[id] = true
			messages[m.To]++
		}
	}
	return mails, messages
}

// want returns the expected counts of kept.
func want() (mails, messages map[string]int) {
	mails, messages = map[string]int{}, map[string]int{}
	for _, f := range faulty {
		if f.kept > 0 {
			mails[f.address], messages[f.address] = f.kept, 1
		}
	}
	return mails, messages
}

func compare(t *testing.T, s *smtptest.Server, log *bytes.Buffer) {
	t.Helper()
	mails, messages := kept(t, s)
	wantMails, wantMessages := want()
	if diff := cmp.Diff(wantMails, mails); diff != "" {
		t.Errorf("mails (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(wantMessages, messages); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	if text := log.String(); strings.Contains(text, "@example.com") || strings.Contains(text, "geheim") ||
		!strings.Contains(text, "for good") {
		t.Errorf("the log names who is written to, or does not name what was given up:\n%s", text)
	}
}

// With every fault of the mail server, each subscriber is notified once. If the server's response
// was lost, the same mail may arrive twice. An address without a mailbox gets no further mail.
func TestAlertsOverSMTP(t *testing.T) {
	server, mail := served(t)
	s, table, clock, log := open(t, mail)
	var addresses []string
	for _, f := range faulty {
		addresses = append(addresses, f.address)
	}
	fixture.Confirmed(t, table, clock.Now(), addresses...)
	fixture.Refreshed(t, table, fixture.Falling(fare.DayOf(clock.Now())), clock.Now)
	for range 5 {
		got, err := s.Sender.Work(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !got.More {
			break
		}
		clock.Add(5 * time.Minute)
	}
	compare(t, server, log)
	for _, f := range faulty {
		if stopped, err := s.Alerts.Alerts.Stopped(t.Context(), fixture.Subscriber(f.address)); err != nil ||
			stopped != (f.kept == 0) {
			t.Errorf("%s: stopped %v, %v", f.address, stopped, err)
		}
	}
}

func TestConfirmationsOverSMTP(t *testing.T) {
	server, mail := served(t)
	s, _, clock, log := open(t, mail)
	caller := &fixture.Service{Service: s, T: t, Handler: s.API}
	for _, f := range faulty {
		if a := caller.Do("POST", "/api/v1/alerts",
			fixture.Object("route", "MIL-BUH", "email", f.address)); a.Status != 202 {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
	}
	for range 6 {
		if _, err := s.Alerts.Confirmations.Work(t.Context()); err != nil && !strings.Contains(err.Error(), "mail") {
			t.Fatal(err)
		}
		clock.Add(5 * time.Minute)
	}
	compare(t, server, log)
}
