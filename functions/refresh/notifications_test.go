package refresh_test

import (
	"slices"
	"testing"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/notify"
	"verdetto/shared/notify/notifytest"
	"verdetto/shared/store"
	"verdetto/shared/upstream"
)

func TestWhoIsNotified(t *testing.T) {
	for _, c := range []struct {
		name   string
		prices []fare.Cents
		want   []string
	}{
		{"a fall", notifytest.Steady(3000), []string{"ada", "under40", "under30"}},
		{"a small fall", notifytest.Steady(3500), []string{"ada", "under40"}},
		{"no fall", notifytest.Steady(5000), nil},
		{"a rise", notifytest.Steady(9000), nil},
		{"too little data", []fare.Cents{5000, 3000}, nil},
		{"no history at all", []fare.Cents{3000}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newFixture(t)
			h.Subscribe("ada", "MIL-BUH", 0)
			h.Subscribe("under40", "MIL-BUH", 4000)
			h.Subscribe("under30", "MIL-BUH", 3000)
			h.Subscribe("other", "MIL-LON", 0)
			h.Subscribe("left", "MIL-BUH", 0)
			h.Unsubscribe("left")
			report := h.refresh(h.priced(map[string][]fare.Cents{"MIL-BUH": c.prices,
				"MIL-PAR": notifytest.Steady(100)}))
			done := 0
			if len(c.prices) > 8 {
				done = 1
			}
			if report.Notifications != done {
				t.Errorf("%d notifications left, want %d", report.Notifications, done)
			}
			h.Work(notify.Result{Sent: len(c.want), Settled: done})
			h.WantMailed(c.want...)

			// Neither a second refresh on the same day nor equal prices a week later cause a new
			// notification.
			h.refresh(h.priced(map[string][]fare.Cents{"MIL-BUH": c.prices}))
			h.Work(notify.Result{})
			h.Add(7 * 24 * time.Hour)
			h.refresh(h.priced(map[string][]fare.Cents{"MIL-BUH": slices.Repeat(c.prices[len(c.prices)-1:], 3)}))
			if _, err := h.Sender().Work(t.Context()); err != nil {
				t.Fatal(err)
			}
			if len(c.prices) > 8 {
				h.WantMailed(c.want...)
			}
		})
	}
}

// A fare falls, rises and falls again, which causes two mails. A refresh in between that finds no
// fares changes nothing.
func TestNotifiedAgainAfterARise(t *testing.T) {
	h := newFixture(t)
	h.Subscribe("ada", "MIL-BUH", 4000)
	mails := 0
	for week, c := range []struct {
		last fare.Cents
		sent int
	}{{3000, 1}, {3500, 0}, {4500, 0}, {0, 0}, {4000, 1}, {3900, 0}, {4100, 0}, {3000, 1}} {
		s := &source{has: map[fare.City]any{"MIL": nil}}
		if c.last > 0 {
			s = h.priced(map[string][]fare.Cents{"MIL-BUH": notifytest.Steady(c.last, c.last)})
		}
		h.refresh(s)
		sent, err := h.Sender().Work(t.Context())
		if err != nil || sent.Sent != c.sent {
			t.Errorf("week %d: %+v %v, want %d sent", week, sent, err, c.sent)
		}
		mails += c.sent
		h.Add(7 * 24 * time.Hour)
	}
	if got := h.Mailed()["ada"]; got != mails {
		t.Errorf("%d mails, want %d", got, mails)
	}
}

