package refresh_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/functions/refresh"
	"verdetto/shared/alertlink"
	"verdetto/shared/fare"
	"verdetto/shared/mail"
	"verdetto/shared/mail/maildir"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
)

// hand is a clock that stands still but where somebody sleeps.
type hand struct {
	mu sync.Mutex
	at time.Time
}

func (h *hand) now() time.Time { h.mu.Lock(); defer h.mu.Unlock(); return h.at }

func (h *hand) add(d time.Duration) { h.mu.Lock(); defer h.mu.Unlock(); h.at = h.at.Add(d) }

// sleep moves the clock, however many sleep at a time, to when the last one wakes.
func (h *hand) sleep(ctx context.Context, d time.Duration) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if until := h.at.Add(d); until.After(h.at) {
		h.at = until
	}
	return ctx.Err()
}

// post is a carrier that writes mail into a folder and remembers what it took.
type post struct {
	folder *maildir.Sender
	dir    string
	// before and after, where set, say how a mail fares: an error from before keeps it from being sent.
	before, after func(m mail.Message) error

	mu    sync.Mutex
	taken map[string]int // by address, each time that Send took effect
}

func (p *post) Send(ctx context.Context, m mail.Message) error {
	if p.before != nil {
		if err := p.before(m); err != nil {
			return err
		}
	}
	if err := p.folder.Send(ctx, m); err != nil {
		return err
	}
	p.mu.Lock()
	p.taken[m.To]++
	p.mu.Unlock()
	if p.after != nil {
		return p.after(m)
	}
	return nil
}

var pepper = []byte("a pepper of more than thirty-two characters")

// house is a store, a clock, a carrier and those who live there.
type house struct {
	t *testing.T
	*hand
	table store.Table
	post  *post
	rate  float64
	log   io.Writer
	asked int
}

func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{t: t, hand: &hand{at: today}, rate: 1, log: io.Discard} // one message at a time, at this rate
	var err error
	if h.table, err = boltstore.Open(filepath.Join(t.TempDir(), "test.db"), h.now, boltstore.Scratch); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.table.Close() })
	h.post = &post{dir: t.TempDir(), taken: map[string]int{}}
	if h.post.folder, err = maildir.Open(h.post.dir, h.now); err != nil {
		t.Fatal(err)
	}
	return h
}

func (h *house) alerts() store.Alerts { return store.Alerts{Table: h.table} }

func route(s string) fare.Route {
	r, err := fare.ParseRoute(s)
	if err != nil {
		panic(err)
	}
	return r
}

func addressOf(who string) string { return who + "@example.com" }

func idOf(who string) store.SubscriberID {
	return store.SubscriberID(alertlink.Subscriber(pepper, addressOf(who)))
}

// subscribe makes a confirmed alert.
func (h *house) subscribe(who, to string, threshold fare.Cents) {
	h.t.Helper()
	h.asked++
	id := fmt.Sprint(h.asked)
	wish := store.Alert{Subscriber: idOf(who), Route: route(to), Email: addressOf(who), Language: "it", Threshold: threshold}
	if len(who)%2 == 1 {
		wish.Language = "en"
	}
	err := h.alerts().AddPending(h.t.Context(), id, wish, h.now().Add(time.Hour), store.Job{At: h.now()})
	if err == nil {
		_, err = h.alerts().Confirm(h.t.Context(), id)
	}
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) refresh(s *source) refresh.Report {
	h.t.Helper()
	r := refresh.Refresher{Source: s, Fares: store.Fares{Table: h.table}, Now: h.now, Workers: 1}
	report, err := r.Run(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	return report
}

func (h *house) sender() *refresh.Sender {
	return &refresh.Sender{
		Alerts: h.alerts(), Notifications: store.Notifications{Table: h.table}, Mail: h.post, Pepper: pepper, BaseURL: "https://verdetto.example",
		Rate: h.rate, Now: h.now, Sleep: h.sleep, Log: slog.New(slog.NewTextHandler(h.log, nil)),
	}
}

func (h *house) work(want refresh.Sent) {
	h.t.Helper()
	got, err := h.sender().Work(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		h.t.Errorf("work (-want +got):\n%s", diff)
	}
}

// mailed is who has how many mails.
func (h *house) mailed() map[string]int {
	h.t.Helper()
	mails, err := maildir.Read(h.post.dir)
	if err != nil {
		h.t.Fatal(err)
	}
	got := map[string]int{}
	for _, m := range mails {
		got[strings.TrimSuffix(m.To, "@example.com")]++
	}
	return got
}

func (h *house) wantMailed(who ...string) {
	h.t.Helper()
	want := map[string]int{}
	for _, w := range who {
		want[w]++
	}
	if diff := cmp.Diff(want, h.mailed()); diff != "" {
		h.t.Errorf("mails (-want +got):\n%s", diff)
	}
}

// priced is a source with one fare a day on a route from day to day, the last price today's.
func (h *house) priced(prices map[string][]fare.Cents) *source {
	s := &source{has: map[fare.City]any{}}
	day := fare.DayOf(h.now())
	for name, all := range prices {
		r := route(name)
		had, _ := s.has[r.Origin].([]fare.Fare)
		for i, price := range all {
			found := day - fare.Day(len(all)-1-i)
			had = append(had, fare.Fare{Route: r, Observation: fare.Observation{Found: found.Time().Unix(), Depart: fare.DayOf(today) + 200, Price: price}})
		}
		s.has[r.Origin] = had
	}
	return s
}

// steady is a history of prices around 50 euro, and then those given.
func steady(last ...fare.Cents) []fare.Cents {
	var all []fare.Cents
	for i := range 20 {
		all = append(all, fare.Cents(4900+100*(i%3)))
	}
	return append(all, last...)
}
