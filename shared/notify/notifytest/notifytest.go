// Package notifytest holds fixtures for tests of notifications: a clock, a carrier that writes mail
// into a folder, a store, and confirmed alerts.
package notifytest

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/carrier/mail/maildir"
	"verdetto/shared/fare"
	"verdetto/shared/notify"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
)

var Today = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

var Links = notify.Links{Pepper: []byte("a pepper of more than thirty-two characters"),
	BaseURL: "https://verdetto.example"}

type Clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *Clock) Now() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.at }

func (c *Clock) Set(at time.Time) { c.mu.Lock(); defer c.mu.Unlock(); c.at = at }

func (c *Clock) Add(d time.Duration) { c.mu.Lock(); defer c.mu.Unlock(); c.at = c.at.Add(d) }

func (c *Clock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if until := c.at.Add(d); until.After(c.at) {
		c.at = until
	}
	return ctx.Err()
}

type Carrier struct {
	Folder string
	// If Before fails, the mail is not sent. If After fails, Send returns an error although the
	// mail was sent.
	Before, After func(m mail.Message) error

	sender *maildir.Sender
	mu     sync.Mutex
	taken  map[string]int
}

func (c *Carrier) Send(ctx context.Context, m mail.Message) error {
	if c.Before != nil {
		if err := c.Before(m); err != nil {
			return err
		}
	}
	if err := c.sender.Send(ctx, m); err != nil {
		return err
	}
	c.mu.Lock()
	c.taken[m.To]++
	c.mu.Unlock()
	if c.After != nil {
		return c.After(m)
	}
	return nil
}

func (c *Carrier) Sent() map[string]int { return c.taken }

type Fixture struct {
	T *testing.T
	*Clock
	Table   store.Table
	Carrier *Carrier
	Answers notify.Answers
	Rate    float64
	Log     io.Writer

	subscribed int
}

func New(t *testing.T) *Fixture {
	t.Helper()
	f := &Fixture{T: t, Clock: &Clock{at: Today}, Rate: 1, Log: io.Discard}
	var err error
	if f.Table, err = boltstore.Open(filepath.Join(t.TempDir(), "test.db"), f.Now, boltstore.Scratch); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Table.Close() })
	f.Carrier = &Carrier{Folder: t.TempDir(), taken: map[string]int{}}
	if f.Carrier.sender, err = maildir.Open(f.Carrier.Folder, f.Now); err != nil {
		t.Fatal(err)
	}
	return f
}

func AddressOf(who string) string { return who + "@example.com" }

func IDOf(who string) store.SubscriberID { return Links.Subscriber(AddressOf(who)) }

func Route(s string) fare.Route {
	r, err := fare.ParseRoute(s)
	if err != nil {
		panic(err)
	}
	return r
}

func (f *Fixture) Alerts() store.Alerts { return store.Alerts{Table: f.Table} }

func (f *Fixture) Today() fare.Day { return fare.DayOf(f.Now()) }

// The language of the alert is Italian if the length of who is even, else English.
func (f *Fixture) Subscribe(who, route string, threshold fare.Cents) {
	f.T.Helper()
	a := store.Alert{Route: Route(route), Language: "it", Threshold: threshold, RequestDay: f.Today()}
	if len(who)%2 == 1 {
		a.Language = "en"
	}
	f.Confirm(who, a)
}

// If a.Subscriber is empty, Confirm adds an alert by mail.
func (f *Fixture) Confirm(who string, a store.Alert) store.Alert {
	f.T.Helper()
	f.subscribed++
	if a.Subscriber == "" {
		a.Subscriber, a.Email = IDOf(who), AddressOf(who)
	}
	if a.ID = a.NewID(); a.ID != "" || a.Route.Destination == store.Anywhere {
		a.Since = f.Today()
	}
	id := fmt.Sprint(f.subscribed)
	err := f.Alerts().AddPending(f.T.Context(), id, a, f.Now().Add(time.Hour), store.Job{At: f.Now()})
	if err == nil {
		a, err = f.Alerts().Confirm(f.T.Context(), id)
	}
	if err != nil {
		f.T.Fatal(err)
	}
	return a
}

func (f *Fixture) AddAlerts(route string, threshold fare.Cents, who ...string) {
	f.T.Helper()
	r := Route(route)
	ops := []store.Op{{Item: store.Item{Key: store.Key{Partition: "WATCHED#" + string(r.Origin),
		Sort: string(r.Destination)}}}}
	for _, w := range who {
		data := fmt.Appendf(nil, `{"s":%q,"r":{"Origin":%q,"Destination":%q},"e":%q,"l":"it","t":%d}`, IDOf(w),
			r.Origin, r.Destination, AddressOf(w), threshold)
		ops = append(ops, store.Op{Item: store.Item{Key: store.Key{Partition: "ALERTS#" + route,
			Sort: string(IDOf(w))}, Data: data}})
	}
	for batch := range slices.Chunk(ops, store.MaxWrites) {
		if err := f.Table.Write(f.T.Context(), batch...); err != nil {
			f.T.Fatal(err)
		}
	}
}

func (f *Fixture) Unsubscribe(who string) {
	f.T.Helper()
	if _, err := f.Alerts().Remove(f.T.Context(), IDOf(who)); err != nil {
		f.T.Fatal(err)
	}
}

func (f *Fixture) Sender() *notify.Sender {
	return &notify.Sender{
		Alerts: f.Alerts(), Notifications: store.Notifications{Table: f.Table}, Mail: f.Carrier, Links: Links,
		Answers: f.Answers,
		Rate:    f.Rate, Now: f.Now, Sleep: f.Sleep, Log: slog.New(slog.NewTextHandler(f.Log, nil)),
	}
}

func (f *Fixture) Work(want notify.Result) {
	f.T.Helper()
	got, err := f.Sender().Work(f.T.Context())
	if err != nil {
		f.T.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		f.T.Errorf("work (-want +got):\n%s", diff)
	}
}

func (f *Fixture) Mails() (all []mail.Message) {
	f.T.Helper()
	mails, err := maildir.Read(f.Carrier.Folder)
	if err != nil {
		f.T.Fatal(err)
	}
	for _, m := range mails {
		all = append(all, m.Message)
	}
	return all
}

func (f *Fixture) Mailed() map[string]int {
	f.T.Helper()
	got := map[string]int{}
	for _, m := range f.Mails() {
		got[strings.TrimSuffix(m.To, "@example.com")]++
	}
	return got
}

func (f *Fixture) WantMailed(who ...string) {
	f.T.Helper()
	want := map[string]int{}
	for _, w := range who {
		want[w]++
	}
	if diff := cmp.Diff(want, f.Mailed()); diff != "" {
		f.T.Errorf("mails (-want +got):\n%s", diff)
	}
}

func Steady(last ...fare.Cents) []fare.Cents {
	var all []fare.Cents
	for i := range 20 {
		all = append(all, fare.Cents(4900+100*(i%3)))
	}
	return append(all, last...)
}
