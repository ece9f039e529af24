package notify_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/notify"
	"verdetto/shared/notify/notifytest"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/store/storetest"
	"verdetto/shared/web/limit"
)

type carrier struct {
	errors  []error
	taken   []mail.Message
	asked   int
	during  func()
	refuses func(mail.Message) error
	now     func() time.Time
	at      []time.Time
}

func (c *carrier) Send(_ context.Context, m mail.Message) error {
	c.asked++
	if c.during != nil {
		c.during()
	}
	if len(c.errors) > 0 {
		err := c.errors[0]
		c.errors = c.errors[1:]
		if err != nil {
			return err
		}
	}
	if c.refuses != nil {
		if err := c.refuses(m); err != nil {
			return err
		}
	}
	c.taken, c.at = append(c.taken, m), append(c.at, c.now())
	return nil
}

type outbox struct {
	*notify.Confirmations
	t       *testing.T
	clock   *storetest.Clock
	carrier *carrier
	asked   int
}

func newOutbox(t *testing.T) *outbox {
	t.Helper()
	clock := storetest.NewClock()
	table, err := boltstore.Open(filepath.Join(t.TempDir(), "test.db"), clock.Now, boltstore.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	b, log := &outbox{t: t, clock: clock, carrier: &carrier{now: clock.Now}}, &bytes.Buffer{}
	b.Confirmations = &notify.Confirmations{
		Alerts: store.Alerts{Table: table, Outbox: store.Outbox{Table: table, Name: "alerts"}},
		Mail:   b.carrier, Limiter: limit.New(table, clock.Now), Links: notifytest.Links, Now: clock.Now,
		Log: slog.New(slog.NewTextHandler(log, nil)),
	}
	t.Cleanup(func() {
		_ = table.Close()
		if strings.Contains(log.String(), "example.com") {
			t.Errorf("the log tells an address:\n%s", log)
		}
	})
	return b
}

const pendingFor = 48 * time.Hour

func (b *outbox) add(email string) {
	b.t.Helper()
	b.asked++
	id, now := fmt.Sprint("id", b.asked), b.clock.Now()
	pending := store.Alert{Subscriber: b.Links.Subscriber(email), Route: notifytest.Route("MIL-BUH"), Email: email,
		Language: "it", Threshold: 4000}
	if err := b.Alerts.AddPending(b.t.Context(), id, pending, now.Add(pendingFor),
		notify.ConfirmJob(id, now)); err != nil {
		b.t.Fatal(err)
	}
}

func (b *outbox) work() error {
	_, err := b.Work(b.t.Context())
	b.clock.Add(2 * time.Minute)
	return err
}

func (b *outbox) stopped(email string) bool {
	b.t.Helper()
	stopped, err := b.Alerts.Stopped(b.t.Context(), b.Links.Subscriber(email))
	if err != nil {
		b.t.Fatal(err)
	}
	return stopped
}

func TestTriedAgain(t *testing.T) {
	b := newOutbox(t)
	b.add("ada@example.com")
	b.carrier.errors = []error{
		mail.ErrThrottled, mail.ErrUnavailable, mail.ErrBlocked, fmt.Errorf("slow down: %w", mail.ErrThrottled),
		mail.ErrThrottled,
	}
	b.clock.Add(time.Minute)
	for n := range 5 {
		if err := b.work(); err != nil || len(b.carrier.taken) != 0 {
			t.Errorf("try %d: %v, %d mails", n, err, len(b.carrier.taken))
		}
		b.clock.Add(time.Duration(n) * time.Minute)
	}
	if err := b.work(); err != nil || len(b.carrier.taken) != 1 || b.stopped("ada@example.com") {
		t.Fatalf("%v, %d mails", err, len(b.carrier.taken))
	}
	m := b.carrier.taken[0]
	if m.To != "ada@example.com" || !strings.Contains(m.Text, "https://verdetto.example/v1/alerts/confirm?id=") ||
		!strings.Contains(m.Unsubscribe, "/v1/alerts/unsubscribe?t=") {
		t.Errorf("%+v", m)
	}
	for range notify.MailsPerDay {
		b.add("ada@example.com")
	}
	if err := b.work(); err != nil || len(b.carrier.taken) != notify.MailsPerDay {
		t.Errorf("%v, %d mails", err, len(b.carrier.taken))
	}
	if err := b.work(); err != nil || b.carrier.asked != 5+notify.MailsPerDay {
		t.Errorf("%v, the carrier was asked %d times", err, b.carrier.asked)
	}
}

func TestMailboxOfOperator(t *testing.T) {
	b := newOutbox(t)
	b.Limiter.With(map[string]int64{"mailbox": 2})
	boxes := b.Mailboxes()
	for n, c := range []struct {
		caller string
		want   bool
	}{{"one", true}, {"one", false}, {"two", true}, {"three", false}} {
		got, err := boxes.Allow(t.Context(), "ada@example.com",
			store.Job{Caller: c.caller, First: fmt.Sprint("job", n)})
		if err != nil || got != c.want {
			t.Errorf("mail %d: %v, %v", n, got, err)
		}
	}
	if boxes.Most() != 2 {
		t.Errorf("most is %d", boxes.Most())
	}
}

func TestForeignLanguage(t *testing.T) {
	b := newOutbox(t)
	now := b.clock.Now()
	pending := store.Alert{Subscriber: b.Links.Subscriber("ada@example.com"), Route: notifytest.Route("MIL-BUH"),
		Email: "ada@example.com", Language: "nl"}
	if err := b.Alerts.AddPending(t.Context(), "id", pending, now.Add(pendingFor),
		notify.ConfirmJob("id", now)); err != nil {
		t.Fatal(err)
	}
	if err := b.work(); err != nil || len(b.carrier.taken) != 1 {
		t.Fatalf("%v, %d mails", err, len(b.carrier.taken))
	}
	if got, want := b.carrier.taken[0].Subject, "Confirm the alert Milan–Bucharest"; got != want {
		t.Errorf("subject %q, want %q", got, want)
	}
}

func TestNotSent(t *testing.T) {
	t.Run("refused for good", func(t *testing.T) {
		b := newOutbox(t)
		b.add("ada@example.com")
		b.add("ada@example.com")
		b.carrier.errors = []error{fmt.Errorf("no such mailbox: %w", mail.ErrRefused)}
		if err := b.work(); err != nil || b.carrier.asked != 1 || !b.stopped("ada@example.com") {
			t.Errorf("%v, asked %d times", err, b.carrier.asked)
		}
		b.clock.Add(180 * 24 * time.Hour)
		if b.stopped("ada@example.com") {
			t.Error("stopped for longer")
		}
	})
	t.Run("expired before it was sent", func(t *testing.T) {
		b := newOutbox(t)
		b.add("ada@example.com")
		b.clock.Add(pendingFor)
		if err := b.work(); err != nil || b.carrier.asked != 0 {
			t.Errorf("%v, asked %d times", err, b.carrier.asked)
		}
	})
	t.Run("one that fails holds up no other", func(t *testing.T) {
		b := newOutbox(t)
		b.add("ada@example.com")
		b.clock.Add(time.Second)
		b.add("bob@example.com")
		b.carrier.errors = []error{mail.ErrThrottled}
		if err := b.work(); err != nil || len(b.carrier.taken) != 1 || b.carrier.taken[0].To != "bob@example.com" {
			t.Errorf("%v %+v", err, b.carrier.taken)
		}
	})
}

func TestOneMailboxManyAddresses(t *testing.T) {
	for _, c := range []struct {
		name      string
		addresses []string
		want      int
	}{
		{"one address", []string{"ada@mail.test"}, 6},
		{"in other cases", []string{"ada@mail.test", "Ada@mail.test", "ADA@mail.test", "adA@MAIL.test"}, 6},
		{"with tags", []string{"ada@mail.test", "ada+1@mail.test", "Ada+2@mail.test", "ada+2+3@mail.test"}, 6},
		{"with dots at Google", []string{"adalace@gmail.com", "ada.lace@gmail.com", "a.d.a.lace+x@googlemail.com",
			"adalac.e@gmail.com"}, 6},
		{"with dots elsewhere", []string{"adalace@mail.test", "ada.lace@mail.test"}, 8},
		{"nothing but a tag", []string{"+a@mail.test", "+b@mail.test"}, 8},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newOutbox(t)
			for n := range 8 {
				b.add(c.addresses[n%len(c.addresses)])
			}
			if err := b.work(); err != nil {
				t.Fatal(err)
			}
			if len(b.carrier.taken) != c.want {
				t.Errorf("%d mails, want %d", len(b.carrier.taken), c.want)
			}
		})
	}
}

func TestASlowCarrier(t *testing.T) {
	b := newOutbox(t)
	for _, who := range []string{"ada", "bob", "eve"} {
		b.add(who + "@mail.test")
	}
	b.carrier.during = func() {
		b.clock.Add(40 * time.Second)
		if b.carrier.asked == 2 {
			if _, err := b.Work(t.Context()); err != nil {
				t.Error(err)
			}
		}
	}
	for range 3 {
		if err := b.work(); err != nil {
			t.Fatal(err)
		}
	}
	got := map[string]int{}
	for _, m := range b.carrier.taken {
		got[m.To]++
	}
	// Only the mail that was in progress when its lease ended may be sent twice.
	if len(got) != 3 || len(b.carrier.taken) != 4 {
		t.Errorf("%v", got)
	}
}
