package refresh_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/carrier/mail/maildir"
	"verdetto/shared/fare"
	"verdetto/shared/notify"
	"verdetto/shared/notify/notifytest"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
)

// lifetime is the number of calls to the store or the mail carrier after which the test kills a
// process. The last call ends before or after its effect; later calls have none.
type lifetime struct {
	mu    sync.Mutex
	steps int
	last  int
	side  storetest.Side
}

var errKilled = fmt.Errorf("%w: killed", store.ErrUnavailable)

func (l *lifetime) step(call func() error) error {
	l.mu.Lock()
	n := l.steps
	l.steps++
	l.mu.Unlock()
	if n > l.last || n == l.last && l.side == storetest.Before {
		return errKilled
	}
	err := call()
	if n == l.last {
		return errKilled
	}
	return err
}

func (l *lifetime) killed() bool { l.mu.Lock(); defer l.mu.Unlock(); return l.steps > l.last }

type killableTable struct {
	store.Table
	*lifetime
}

func (m killableTable) Get(ctx context.Context, key store.Key, read store.Consistency) (item store.Item, err error) {
	err = m.step(func() error { item, err = m.Table.Get(ctx, key, read); return err })
	return item, err
}

func (m killableTable) Query(ctx context.Context, r store.Range) (items []store.Item, err error) {
	err = m.step(func() error { items, err = m.Table.Query(ctx, r); return err })
	return items, err
}

func (m killableTable) Write(ctx context.Context, ops ...store.Op) error {
	return m.step(func() error { return m.Table.Write(ctx, ops...) })
}

type killableCarrier struct {
	*notifytest.Carrier
	*lifetime
}

func (m killableCarrier) Send(ctx context.Context, message mail.Message) error {
	err := m.step(func() error { return m.Carrier.Send(ctx, message) })
	if errors.Is(err, errKilled) {
		return fmt.Errorf("%w: killed", mail.ErrUnavailable)
	}
	return err
}

func manyAlerts(t *testing.T) (h *fixture, s *source, want map[string]int) {
	h = newFixture(t)
	h.Rate = 20
	want = map[string]int{}
	add := func(prefix string, n int, route string, threshold fare.Cents, met bool) {
		var who []string
		for i := range n {
			who = append(who, fmt.Sprint(prefix, i))
			if met {
				want[who[i]]++
			}
		}
		h.AddAlerts(route, threshold, who...)
	}
	add("verdict", 85, "MIL-BUH", 0, true) // with those below more than a page
	add("over", 10, "MIL-BUH", 2999, false)
	add("under", 10, "MIL-BUH", 3000, true)
	add("verdict", 10, "MIL-LON", 0, false)
	add("under", 10, "ROM-PAR", 4500, true)
	return h, h.priced(map[string][]fare.Cents{"MIL-BUH": notifytest.Steady(3000), "MIL-LON": notifytest.Steady(9000),
		"ROM-PAR": notifytest.Steady(4400)}), want
}

func (h *fixture) process(s *source, l *lifetime) (done bool) {
	h.T.Helper()
	table := killableTable{h.Table, l}
	r := refresher(s, table, h.Now)
	report, err := r.Run(h.T.Context())
	if err != nil || report.Failed > 0 {
		if !l.killed() {
			h.T.Fatalf("%+v %v", report, err)
		}
		return false
	}
	sender := h.Sender()
	sender.Alerts.Table, sender.Notifications.Table, sender.Mail = table, table, killableCarrier{h.Carrier, l}
	sent, err := sender.Work(h.T.Context())
	if (err != nil || sent.More) && !l.killed() {
		h.T.Fatalf("%+v %v", sent, err)
	}
	return err == nil && !sent.More
}

