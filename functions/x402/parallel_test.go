package x402_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gagliardetto/solana-go"

	"verdetto/e2e/fixture"
	"verdetto/shared/fare"
	"verdetto/shared/pay/x402pay"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
)

func processes(t *testing.T, table store.Table, clock *storetest.Clock) (*fixture.PerCall, []http.Handler) {
	t.Helper()
	clock.Add(fixture.Today.Sub(clock.Now()))
	fixture.Refreshed(t, table, fixture.Falling(fare.DayOf(clock.Now())), clock.Now)
	p := fixture.OpenPerCall(t, table, clock.Now)
	return p, []http.Handler{p.Handler, p.Instance(table, clock.Now), p.Instance(table, clock.Now), p.Instance(table, clock.Now)}
}

type tried struct {
	mu     sync.Mutex
	status map[int]int
	failed map[string]int
}

func (o *tried) note(t *testing.T, w *httptest.ResponseRecorder, payer, address string) {
	t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.status[w.Code]++
	if w.Header().Get(x402pay.ResponseHeader) != "" {
		if reason := header[x402pay.Settlement](t, w,
			x402pay.ResponseHeader).ErrorReason; reason != "transaction_failed" {
			t.Errorf("%s from %s: %s", payer, address, reason)
		}
		o.failed[payer]++
		o.failed[address]++
	}
}

func TestFailuresAreBoundedAcrossProcesses(t *testing.T) {
	t.Parallel()
	guard := solana.NewInstruction(solana.MustPublicKeyFromBase58("L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95"), nil,
		[]byte{15, 0})
	for _, c := range []struct {
		name                        string
		payments, payers, addresses int
		more                        []solana.Instruction
		want                        int
	}{
		{"300 payments of 60 payers from 20 addresses", 300, 60, 20, nil, 100},
		{"110 payments of one payer from 110 addresses", 110, 1, 110, nil, 5},
		{"110 payments of one payer from one address", 110, 1, 1, nil, 5},
		{"600 payments of 600 payers from 150 addresses", 600, 600, 150, nil, 500},
		{"200 payments with assertions", 200, 200, 200, []solana.Instruction{guard}, 50},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			clock := storetest.NewClock()
			p, instances := processes(t, fixture.Bolt(t, clock.Now), clock)
			var open, mostOpen atomic.Int64
			p.Chain.Fails = true
			p.Chain.Fault = func(step string) error {
				switch step {
				case "send":
					mostOpen.Store(max(mostOpen.Load(), open.Add(1)))
					for range 100 {
						runtime.Gosched()
					}
				case "sent":
					open.Add(-1)
				}
				return nil
			}
			payer := func(n int) string { return fmt.Sprint("payer ", n%c.payers) }
			address := func(n int) string {
				return fmt.Sprintf("198.51.%d.%d:1", n%c.addresses/250,
					1+n%c.addresses%250)
			}
			for n := range c.payers {
				p.Chain.Balances[fixture.SolanaAddress(payer(n))] = price
			}
			outcomes := &tried{status: map[int]int{}, failed: map[string]int{}}
			payments := make([]string, c.payments)
			for n := range payments {
				payments[n] = p.Payment(payer(n), price, n, c.more...)
			}
			var all sync.WaitGroup
			for n, payment := range payments {
				all.Go(func() {
					outcomes.note(t, p.AskAt(instances[n%len(instances)], address(n), verdict, payment), payer(n),
						address(n))
				})
			}
			all.Wait()
			burst := p.Chain.Sent
			for n := range payments { // makes further payments until enough are sent
				if p.Chain.Sent < c.want {
					again := p.Payment(payer(n), price, c.payments+n, c.more...)
					outcomes.note(t, p.AskAt(instances[n%len(instances)], address(n), verdict, again), payer(n),
						address(n))
				}
			}
			last := p.AskAt(instances[0], address(0), verdict, p.Payment(payer(0), price, 3*c.payments, c.more...))
			lost := int(1_000_000_000-p.Chain.Lamports) / 10_001
			t.Logf("%d sent at once, %d in all, %d fees; %v", burst, p.Chain.Sent, lost, outcomes.status)
			if lost != c.want || p.Chain.Sent != c.want || last.Code == 200 || p.Chain.Got != 0 {
				t.Errorf("%d fees of %d sent, want %d; then %d", lost, p.Chain.Sent, c.want, last.Code)
			}
			if logged := strings.Count(p.Log.String(), "payment failed on the chain"); logged != c.want {
				t.Errorf("%d fees are logged", logged)
			}
			for who, n := range outcomes.failed {
				if n > 5 {
					t.Errorf("%s: %d fees", who, n)
				}
			}
			if c.payers == 1 && mostOpen.Load() != 1 {
				t.Errorf("%d payments of the payer were open at once", mostOpen.Load())
			}
		})
	}
}

func TestHonestPayersAmongMany(t *testing.T) {
	t.Parallel()
	table, clock := fixture.OpenStore(t)
	p, instances := processes(t, table, clock)
	const payers, each, addresses = 10, 4, 3
	var all sync.WaitGroup
	var answered atomic.Int64
	for payer := range payers {
		name := fmt.Sprint("payer ", payer)
		p.Chain.Balances[fixture.SolanaAddress(name)] = each * price
		all.Go(func() {
			for n := range each {
				payment, address := p.Payment(name, price, n), fmt.Sprintf("198.51.100.%d:1", 1+payer%addresses)
				for t.Context().Err() == nil {
					w := p.AskAt(instances[(payer+n)%len(instances)], address, verdict, payment)
					if w.Code == 200 {
						answered.Add(1)
						break
					}
					if w.Code != 429 && w.Code != 503 || w.Header().Get("Retry-After") != "5" {
						t.Errorf("%d %s", w.Code, w.Body)
						return
					}
					clock.Add(time.Second)
					runtime.Gosched()
				}
			}
		})
	}
	all.Wait()
	if answered.Load() != payers*each || p.Chain.Got != payers*each*price {
		t.Errorf("%d answers for %d units", answered.Load(), p.Chain.Got)
	}
	items, err := table.Query(t.Context(), store.Range{Partition: "FEES#all", Read: store.Strong})
	if err != nil || len(items) > 0 {
		t.Errorf("%d slots are left, %v", len(items), err)
	}
}

// If a fault leaves one of the 5 slots occupied, 4 fees are lost instead of 5.
func TestFaultsAddNoFee(t *testing.T) {
	t.Parallel()
	for call := range 10 {
		for _, side := range []storetest.Side{storetest.Before, storetest.After} {
			t.Run(fmt.Sprint("call ", call, ", ", side), func(t *testing.T) {
				p, clock, table := open(t)
				p.Chain.Fails = true
				if w := p.Ask(verdict, ""); w.Code != 402 {
					t.Fatalf("%d %s", w.Code, w.Body)
				}
				table.DieAt(call, side)
				first := p.Payment("ada", price, 0)
				broken := p.Ask(verdict, first)
				table.Heal()
				clock.Add(3 * store.OpenFor)
				again := p.Ask(verdict, first)
				for n := range 10 {
					if w := p.Ask(verdict, p.Payment("ada", price, 1+n)); w.Code != 402 && w.Code != 429 {
						t.Errorf("%d %s", w.Code, w.Body)
					}
				}
				lost := int(1_000_000_000-p.Chain.Lamports) / 10_001
				if lost > 5 || lost < 4 || p.Chain.Got != 0 {
					t.Errorf("%d fees; first %d, then %d", lost, broken.Code, again.Code)
				}
			})
		}
	}
}
