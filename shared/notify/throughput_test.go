package notify_test

import (
	"context"
	"fmt"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/notify/notifytest"
)

func manySubscribers(t *testing.T, many int) *notifytest.Fixture {
	t.Helper()
	h := notifytest.New(t)
	who := make([]string, many)
	for i := range who {
		who[i] = fmt.Sprint("s", i)
	}
	h.AddAlerts("MIL-BUH", 0, who...)
	leave(h, notifytest.Steady(3000)...)
	return h
}

func TestRateIsKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const (
			quota   = 200
			many    = 300
			latency = 50 * time.Millisecond // sequential sends would reach only 20 per second
		)
		h := manySubscribers(t, many)
		var mu sync.Mutex
		var at []time.Duration
		began := time.Now()
		sender := h.Sender()
		sender.Rate, sender.Sleep, sender.Now = quota, nil,
			func() time.Time { return notifytest.Today.Add(time.Since(began)) }
		sender.Mail = slowCarrier{latency, func() { mu.Lock(); defer mu.Unlock(); at = append(at, time.Since(began)) }}
		if sent, err := sender.Work(t.Context()); err != nil || sent.Sent != many {
			t.Fatalf("%+v %v", sent, err)
		}
		whole := at[len(at)-1] - at[0]
		rate := float64(many-1) / whole.Seconds()
		busiest := 0
		for i := range at {
			n := 0
			for _, later := range at[i:] {
				if later-at[i] < 500*time.Millisecond {
					n++
				}
			}
			busiest = max(busiest, n)
		}
		t.Logf("%d messages in %v: %.0f a second of %d allowed, %d in the busiest half second", many,
			whole.Round(time.Millisecond), rate, quota, busiest)
		if rate > quota*1.01 || float64(busiest) > math.Ceil(quota/2*1.2) {
			t.Errorf("%.0f a second, %d in half a second: more than the quota of %d", rate, busiest, quota)
		}
		if rate < quota*0.5 {
			t.Errorf("%.0f a second: the quota of %d is not made use of", rate, quota)
		}
	})
}

type slowCarrier struct {
	latency time.Duration
	begins  func()
}

func (s slowCarrier) Send(ctx context.Context, _ mail.Message) error {
	s.begins()
	done := time.NewTimer(s.latency)
	defer done.Stop()
	select {
	case <-done.C:
		return nil
	case <-ctx.Done():
		return mail.ErrUnavailable
	}
}
