package notify_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/fare"
	"verdetto/shared/notify"
	"verdetto/shared/notify/notifytest"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
)

func leave(h *notifytest.Fixture, prices ...fare.Cents) {
	h.T.Helper()
	today := fare.DayOf(h.Now())
	var found []fare.Observation
	for i, price := range prices {
		day := today - fare.Day(len(prices)-1-i)
		found = append(found, fare.Observation{Found: day.Time().Unix(), Depart: today + 150, Price: price})
	}
	notifications := store.Notifications{Table: h.Table}
	if _, err := notify.StoreNews(h.T.Context(), notifications, notifytest.Route("MIL-BUH"),
		verdict.Build(found, verdict.RouteSummary{}, today, verdict.Options{}), today); err != nil {
		h.T.Fatal(err)
	}
}

func fall(t *testing.T, who ...string) *notifytest.Fixture {
	h := notifytest.New(t)
	for _, w := range who {
		h.Subscribe(w, "MIL-BUH", 0)
	}
	leave(h, notifytest.Steady(3000)...)
	return h
}

func TestAlertMail(t *testing.T) {
	h := notifytest.New(t)
	h.Subscribe("ab", "MIL-BUH", 0)
	h.Subscribe("ada", "MIL-BUH", 3100)
	leave(h, notifytest.Steady(3000)...)
	h.Work(notify.Result{Sent: 2, Settled: 1})
	h.WantMailed("ab", "ada")
	for _, m := range h.Mails() {
		who, subject, says := "ab", "Milano–Bucarest: i prezzi sono molto bassi, da 30,00\u00a0€", "quando i prezzi"
		if m.To == notifytest.AddressOf("ada") {
			who, subject, says = "ada", "Milan–Bucharest: fares are very low, from €30.00", "€31.00 or less"
		}
		if m.Subject != subject || !strings.Contains(m.Text, says) || len(m.Inline) != 1 || m.Tag != mail.AlertTag {
			t.Errorf("%s has %q:\n%s", who, m.Subject, m.Text)
		}
		token, ok := strings.CutPrefix(m.Unsubscribe, "https://verdetto.example/v1/alerts/unsubscribe?t=")
		subscriber, alert, opened := notifytest.Links.OpenUnsubscribe(token)
		if !ok || !opened || subscriber != notifytest.IDOf(who) ||
			alert != (store.Ref{Route: notifytest.Route("MIL-BUH")}) {
			t.Errorf("%s can end it by %q", who, m.Unsubscribe)
		}
	}
}

var everyone = []string{"ada", "bob", "cleo", "dan"}

func isBob(m mail.Message) bool { return m.To == notifytest.AddressOf("bob") }

func numbered(many int) (who []string) {
	for i := range many {
		who = append(who, fmt.Sprintf("s%03d", i))
	}
	return who
}

func TestCarrier(t *testing.T) {
	for _, c := range []struct {
		name  string
		who   []string
		fault error
		hits  func(tried int, m mail.Message) bool
		err   error
		want  notify.Result // without More, which is always true
		tried int
		next  int
	}{
		{"one is throttled for good", everyone, mail.ErrThrottled, func(_ int, m mail.Message) bool { return isBob(m) },
			nil, notify.Result{Sent: 3, Postponed: 1}, 9, 1},
		{"everyone is throttled for good", numbered(20), mail.ErrThrottled,
			func(int, mail.Message) bool { return true },
			mail.ErrThrottled, notify.Result{Postponed: 5}, 30, 20},
		{"everyone is refused", numbered(20), mail.ErrRefused, func(int, mail.Message) bool { return true },
			mail.ErrRefused, notify.Result{Refused: 5}, 5, 15},
		{"blocked", everyone, mail.ErrBlocked, func(tried int, _ mail.Message) bool { return tried > 2 },
			mail.ErrBlocked, notify.Result{Sent: 2}, 3, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, tried := fall(t, c.who...), 0
			h.Carrier.Before = func(m mail.Message) error {
				if tried++; c.hits(tried, m) {
					return c.fault
				}
				return nil
			}
			got, err := h.Sender().Work(t.Context())
			c.want.More = true
			if !errors.Is(err, c.err) || got != c.want || tried != c.tried {
				t.Errorf("%+v after %d tries, %v", got, tried, err)
			}
			h.Carrier.Before = nil
			h.Work(notify.Result{Sent: c.next, Settled: 1})
			if got.Refused == 0 {
				h.WantMailed(c.who...)
			}
		})
	}
}

