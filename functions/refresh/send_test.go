package refresh_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"verdetto/functions/refresh"
	"verdetto/shared/alertlink"
	"verdetto/shared/fare"
	"verdetto/shared/mail"
	"verdetto/shared/mail/maildir"
	"verdetto/shared/store"
	"verdetto/shared/upstream"
)

func TestWhoIsTold(t *testing.T) {
	for _, c := range []struct {
		name   string
		prices []fare.Cents
		want   []string
	}{
		{"a fall", steady(3000), []string{"ada", "under40", "under30"}},
		{"a small fall", steady(3500), []string{"ada", "under40"}},
		{"no fall", steady(5000), nil},
		{"a rise", steady(9000), nil},
		{"too little data", []fare.Cents{5000, 3000}, nil},
		{"no history at all", []fare.Cents{3000}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHouse(t)
			h.subscribe("ada", "MIL-BUH", 0)
			h.subscribe("under40", "MIL-BUH", 4000)
			h.subscribe("under30", "MIL-BUH", 3000)
			h.subscribe("other", "MIL-LON", 0)
			h.subscribe("left", "MIL-BUH", 0)
			if _, err := h.alerts().Remove(t.Context(), idOf("left")); err != nil {
				t.Fatal(err)
			}
			report := h.refresh(h.priced(map[string][]fare.Cents{"MIL-BUH": c.prices, "MIL-PAR": steady(100)}))
			told := 0
			if len(c.prices) > 8 {
				told = 1
			}
			if report.Woken != told {
				t.Errorf("%d routes woken, want %d", report.Woken, told)
			}
			h.work(refresh.Sent{Sent: len(c.want), Told: told})
			h.wantMailed(c.want...)

			// The same day once more, and the same prices a week later, bring nothing new.
			h.refresh(h.priced(map[string][]fare.Cents{"MIL-BUH": c.prices}))
			h.work(refresh.Sent{})
			h.add(7 * 24 * time.Hour)
			h.refresh(h.priced(map[string][]fare.Cents{"MIL-BUH": slices.Repeat(c.prices[len(c.prices)-1:], 3)}))
			if _, err := h.sender().Work(t.Context()); err != nil {
				t.Fatal(err)
			}
			if len(c.prices) > 8 {
				h.wantMailed(c.want...)
			}
		})
	}
}

// TestToldAgainAfterARise: a fare that rises and falls is told of twice, a refresh that finds nothing in between changes nothing.
func TestToldAgainAfterARise(t *testing.T) {
	h := newHouse(t)
	h.subscribe("ada", "MIL-BUH", 4000)
	mails := 0
	for week, c := range []struct {
		last fare.Cents
		told int
	}{{3000, 1}, {3500, 0}, {4500, 0}, {0, 0}, {4000, 1}, {3900, 0}, {4100, 0}, {3000, 1}} {
		s := &source{has: map[fare.City]any{"MIL": nil}}
		if c.last > 0 {
			s = h.priced(map[string][]fare.Cents{"MIL-BUH": steady(c.last, c.last)})
		}
		h.refresh(s)
		sent, err := h.sender().Work(t.Context())
		if err != nil || sent.Sent != c.told {
			t.Errorf("week %d: %+v %v, want %d sent", week, sent, err, c.told)
		}
		mails += c.told
		h.add(7 * 24 * time.Hour)
	}
	if got := h.mailed()["ada"]; got != mails {
		t.Errorf("%d mails, want %d", got, mails)
	}
}