func TestNothingUntrueIsSent(t *testing.T) {
	good := map[string][]fare.Cents{"MIL-BUH": notifytest.Steady(3000)}
	for _, c := range []struct {
		name string
		do   func(h *fixture)
	}{
		{"the origin could not be asked", func(h *fixture) {
			h.refresh(&source{has: map[fare.City]any{"MIL": upstream.ErrUnavailable}})
		}},
		{"the origin could not be asked, and the summary is a good one", func(h *fixture) {
			if _, err := h.Alerts().Remove(h.T.Context(), notifytest.IDOf("ada")); err != nil {
				h.T.Fatal(err)
			}
			h.refresh(h.priced(good))
			h.Work(notify.Result{Settled: 1})
			h.Subscribe("ada", "MIL-BUH", 0)
			h.refresh(&source{has: map[fare.City]any{"MIL": upstream.ErrUnavailable}})
		}},
		{"the route is not in the answer", func(h *fixture) {
			h.refresh(h.priced(map[string][]fare.Cents{"MIL-LON": notifytest.Steady(3000)}))
		}},
		{"the news is older than a week", func(h *fixture) {
			h.refresh(h.priced(good))
			h.Add(8 * 24 * time.Hour)
		}},
		{"the fare has departed since", func(h *fixture) {
			s := h.priced(good)
			for i := range s.has["MIL"].([]fare.Fare) {
				s.has["MIL"].([]fare.Fare)[i].Depart = fare.DayOf(h.Now())
			}
			h.refresh(s)
			h.Add(24 * time.Hour)
		}},
		{"the next refresh no longer finds it", func(h *fixture) {
			h.refresh(h.priced(good))
			h.Add(24 * time.Hour)
			h.refresh(&source{has: map[fare.City]any{"MIL": nil}})
		}},
		{"it rose on the same day", func(h *fixture) {
			h.refresh(h.priced(good))
			s := h.priced(map[string][]fare.Cents{"MIL-BUH": notifytest.Steady(3000)})
			last := &s.has["MIL"].([]fare.Fare)[20]
			last.Found, last.Price = last.Found+3600, 6000
			h.refresh(s)
		}},
		{"nothing is sent there any more", func(h *fixture) {
			stop := store.Op{Item: store.Item{Key: store.Key{Partition: "STOPPED#" + string(notifytest.IDOf("ada")),
				Sort: "MARK"}}}
			if err := h.Table.Write(h.T.Context(), stop); err != nil {
				h.T.Fatal(err)
			}
			h.refresh(h.priced(good))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newFixture(t)
			h.Subscribe("ada", "MIL-BUH", 0)
			c.do(h)
			if _, err := h.Sender().Work(t.Context()); err != nil {
				t.Fatal(err)
			}
			h.WantMailed()
		})
	}
	t.Run("the case itself is one of news", func(t *testing.T) {
		h := newFixture(t)
		h.Subscribe("ada", "MIL-BUH", 0)
		h.refresh(h.priced(good))
		h.Work(notify.Result{Sent: 1, Settled: 1})
		h.WantMailed("ada")
	})
}

func TestRouteWithoutAlerts(t *testing.T) {
	h := newFixture(t)
	h.Subscribe("ada", "MIL-BUH", 0)
	if _, err := h.Alerts().Remove(t.Context(), notifytest.IDOf("ada")); err != nil {
		t.Fatal(err)
	}
	h.refresh(h.priced(map[string][]fare.Cents{"MIL-BUH": notifytest.Steady(3000)}))
	h.Work(notify.Result{Settled: 1})
	if cities, err := h.Alerts().SubscribedRoutes(t.Context(), "MIL"); err != nil || len(cities) > 0 {
		t.Errorf("%v are watched, %v", cities, err)
	}
}

func TestMalformedItems(t *testing.T) {
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
			h := newFixture(t)
			h.Subscribe("ada", "MIL-BUH", 0)
			h.Subscribe("bob", "MIL-LON", 0)
			if err := h.Table.Write(t.Context(),
				store.Op{Mode: store.Set, Item: store.Item{Key: c.key, Data: []byte("{")}}); err != nil {
				t.Fatal(err)
			}
			report := h.refresh(h.priced(map[string][]fare.Cents{"MIL-BUH": notifytest.Steady(3000),
				"MIL-LON": notifytest.Steady(3000)}))
			if report.Failed > 0 {
				t.Errorf("%+v", report)
			}
			for range 2 { // the first run may report the item
				if sent, err := h.Sender().Work(t.Context()); sent.More {
					t.Errorf("not all was sent: %v", err)
				}
			}
			h.WantMailed("ada", "bob")
		})
	}
}

func TestTakenBackAndTrueAgain(t *testing.T) {
	h := newFixture(t)
	h.Subscribe("ada", "MIL-BUH", 0)
	good := h.priced(map[string][]fare.Cents{"MIL-BUH": notifytest.Steady(3000)})
	h.refresh(good)
	h.refresh(&source{has: map[fare.City]any{"MIL": nil}})
	h.Work(notify.Result{}) // the condition does not hold now
	h.refresh(good)
	h.Work(notify.Result{Sent: 1, Settled: 1})
	h.refresh(&source{has: map[fare.City]any{"MIL": nil}})
	h.refresh(good)
	h.Work(notify.Result{Settled: 1})
	h.WantMailed("ada")
}