func TestThrottledForAWhile(t *testing.T) {
	for _, fault := range []error{mail.ErrThrottled, mail.ErrUnavailable} {
		h, left := fall(t, everyone...), 3
		h.Carrier.Before = func(mail.Message) error {
			if left--; left >= 0 {
				return fault
			}
			return nil
		}
		began := h.Now()
		h.Work(notify.Result{Sent: 4, Settled: 1})
		h.WantMailed(everyone...)
		if waited := h.Now().Sub(began); waited < 7*time.Second {
			t.Errorf("%v: all were sent within %v", fault, waited)
		}
	}
}

func TestRefused(t *testing.T) {
	h, tried := fall(t, everyone...), 0
	h.Carrier.Before = func(m mail.Message) error {
		if !isBob(m) {
			return nil
		}
		tried++
		return mail.ErrRefused
	}
	h.Work(notify.Result{Sent: 3, Refused: 1, Settled: 1})
	h.WantMailed("ada", "cleo", "dan")
	if stopped, err := h.Alerts().Stopped(t.Context(), notifytest.IDOf("bob")); !stopped || err != nil {
		t.Errorf("stopped %v %v", stopped, err)
	}
	if left, err := h.Alerts().BySubscriber(t.Context(), notifytest.IDOf("bob")); len(left) > 0 || err != nil {
		t.Errorf("alerts %v %v", left, err)
	}
	for _, price := range []fare.Cents{6000, 3000} {
		h.Add(7 * 24 * time.Hour)
		leave(h, notifytest.Steady(price, price)...)
		if _, err := h.Sender().Work(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if got := h.Mailed(); got["ada"] != 2 || got["bob"] != 0 || tried != 1 {
		t.Errorf("mails %v, %d tries", got, tried)
	}
}

func TestAnAddressThatIsNone(t *testing.T) {
	h := fall(t, "ada", "b b")
	if got, err := h.Sender().Work(t.Context()); !errors.Is(err, mail.ErrAddress) || got.Sent != 1 || got.Settled != 1 {
		t.Errorf("%+v %v", got, err)
	}
}

func TestNothingPersonalIsLogged(t *testing.T) {
	h := fall(t, "ada", "bob", "cleo")
	var log strings.Builder
	h.Log = &log
	turn := 0
	h.Carrier.Before = func(m mail.Message) error {
		turn++
		return []error{mail.ErrThrottled, mail.ErrRefused, mail.ErrUnavailable, nil, mail.ErrBlocked}[(turn-1)%5]
	}
	if _, err := h.Sender().Work(t.Context()); err == nil {
		t.Fatal("not blocked")
	}
	for _, who := range []string{"ada", "bob", "cleo"} {
		if strings.Contains(log.String(), who) || strings.Contains(log.String(), string(notifytest.IDOf(who))) {
			t.Errorf("the log tells of %s:\n%s", who, &log)
		}
	}
	if !strings.Contains(log.String(), "refuses a message for good") {
		t.Errorf("the log does not tell what happened:\n%s", &log)
	}
}

func TestTwoSenders(t *testing.T) {
	h := fall(t, "ada", "bob")
	inside, on := make(chan struct{}), make(chan struct{})
	var stood atomic.Bool
	h.Carrier.Before = func(mail.Message) error {
		if stood.CompareAndSwap(false, true) {
			close(inside)
			<-on
		}
		return nil
	}
	type result struct {
		sent notify.Result
		err  error
	}
	first := make(chan result, 1)
	go func() {
		sent, err := h.Sender().Work(t.Context())
		first <- result{sent, err}
	}()
	<-inside
	h.Work(notify.Result{Busy: true, More: true})

	h.Add(4 * time.Minute)
	h.Work(notify.Result{Sent: 2, Settled: 1})
	close(on)
	got := <-first
	if got.err != nil || got.sent.Sent > 1 {
		t.Errorf("the first: %+v %v", got.sent, got.err)
	}
	h.WantMailed("ada", "bob")
	h.Work(notify.Result{})
}

func TestNoTime(t *testing.T) {
	who := numbered(250)
	h := fall(t, who...)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second) // shorter than the constant reserve
	defer cancel()
	if got, err := h.Sender().Work(ctx); err != nil || got.Sent != 0 || !got.More {
		t.Errorf("%+v %v", got, err)
	}
	total := 0
	for round := 1; ; round++ {
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		h.Carrier.After = func(mail.Message) error {
			if n++; n == 40 {
				cancel()
			}
			return nil
		}
		got, err := h.Sender().Work(ctx)
		cancel()
		total += got.Sent
		if err != nil || got.Sent > 40 {
			t.Fatalf("round %d: %+v %v", round, got, err)
		}
		if !got.More {
			if round != 7 || total != 250 {
				t.Errorf("%d sent in %d rounds", total, round)
			}
			break
		}
	}
	h.WantMailed(who...)
	for address, n := range h.Carrier.Sent() {
		if n != 1 {
			t.Errorf("%s was sent %d", address, n)
		}
	}
}

func TestUnsubscribedMeanwhile(t *testing.T) {
	h := fall(t, everyone...)
	order := slices.Clone(everyone)
	slices.SortFunc(order, func(a, b string) int {
		return strings.Compare(string(notifytest.IDOf(a)),
			string(notifytest.IDOf(b)))
	})
	h.Carrier.After = func(m mail.Message) error {
		if m.To != notifytest.AddressOf(order[0]) {
			return nil
		}
		if _, err := h.Alerts().Remove(t.Context(), notifytest.IDOf(order[2])); err != nil {
			t.Error(err)
		}
		h.Subscribe(order[3], "MIL-BUH", 100)
		return nil
	}
	h.Work(notify.Result{Sent: 2, Settled: 1})
	h.WantMailed(order[:2]...)
}

type downCarrier struct {
	fault error
	tried map[store.SubscriberID]int
	mu    sync.Mutex
}

func (c *downCarrier) Deliver(_ context.Context, to store.Alert, _ notify.Message) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tried[to.Subscriber]++
	return c.fault
}