func TestTheMail(t *testing.T) {
	h := newHouse(t)
	h.subscribe("ab", "MIL-BUH", 0)
	h.subscribe("ada", "MIL-BUH", 3100)
	h.refresh(h.priced(map[string][]fare.Cents{"MIL-BUH": steady(3000)}))
	h.work(refresh.Sent{Sent: 2, Told: 1})
	mails, err := maildir.Read(h.post.dir)
	if err != nil || len(mails) != 2 {
		t.Fatal(len(mails), err)
	}
	for _, m := range mails {
		who, subject, says := "ab", "Milano–Bucarest: 30,00\u00a0€, ottimo", "quando il verdetto"
		if m.To == addressOf("ada") {
			who, subject, says = "ada", "Milan–Bucharest: €30.00, great", "€31.00 or less"
		}
		if m.Subject != subject || !strings.Contains(m.Text, says) || len(m.Inline) != 1 || m.Tag != mail.AlertTag {
			t.Errorf("%s has %q:\n%s", who, m.Subject, m.Text)
		}
		token, ok := strings.CutPrefix(m.Unsubscribe, "https://verdetto.example/v1/alerts/unsubscribe?t=")
		subscriber, of, opened := alertlink.Open(pepper, alertlink.Unsubscribe, token)
		if !ok || !opened || subscriber != string(idOf(who)) || of != "MIL-BUH" {
			t.Errorf("%s can end it by %q", who, m.Unsubscribe)
		}
	}
}

// TestNobodyIsToldWhat: what is not known to be true is not told.
func TestNobodyIsToldWhat(t *testing.T) {
	good := map[string][]fare.Cents{"MIL-BUH": steady(3000)}
	for _, c := range []struct {
		name string
		do   func(h *house)
	}{
		{"the origin could not be asked", func(h *house) {
			h.refresh(&source{has: map[fare.City]any{"MIL": upstream.ErrUnavailable}})
		}},
		{"the origin could not be asked, and the sheet is a good one", func(h *house) {
			if _, err := h.alerts().Remove(h.t.Context(), idOf("ada")); err != nil {
				h.t.Fatal(err)
			}
			h.refresh(h.priced(good))
			h.work(refresh.Sent{Told: 1})
			h.subscribe("ada", "MIL-BUH", 0)
			h.refresh(&source{has: map[fare.City]any{"MIL": upstream.ErrUnavailable}})
		}},
		{"the route is not in the answer", func(h *house) {
			h.refresh(h.priced(map[string][]fare.Cents{"MIL-LON": steady(3000)}))
		}},
		{"the news is older than a week", func(h *house) {
			h.refresh(h.priced(good))
			h.add(8 * 24 * time.Hour)
		}},
		{"the fare has departed since", func(h *house) {
			s := h.priced(good)
			for i := range s.has["MIL"].([]fare.Fare) {
				s.has["MIL"].([]fare.Fare)[i].Depart = fare.DayOf(h.now())
			}
			h.refresh(s)
			h.add(24 * time.Hour)
		}},
		{"the next refresh no longer finds it", func(h *house) {
			h.refresh(h.priced(good))
			h.add(24 * time.Hour)
			h.refresh(&source{has: map[fare.City]any{"MIL": nil}})
		}},
		{"it rose on the same day", func(h *house) {
			h.refresh(h.priced(good))
			s := h.priced(map[string][]fare.Cents{"MIL-BUH": steady(3000)})
			last := &s.has["MIL"].([]fare.Fare)[20]
			last.Found, last.Price = last.Found+3600, 6000
			h.refresh(s)
		}},
		{"nothing is sent there any more", func(h *house) {
			stop := store.Op{Item: store.Item{Key: store.Key{Partition: "STOPPED#" + string(idOf("ada")), Sort: "MARK"}}}
			if err := h.table.Write(h.t.Context(), stop); err != nil {
				h.t.Fatal(err)
			}
			h.refresh(h.priced(good))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHouse(t)
			h.subscribe("ada", "MIL-BUH", 0)
			c.do(h)
			if _, err := h.sender().Work(t.Context()); err != nil {
				t.Fatal(err)
			}
			h.wantMailed()
		})
	}
	t.Run("the case itself is one of news", func(t *testing.T) {
		h := newHouse(t)
		h.subscribe("ada", "MIL-BUH", 0)
		h.refresh(h.priced(good))
		h.work(refresh.Sent{Sent: 1, Told: 1})
		h.wantMailed("ada")
	})
}

