package pro_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"verdetto/functions/pro"
	"verdetto/shared/apikey"
	"verdetto/shared/carrier/mail"
	"verdetto/shared/pay"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
)

// slow is a carrier that takes its time over each mail.
type slow struct {
	now   *time.Time
	mails map[string]int
	sent  func(to string)
}

func (s *slow) Send(_ context.Context, m mail.Message) error {
	*s.now = s.now.Add(10 * time.Second)
	s.mails[m.To]++
	if s.sent != nil {
		s.sent(m.To)
	}
	return nil
}

// inbox keeps the mails that are sent.
type inbox struct{ mails []mail.Message }

func (i *inbox) Send(_ context.Context, m mail.Message) error {
	i.mails = append(i.mails, m)
	return nil
}

// TestForeignLanguage: a key that was asked for in a language which is not spoken
// here, as by another version, is mailed in English. It was issued before the mail
// is written: without the mail the earlier key would be void and no other known.
func TestForeignLanguage(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	table, err := boltstore.Open(filepath.Join(t.TempDir(), "test.db"), clock, boltstore.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	carrier := &inbox{}
	s := &pro.Service{
		Keys: store.Customers{Table: table}, Outbox: store.Outbox{Table: table, Name: "pro"}, Sender: carrier,
		Pepper: []byte("pepper"), BaseURL: "https://verdetto.example", Random: rand.Reader, Now: clock, Log: slog.New(slog.DiscardHandler),
	}
	if err := s.Keys.Change(t.Context(), apikey.Of(s.Pepper, "ada@example.com"), func(c *store.Customer) error {
		c.Until = now.AddDate(0, 1, 0)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.Outbox.Put(t.Context(), store.Job{Kind: "recover key", Email: "ada@example.com", Lang: "nl", At: now}); err != nil {
		t.Fatal(err)
	}
	if done, err := s.Work(t.Context()); err != nil || done != 1 || len(carrier.mails) != 1 {
		t.Fatalf("%d jobs done, %d mails: %v", done, len(carrier.mails), err)
	}
	if got, want := carrier.mails[0].Subject, "Your Verdetto Pro key"; got != want {
		t.Errorf("subject %q, want %q", got, want)
	}
}

// notTaken fails where another worker can take the job of a mail that was just sent.
func notTaken(t *testing.T, s *pro.Service) func(to string) {
	return func(to string) {
		jobs, err := s.Outbox.Take(t.Context(), 100, s.Now(), 0)
		if err != nil {
			t.Error(err)
		}
		for _, j := range jobs {
			if j.Email == to {
				t.Errorf("the job of the mail to %s was another's when it was sent", to)
			}
		}
	}
}

// TestASlowCarrier: a worker begins no mail whose job may be another's before it is sent.
// It takes what it leaves anew, and nobody is sent two keys of which one is void.
func TestASlowCarrier(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	table, err := boltstore.Open(filepath.Join(t.TempDir(), "test.db"), clock)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	carrier := &slow{now: &now, mails: map[string]int{}}
	s := &pro.Service{
		Keys: store.Customers{Table: table}, Outbox: store.Outbox{Table: table, Name: "pro"}, Sender: carrier,
		Pepper: []byte("pepper"), BaseURL: "https://verdetto.example", Random: rand.Reader, Now: clock, Log: slog.New(slog.DiscardHandler),
	}
	const payers = 12
	for i := range payers {
		email := fmt.Sprintf("payer%d@example.com", i)
		if err := s.Keys.Change(t.Context(), apikey.Of(s.Pepper, email), func(c *store.Customer) error {
			c.Until = now.AddDate(0, 1, 0)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if err := s.Outbox.Put(t.Context(), store.Job{Kind: "recover key", Email: email, Lang: "en", At: now}); err != nil {
			t.Fatal(err)
		}
	}
	carrier.sent = notTaken(t, s)
	if done, err := s.Work(t.Context()); err != nil || done != payers {
		t.Fatalf("%d mails at 10 s each, %v", done, err)
	}
	if len(carrier.mails) != payers {
		t.Errorf("%d of %d were sent a key", len(carrier.mails), payers)
	}
	for to, n := range carrier.mails {
		if n != 1 {
			t.Errorf("%s was sent %d keys", to, n)
		}
	}
}

// slowCheckout is a card processor that takes its time over each question.
type slowCheckout struct {
	pay.Checkout
	now *time.Time
}

func (s slowCheckout) Subscription(_ context.Context, id string) (pay.Subscription, error) {
	*s.now = s.now.Add(pay.Timeout)
	return pay.Subscription{ID: id, Ours: true, PaidUntil: s.now.AddDate(0, 1, 0)}, nil
}

// TestASlowProcessor: asking for subscriptions counts towards a job's time, so
// that its mail is not sent when the job may be another's.
func TestASlowProcessor(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	table, err := boltstore.Open(filepath.Join(t.TempDir(), "test.db"), clock, boltstore.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	carrier := &slow{now: &now, mails: map[string]int{}}
	s := &pro.Service{
		Keys: store.Customers{Table: table}, Outbox: store.Outbox{Table: table, Name: "pro"}, Sender: carrier, Checkout: slowCheckout{now: &now},
		Pepper: []byte("pepper"), BaseURL: "https://verdetto.example", Random: rand.Reader, Now: clock, Log: slog.New(slog.DiscardHandler),
	}
	const others = 4 // take 40 s
	for i := range others + 1 {
		email := fmt.Sprintf("payer%d@example.com", i)
		if err := s.Keys.Change(t.Context(), apikey.Of(s.Pepper, email), func(c *store.Customer) error {
			c.Until = now.AddDate(0, 1, 0)
			if i == others {
				c.Cards = map[string]time.Time{"sub_1": c.Until, "sub_2": c.Until}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if err := s.Outbox.Put(t.Context(), store.Job{Kind: "recover key", Email: email, Lang: "en", At: now.Add(time.Duration(i-others) * time.Second)}); err != nil {
			t.Fatal(err)
		}
	}
	carrier.sent = notTaken(t, s)
	if done, err := s.Work(t.Context()); err != nil || done != others+1 {
		t.Errorf("%d jobs done: %v", done, err)
	}
}