func TestChannelsFailAlone(t *testing.T) {
	for _, c := range []struct {
		name  string
		fault error
	}{
		{"throttled for good", mail.ErrThrottled}, {"unknown outcome", mail.ErrUnavailable},
		{"blocked", mail.ErrBlocked}, {"refused", mail.ErrRefused},
	} {
		for _, mails := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/mails %t", c.name, mails), func(t *testing.T) {
				h := notifytest.New(t)
				const each = 20
				var mailed []string
				for i := range each {
					mailed = append(mailed, fmt.Sprintf("s%02d", i))
					h.Subscribe(mailed[i], "MIL-BUH", 0)
					h.Confirm("", store.Alert{
						Subscriber: store.SubscriberID(fmt.Sprintf("phone%02d", i)),
						Route:      notifytest.Route("MIL-BUH"), Language: "it",
						Channel: store.Ntfy, Address: fmt.Sprintf("https://ntfy.example/%d", i),
					})
				}
				leave(h, notifytest.Steady(3000)...)
				phones := &downCarrier{tried: map[store.SubscriberID]int{}}
				if mails {
					h.Carrier.Before = func(mail.Message) error { return c.fault }
				} else {
					phones.fault = c.fault
				}
				work := func() (notify.Result, error) {
					sender := h.Sender()
					sender.Carriers = map[string]notify.Carrier{store.Ntfy: phones}
					return sender.Work(t.Context())
				}
				got, err := work()
				if !errors.Is(err, c.fault) && !errors.Is(err, mail.ErrThrottled) || got.Sent != each || !got.More ||
					got.Settled != 0 {
					t.Errorf("%+v %v", got, err)
				}
				if mails {
					h.WantMailed()
				} else {
					h.WantMailed(mailed...)
				}
				if n := len(phones.tried); mails && n != each || !mails && n > 5 {
					t.Errorf("%d phones were tried", n)
				}
				gone := got.Refused
				h.Carrier.Before, phones.fault = nil, nil
				if got, err := work(); err != nil || got.Sent != each-gone || got.More || got.Settled != 1 {
					t.Errorf("the next: %+v %v", got, err)
				}
			})
		}
	}
}