// TestNobodyWatches: the mark of a route that nobody has an alert for goes with the next news.
func TestNobodyWatches(t *testing.T) {
	h := newHouse(t)
	h.subscribe("ada", "MIL-BUH", 0)
	if _, err := h.alerts().Remove(t.Context(), idOf("ada")); err != nil {
		t.Fatal(err)
	}
	h.refresh(h.priced(map[string][]fare.Cents{"MIL-BUH": steady(3000)}))
	h.work(refresh.Sent{Told: 1})
	if cities, err := h.alerts().Watched(t.Context(), "MIL"); err != nil || len(cities) > 0 {
		t.Errorf("%v are watched, %v", cities, err)
	}
}

// fall has everyone told of a fall, by default.
func fall(t *testing.T, who ...string) *house {
	h := newHouse(t)
	for _, w := range who {
		h.subscribe(w, "MIL-BUH", 0)
	}
	h.refresh(h.priced(map[string][]fare.Cents{"MIL-BUH": steady(3000)}))
	return h
}

func TestCarrier(t *testing.T) {
	everyone := []string{"ada", "bob", "cleo", "dan"}
	t.Run("throttled for a while", func(t *testing.T) {
		for _, fault := range []error{mail.ErrThrottled, mail.ErrUnavailable} {
			h := fall(t, everyone...)
			left := 3
			h.post.before = func(mail.Message) error {
				if left--; left >= 0 {
					return fault
				}
				return nil
			}
			began := h.now()
			h.work(refresh.Sent{Sent: 4, Told: 1})
			h.wantMailed(everyone...)
			if waited := h.now().Sub(began); waited < 7*time.Second { // 1, 2 and 4
				t.Errorf("%v: all were told within %v", fault, waited)
			}
		}
	})
	t.Run("one is throttled for good", func(t *testing.T) {
		h := fall(t, everyone...)
		h.post.before = func(m mail.Message) error {
			if m.To == addressOf("bob") {
				return mail.ErrThrottled
			}
			return nil
		}
		h.work(refresh.Sent{Sent: 3, Postponed: 1, Left: true})
		h.wantMailed("ada", "cleo", "dan")
		h.post.before = nil
		h.work(refresh.Sent{Sent: 1, Told: 1})
		h.wantMailed(everyone...)
	})
	t.Run("everyone is throttled for good", func(t *testing.T) {
		var who []string
		for i := range 20 {
			who = append(who, fmt.Sprintf("s%02d", i))
		}
		h := fall(t, who...)
		tried := 0
		h.post.before = func(mail.Message) error { tried++; return mail.ErrThrottled }
		got, err := h.sender().Work(t.Context())
		if !errors.Is(err, mail.ErrThrottled) || got.Sent != 0 || !got.Left || tried != 30 {
			t.Errorf("%+v after %d tries, %v", got, tried, err)
		}
		h.post.before = nil
		h.work(refresh.Sent{Sent: 20, Told: 1})
		h.wantMailed(who...)
	})
	t.Run("one is refused", func(t *testing.T) {
		h := fall(t, everyone...)
		tried := 0
		h.post.before = func(m mail.Message) error {
			if m.To != addressOf("bob") {
				return nil
			}
			tried++
			return mail.ErrRefused
		}
		h.work(refresh.Sent{Sent: 3, Refused: 1, Told: 1})
		h.wantMailed("ada", "cleo", "dan")
		if stopped, err := h.alerts().Stopped(t.Context(), idOf("bob")); !stopped || err != nil {
			t.Errorf("stopped %v %v", stopped, err)
		}
		if of, err := h.alerts().Of(t.Context(), idOf("bob")); len(of) > 0 || err != nil {
			t.Errorf("alerts %v %v", of, err)
		}
		// A rise and another fall later, it is not tried again.
		for _, price := range []fare.Cents{6000, 3000} {
			h.add(7 * 24 * time.Hour)
			h.refresh(h.priced(map[string][]fare.Cents{"MIL-BUH": steady(price, price)}))
			if _, err := h.sender().Work(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if got := h.mailed(); got["ada"] != 2 || got["bob"] != 0 || tried != 1 {
			t.Errorf("mails %v, %d tries", got, tried)
		}
	})
	t.Run("everyone is refused", func(t *testing.T) {
		var who []string
		for i := range 20 {
			who = append(who, fmt.Sprintf("s%02d", i))
		}
		h := fall(t, who...)
		tried := 0
		h.post.before = func(mail.Message) error { tried++; return mail.ErrRefused }
		got, err := h.sender().Work(t.Context())
		if !errors.Is(err, mail.ErrRefused) || got.Refused != 5 || !got.Left || tried != 5 {
			t.Errorf("%+v after %d tries, %v", got, tried, err)
		}
		h.post.before = nil
		h.work(refresh.Sent{Sent: 15, Told: 1}) // the others are as they were
	})
	t.Run("blocked", func(t *testing.T) {
		h := fall(t, everyone...)
		tried := 0
		h.post.before = func(mail.Message) error {
			if tried++; tried > 2 {
				return mail.ErrBlocked
			}
			return nil
		}
		got, err := h.sender().Work(t.Context())
		if !errors.Is(err, mail.ErrBlocked) || got.Sent != 2 || !got.Left || tried != 3 {
			t.Errorf("%+v after %d tries, %v", got, tried, err)
		}
		h.post.before = nil
		h.work(refresh.Sent{Sent: 2, Told: 1})
		h.wantMailed(everyone...)
	})
	t.Run("an address that is none is a fault of ours", func(t *testing.T) {
		h := newHouse(t)
		h.subscribe("ada", "MIL-BUH", 0)
		h.subscribe("b b", "MIL-BUH", 0)
		h.refresh(h.priced(map[string][]fare.Cents{"MIL-BUH": steady(3000)}))
		got, err := h.sender().Work(t.Context())
		if !errors.Is(err, mail.ErrAddress) || got.Sent != 1 || got.Told != 1 {
			t.Errorf("%+v %v", got, err)
		}
	})
}

// TestNothingPersonalIsLogged: neither addresses nor what stands for them, nor links.
func TestNothingPersonalIsLogged(t *testing.T) {
	h := fall(t, "ada", "bob", "cleo")
	var log strings.Builder
	h.log = &log
	turn := 0
	h.post.before = func(m mail.Message) error {
		turn++
		return []error{mail.ErrThrottled, mail.ErrRefused, mail.ErrUnavailable, nil, mail.ErrBlocked}[(turn-1)%5]
	}
	if _, err := h.sender().Work(t.Context()); err == nil {
		t.Fatal("not blocked")
	}
	for _, who := range []string{"ada", "bob", "cleo"} {
		if strings.Contains(log.String(), who) || strings.Contains(log.String(), string(idOf(who))) {
			t.Errorf("the log tells of %s:\n%s", who, &log)
		}
	}
	if !strings.Contains(log.String(), "refused for good") {
		t.Errorf("the log does not tell what happened:\n%s", &log)
	}
}

// TestTwoSenders: while one is sending, another leaves it alone, and takes over when its lease is over.
func TestTwoSenders(t *testing.T) {
	h := fall(t, "ada", "bob")
	inside, on := make(chan struct{}), make(chan struct{})
	var stood atomic.Bool
	h.post.before = func(mail.Message) error {
		if stood.CompareAndSwap(false, true) {
			close(inside)
			<-on
		}
		return nil
	}
	type result struct {
		sent refresh.Sent
		err  error
	}
	first := make(chan result, 1)
	go func() {
		sent, err := h.sender().Work(t.Context())
		first <- result{sent, err}
	}()
	<-inside
	h.work(refresh.Sent{Busy: true, Left: true})

	// It stands still for longer than its lease: another takes over and tells all.
	h.add(4 * time.Minute)
	h.work(refresh.Sent{Sent: 2, Told: 1})
	close(on)
	got := <-first
	if got.err != nil || got.sent.Sent > 1 {
		t.Errorf("the first: %+v %v", got.sent, got.err)
	}
	h.wantMailed("ada", "bob") // that of the standstill was sent twice, as the same message
	h.work(refresh.Sent{})
}

// TestNoTime: a Work whose time is nearly over begins nothing, and one that is
// cut off goes on where it stopped.
func TestNoTime(t *testing.T) {
	var who []string
	for i := range 250 {
		who = append(who, fmt.Sprintf("s%03d", i))
	}
	h := fall(t, who...)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second) // less than is kept in reserve
	defer cancel()
	if got, err := h.sender().Work(ctx); err != nil || got.Sent != 0 || !got.Left {
		t.Errorf("%+v %v", got, err)
	}
	total := 0
	for round := 1; ; round++ {
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		h.post.after = func(mail.Message) error {
			if n++; n == 40 {
				cancel()
			}
			return nil
		}
		got, err := h.sender().Work(ctx)
		cancel()
		total += got.Sent
		if err != nil || got.Sent > 40 {
			t.Fatalf("round %d: %+v %v", round, got, err)
		}
		if !got.Left {
			if round != 7 || total != 250 {
				t.Errorf("%d sent in %d rounds", total, round)
			}
			break
		}
	}
	h.wantMailed(who...)
	for address, n := range h.post.taken {
		if n != 1 {
			t.Errorf("%s was sent %d", address, n)
		}
	}
}

// TestUnsubscribedMeanwhile: who leaves, or changes the threshold, after the page was read is heard.
func TestUnsubscribedMeanwhile(t *testing.T) {
	h := fall(t, "ada", "bob", "cleo", "dan")
	order := []string{"ada", "bob", "cleo", "dan"}
	slices.SortFunc(order, func(a, b string) int { return strings.Compare(string(idOf(a)), string(idOf(b))) })
	h.post.after = func(m mail.Message) error {
		if m.To != addressOf(order[0]) {
			return nil
		}
		if _, err := h.alerts().Remove(t.Context(), idOf(order[2])); err != nil {
			t.Error(err)
		}
		h.subscribe(order[3], "MIL-BUH", 100)
		return nil
	}
	h.work(refresh.Sent{Sent: 2, Told: 1})
	h.wantMailed(order[:2]...)
}

// TestWhatCannotBeRead: an item that nobody can make out keeps nobody else from being told.
func TestWhatCannotBeRead(t *testing.T) {
	for _, c := range []struct {
		name string
		key  store.Key
	}{
		{"news, before all other", store.Key{Partition: "WAKES", Sort: "AAA-BBB"}},
		{"news that has no route", store.Key{Partition: "WAKES", Sort: "0"}},
		{"an alert", store.Key{Partition: "ALERTS#MIL-BUH", Sort: "-"}},
		{"what refreshes saw", store.Key{Partition: "SEEN#MIL-BUH", Sort: "HISTORY"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHouse(t)
			h.subscribe("ada", "MIL-BUH", 0)
			h.subscribe("bob", "MIL-LON", 0)
			if err := h.table.Write(t.Context(), store.Op{Mode: store.Set, Item: store.Item{Key: c.key, Data: []byte("{")}}); err != nil {
				t.Fatal(err)
			}
			report := h.refresh(h.priced(map[string][]fare.Cents{"MIL-BUH": steady(3000), "MIL-LON": steady(3000)}))
			if report.Failed > 0 {
				t.Errorf("%+v", report)
			}
			for range 2 { // the first may say what it met
				if sent, err := h.sender().Work(t.Context()); sent.Left {
					t.Errorf("not all was told: %v", err)
				}
			}
			h.wantMailed("ada", "bob")
		})
	}
}

// TestTakenBackAndTrueAgain: a source that leaves a route out for once, on one
// day, does not keep its news from being told.
func TestTakenBackAndTrueAgain(t *testing.T) {
	h := newHouse(t)
	h.subscribe("ada", "MIL-BUH", 0)
	good := h.priced(map[string][]fare.Cents{"MIL-BUH": steady(3000)})
	h.refresh(good)
	h.refresh(&source{has: map[fare.City]any{"MIL": nil}})
	h.work(refresh.Sent{}) // it is not true just now
	h.refresh(good)
	h.work(refresh.Sent{Sent: 1, Told: 1})
	h.refresh(&source{has: map[fare.City]any{"MIL": nil}})
	h.refresh(good)
	h.work(refresh.Sent{Told: 1}) // ada knows
	h.wantMailed("ada")
}
