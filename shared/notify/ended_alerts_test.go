package notify_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/fare"
	"verdetto/shared/notify"
	"verdetto/shared/store"
)

type toldCarrier struct{ ids []string }

func (c *toldCarrier) Deliver(_ context.Context, _ store.Alert, m notify.Message) error {
	if !m.Ended {
		return nil
	}
	c.ids = append(c.ids, m.ID)
	return nil
}

func TestEndOfAnEndpointsAlert(t *testing.T) {
	for _, c := range []struct {
		name   string
		fails  func(mail.Message) error
		queued int
	}{
		{"at once", nil, 1},
		{"the mail is throttled at first", func(mail.Message) error { return mail.ErrThrottled }, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newTrip(t)
			today := h.Today()
			a := h.watch("ada", store.Alert{Trip: store.Trip{From: today, To: today}, Threshold: 100,
				Channel: store.Webhook, Address: "https://hook.example.com/"})
			endpoint := &toldCarrier{}
			if c.fails != nil {
				failed := false
				h.Carrier.Before = func(m mail.Message) error {
					if failed {
						return nil
					}
					failed = true
					return c.fails(m)
				}
			}
			work := func() {
				t.Helper()
				h.refresh(always(5500, nil))
				sender := h.Sender()
				sender.Carriers = map[string]notify.Carrier{store.Webhook: endpoint}
				if _, err := sender.Work(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			left := func() int {
				t.Helper()
				all, err := h.Alerts().BySubscriber(t.Context(), a.Subscriber)
				if err != nil {
					t.Fatal(err)
				}
				return len(all)
			}
			h.Add(24 * time.Hour)
			for range store.DeliveryDays + 1 {
				work()
				h.Add(24 * time.Hour)
				if n := left(); n != 1 {
					t.Fatalf("%d alerts, %d days later", n, h.Today()-today)
				}
			}
			h.WantMailed("ada")
			var want []string
			for range c.queued {
				want = append(want, endpoint.ids[0])
			}
			if diff := cmp.Diff(want, endpoint.ids); diff != "" {
				t.Error(diff)
			}
			work()
			if n := left(); n != 0 || fare.DayOf(h.Now()) != today+store.DeliveryDays+2 {
				t.Errorf("%d alerts in the end", n)
			}
			h.WantMailed("ada")
		})
	}
}
