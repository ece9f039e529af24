package pro_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/functions/pro"
	"verdetto/shared/apikey"
	"verdetto/shared/carrier/mail"
	"verdetto/shared/pay"
	"verdetto/shared/store"
)

type bench struct {
	*pro.Service
	t     *testing.T
	now   time.Time
	mails []mail.Message
	took  time.Duration
	sent  func(m mail.Message)
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), sent: func(mail.Message) {}}
	clock := func() time.Time { return b.now }
	table := fixture.Bolt(t, clock)
	b.Service = &pro.Service{
		Keys: store.Customers{Table: table}, Outbox: store.Outbox{Table: table, Name: "pro"}, Sender: b,
		Pepper: []byte("pepper"), BaseURL: "https://verdetto.example", Random: rand.Reader, Now: clock,
		Log: slog.New(slog.DiscardHandler),
	}
	return b
}

func (b *bench) Send(_ context.Context, m mail.Message) error {
	b.now = b.now.Add(b.took)
	b.mails = append(b.mails, m)
	b.sent(m)
	return nil
}

func (b *bench) owe(email, lang string, at time.Time, cards map[string]time.Time) {
	b.t.Helper()
	err := b.Keys.Change(b.t.Context(), apikey.CustomerIDOf(b.Pepper, email), func(c *store.Customer) error {
		c.Until, c.Cards = b.now.AddDate(0, 1, 0), cards
		return nil
	})
	if err == nil {
		err = b.Outbox.Put(b.t.Context(), store.Job{Kind: "recover key", Email: email, Lang: lang, At: at})
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) work(want int) {
	b.t.Helper()
	b.sent = func(m mail.Message) {
		jobs, err := b.Outbox.Take(b.t.Context(), 100, b.now, 0)
		if err != nil {
			b.t.Error(err)
		}
		for _, j := range jobs {
			if j.Email == m.To {
				b.t.Errorf("the job of the mail to %s was another's when it was sent", m.To)
			}
		}
	}
	if done, err := b.Work(b.t.Context()); err != nil || done != want || len(b.mails) != want {
		b.t.Fatalf("%d jobs done, %d mails, want %d: %v", done, len(b.mails), want, err)
	}
	to := map[string]bool{}
	for _, m := range b.mails {
		if to[m.To] {
			b.t.Errorf("%s was sent two keys", m.To)
		}
		to[m.To] = true
	}
}

// A job may name a language that this version lacks. Without the mail the owner would have no key.
func TestForeignLanguage(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.owe("ada@example.com", "nl", b.now, nil)
	b.work(1)
	if got, want := b.mails[0].Subject, "Your Verdetto Pro key"; got != want {
		t.Errorf("subject %q, want %q", got, want)
	}
}

// Two workers could send the same mail if a lease ended before the mail was sent.
func TestASlowCarrier(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.took = 10 * time.Second
	const payers = 12
	for i := range payers {
		b.owe(fmt.Sprintf("payer%d@example.com", i), "en", b.now, nil)
	}
	b.work(payers)
}

type slowCheckout struct {
	pay.Checkout
	now *time.Time
}

func (s slowCheckout) Subscription(context.Context, string) (pay.Subscription, error) {
	*s.now = s.now.Add(pay.Timeout)
	return pay.Subscription{Ours: true, PaidUntil: s.now.AddDate(0, 1, 0)}, nil
}

func TestASlowProcessor(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.took, b.Checkout = 10*time.Second, slowCheckout{now: &b.now}
	const others = 4 // the mails to the others take 40 s
	for i := range others {
		b.owe(fmt.Sprintf("payer%d@example.com", i), "en", b.now.Add(time.Duration(i-others)*time.Second), nil)
	}
	end := b.now.AddDate(0, 1, 0)
	b.owe("card@example.com", "en", b.now, map[string]time.Time{"sub_1": end, "sub_2": end})
	b.work(others + 1)
}