// killAndResume kills a refresh and the sending of its mails at random steps, up to three times in
// a row. In the end every alert that is met has caused one mail, and no other alert has. Only a
// mail that was being sent at a kill may be sent twice.
func killAndResume(t *testing.T, points int) {
	chance := rand.New(rand.NewPCG(2016, 3))
	clean := &lifetime{last: 1 << 30}
	h, s, want := manyAlerts(t)
	if !h.process(s, clean) {
		t.Fatal("not done without being killed")
	}
	if diff := cmp.Diff(want, h.Mailed()); diff != "" {
		t.Fatalf("the case is not what it should be: %s", diff)
	}
	mails := total(want)

	kills, repeated, most := 0, 0, 0
	for range points {
		h, s, want := manyAlerts(t)
		again := 0
		for !h.process(s, nextLifetime(chance, clean.steps, &again, &kills)) {
			h.Add(4 * time.Minute) // until the killed process's lease ends
		}
		if diff := cmp.Diff(want, h.Mailed()); diff != "" {
			t.Fatalf("killed %d times (-want +got):\n%s", again, diff)
		}
		handed := total(h.Carrier.Sent())
		repeated += handed - mails
		most = max(most, handed-mails)
		if handed-mails > 10*again {
			t.Fatalf("%d mails were sent twice by %d kills with 10 on their way", handed-mails, again)
		}
	}
	t.Logf("%d steps; %d kills, %d processes; %d mails each, none lost, none twice in the folder; %d of %d were handed over again (at most %d for one refresh)",
		clean.steps, kills, kills+points, mails, repeated, points*mails, most)
	if kills < points {
		t.Errorf("only %d kills", kills)
	}
}

func total(counts map[string]int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

// nextLifetime ends at most three lifetimes in a row at a random step. The one after them does not
// end.
func nextLifetime(chance *rand.Rand, steps int, again, kills *int) *lifetime {
	if *again > 0 && (*again == 3 || chance.IntN(2) == 0) {
		return &lifetime{last: 1 << 30}
	}
	*again++
	*kills++
	return &lifetime{last: chance.IntN(steps), side: storetest.Side(chance.IntN(2))}
}

// Each call to the store fails once, or is the last that succeeds, before or after its effect.
func TestFaults(t *testing.T) {
	fixtures := map[store.Table]*fixture{}
	open := func(t *testing.T) store.Table {
		h := newFixture(t)
		for _, who := range []string{"ada", "bob", "refused"} {
			h.Subscribe(who, "MIL-BUH", 0)
		}
		h.Subscribe("dan", "MIL-BUH", 100)
		h.Subscribe("gone", "MIL-LON", 0)
		h.Unsubscribe("gone")
		h.Carrier.Before = func(m mail.Message) error {
			if m.To == notifytest.AddressOf("refused") {
				return mail.ErrRefused
			}
			return nil
		}
		fixtures[h.Table] = h
		return h.Table
	}
	eachFault(t, open, func(t *testing.T, f *storetest.Faulty) {
		h := fixtures[f.Table]
		h.T, h.Table = t, f
		s := h.priced(map[string][]fare.Cents{"MIL-BUH": notifytest.Steady(3000), "MIL-LON": notifytest.Steady(3000)})
		for try := 0; ; try++ {
			if try == 4 {
				t.Fatal("it does not come to an end")
			}
			r := refresher(s, f, h.Now)
			report, err := r.Run(t.Context())
			if err == nil && report.Failed == 0 {
				sent, err := h.Sender().Work(t.Context())
				if err == nil && !sent.More {
					break
				}
			}
			f.Heal()
			h.Add(4 * time.Minute)
		}
		h.Table = f.Table
		h.WantMailed("ada", "bob")
		if stopped, err := h.Alerts().Stopped(t.Context(), notifytest.IDOf("refused")); err != nil || !stopped {
			t.Errorf("stopped %v %v", stopped, err)
		}
		for who, n := range h.Carrier.Sent() {
			if n > 2 {
				t.Errorf("%s was sent %d", who, n)
			}
		}
		// A lease that could not be released has expired by now.
		h.Add(4 * time.Minute)
		h.Work(notify.Result{})
		h.WantMailed("ada", "bob")
	})
}

func TestMessageID(t *testing.T) {
	h, s, want := manyAlerts(t)
	if !h.process(s, &lifetime{last: 1 << 30}) {
		t.Fatal("not done")
	}
	mails, err := maildir.Read(h.Carrier.Folder)
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, m := range mails {
		if !strings.HasPrefix(m.Message.ID, "20260304-") || m.File != m.Message.ID+".eml" {
			t.Errorf("file %s, id %s", m.File, m.Message.ID)
		}
		ids[m.Message.ID] = true
	}
	if all := total(want); len(ids) != all || len(ids) != len(mails) {
		t.Errorf("%d identities of %d mails, want %d", len(ids), len(mails), all)
	}
}
