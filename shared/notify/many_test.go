package notify_test

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/notify/notifytest"
	"verdetto/shared/store"
)

type numberedCarrier struct {
	mu    sync.Mutex
	each  []uint8
	total int
	sent  func(total int)
}

func (c *numberedCarrier) Send(_ context.Context, m mail.Message) error {
	n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(m.To, "s"), "@example.com"))
	if err != nil {
		return fmt.Errorf("%w: %w", mail.ErrRefused, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.each[n]++
	c.total++
	if c.sent != nil {
		c.sent(c.total)
	}
	return nil
}

type pagedTable struct {
	store.Table
	mu      sync.Mutex
	longest int
	alerts  int // alert items read in pages
}

func (p *pagedTable) Query(ctx context.Context, r store.Range) ([]store.Item, error) {
	items, err := p.Table.Query(ctx, r)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.longest = max(p.longest, len(items))
	if strings.HasPrefix(r.Partition, "ALERTS#") {
		p.alerts += len(items)
	}
	return items, err
}

// manySubscribers returns a fixture with numbered subscribers of one route, and news that meets
// their alerts.
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

// sendToMany sends news of one route to all subscribers, in calls of Work of limited duration. In
// the end, each subscriber has one mail, and the rate was at most quota mails per second.
// sendToMany calls during at every message.
func sendToMany(t *testing.T, subscribers, quota int, invocation time.Duration, during func(total int)) {
	h := manySubscribers(t, subscribers)
	h.Rate = float64(quota)
	paged := &pagedTable{Table: h.Table}
	carrier := &numberedCarrier{each: make([]uint8, subscribers)}
	began, invocations := h.Now(), 0
	for {
		invocations++
		ctx, cancel := context.WithCancel(t.Context())
		end := h.Now().Add(invocation)
		carrier.sent = func(total int) {
			during(total)
			if h.Now().After(end) {
				cancel()
			}
		}
		sender := h.Sender()
		sender.Alerts.Table, sender.Notifications.Table, sender.Mail = paged, paged, carrier
		sent, err := sender.Work(ctx)
		cancel()
		if err != nil || invocations > 10 {
			t.Fatalf("%+v %v", sent, err)
		}
		if !sent.More {
			break
		}
	}
	elapsed := h.Now().Sub(began)
	rate := float64(carrier.total) / elapsed.Seconds()
	t.Logf("%d mails in %d invocations and %v of the service's time: %.1f a second of %d allowed; pages of at most %d, %d alerts read",
		carrier.total, invocations, elapsed.Round(time.Second), rate, quota, paged.longest, paged.alerts)
	for i, n := range carrier.each {
		if n != 1 {
			t.Fatalf("subscriber %d was sent %d mails", i, n)
		}
	}
	// The first message of each call of Work does not wait for the rate limit.
	allowed := float64(quota)*elapsed.Seconds()*1.001 + float64(invocations)
	if float64(carrier.total) > allowed || rate < float64(quota)*0.7 {
		t.Errorf("%.1f messages a second, the quota is %d", rate, quota)
	}
	if invocations < 3 || paged.longest > 100 {
		t.Errorf("%d invocations, pages of up to %d", invocations, paged.longest)
	}
	if paged.alerts > subscribers+100*invocations {
		t.Errorf("%d alerts were read: an invocation did not go on where the one before stopped", paged.alerts)
	}
}

func TestManySubscribers(t *testing.T) {
	t.Parallel()
	sendToMany(t, 3000, 50, 15*time.Second, func(int) {})
}

// Even with a slow carrier, messages are sent as fast as the quota allows, because they are sent
// concurrently.
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
	done := time.NewTimer(s.latency) // the carrier's latency, not a wait for a result
	defer done.Stop()
	select {
	case <-done.C:
		return nil
	case <-ctx.Done():
		return mail.ErrUnavailable
	}
}
