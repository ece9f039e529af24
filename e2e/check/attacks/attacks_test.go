// Package attacks imitates attacks of strangers on the service.
package attacks

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"verdetto/cmd/verdetto/edge"
	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/shared/carrier/mail"
	"verdetto/shared/pay"
	"verdetto/shared/store/storetest"
	"verdetto/shared/upstream/sample"
)

func world(t *testing.T) http.Handler {
	t.Helper()
	clock := storetest.NewClock()
	clock.Add(fixture.Today.Sub(clock.Now()))
	table := fixture.Bolt(t, clock.Now)
	fixture.Refreshed(t, table, sample.New(), clock.Now, "MIL")
	s := fixture.New(t, onemachine.Options{Table: table, Source: sample.New(), Now: clock.Now})
	return edge.Config{}.Handler(s.API, s.API.AdmitCached, clock.Now)
}

func call(h http.Handler, address, method, target, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.RemoteAddr = address
	r.Header.Set("Accept-Encoding", "gzip, br")
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func honest(t *testing.T, h http.Handler, round int) time.Duration {
	t.Helper()
	var took []time.Duration
	for n := range 20 {
		began := time.Now()
		w := call(h, fmt.Sprintf("10.1.%d.%d:1", round, n), "GET", "/v1/analisi?origine=Milano&destinazione=Bucarest", "")
		took = append(took, time.Since(began))
		if w.Code != http.StatusOK {
			t.Fatal(w.Code, w.Body)
		}
	}
	slices.Sort(took)
	return took[len(took)/2]
}

func compare(suspect, to func(round int) time.Duration) float64 {
	var ratios []float64
	for round := range 15 {
		base := to(2 * round)
		ratios = append(ratios, float64(suspect(2*round+1))/float64(base))
	}
	slices.Sort(ratios)
	return ratios[len(ratios)/2]
}

func TestFloodOfCachedAnswers(t *testing.T) {
	h := world(t)
	answered, refused := 0, 0
	ratio := compare(func(round int) time.Duration {
		stop := make(chan struct{})
		var flood sync.WaitGroup
		flood.Go(func() {
			for range 5010 / 15 {
				select {
				case <-stop:
					return
				default:
				}
				switch call(h, "192.0.2.7:1", "GET", "/v1/openapi.json", "").Code {
				case http.StatusOK:
					answered++
				case http.StatusTooManyRequests:
					refused++
				}
			}
		})
		took := honest(t, h, round)
		close(stop)
		flood.Wait()
		return took
	}, func(round int) time.Duration { return honest(t, h, round) })
	t.Logf("%d answered, %d refused; an honest verdict takes %.1f times as long", answered, refused, ratio)
	if ratio > 10 || answered > 601 { // 600 calls are the quota for cached answers, and the first call fills the cache
		t.Errorf("%d answered, %d refused; an honest verdict takes %.1f times as long", answered, refused, ratio)
	}
}

func TestFloodOfConfirmations(t *testing.T) {
	clock := storetest.NewClock()
	s := fixture.Open(t, fixture.Bolt(t, clock.Now), clock)
	ask := func(address, email string) {
		t.Helper()
		if a := s.From(address+":1", "POST", "/v1/alerts", fixture.Object("route", "MIL-BUH", "email", email)); a.Status != http.StatusAccepted {
			t.Fatal(a.Status, a.Body)
		}
	}
	ask("198.51.100.7", "earlier@mail.test")
	s.Drain()
	for n := range 2200 {
		ask(fmt.Sprintf("203.0.%d.%d", n%440/2, n%2), fmt.Sprintf("s%d@strangers.test", n))
	}
	clock.Add(2 * time.Second)
	ask("192.0.2.7", "unseen@mail.test")
	ask("198.51.100.8", "seen@mail.test")
	slow := &slowMail{Sender: s.Alerts.Confirmations.Mail, clock: clock, sent: map[string]time.Time{}}
	s.Alerts.Confirmations.Mail = slow
	asked := clock.Now()
	for clock.Now().Sub(asked) < 2*time.Minute {
		if _, err := s.Alerts.Confirmations.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		clock.Add(time.Second)
	}
	waited := func(email string) time.Duration { return slow.sent[email].Sub(asked) }
	unseen, seen := waited("unseen@mail.test"), waited("seen@mail.test")
	t.Logf("honest mails took %s and %s, among %d mails in two minutes", unseen, seen, len(slow.sent))
	if unseen < 0 || unseen >= time.Minute || seen < 0 {
		t.Errorf("a network without earlier mails waited %s, one with them %s", unseen, seen)
	}
}

type slowMail struct {
	mail.Sender
	clock *storetest.Clock
	mu    sync.Mutex
	sent  map[string]time.Time
}

func (s *slowMail) Send(ctx context.Context, m mail.Message) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sent[m.To] = s.clock.Now(); len(s.sent)%10 == 0 {
		s.clock.Add(time.Second)
	}
	return s.Sender.Send(ctx, m)
}

func TestMalformedCalls(t *testing.T) {
	h := world(t)
	tool := func(arguments int) string {
		var unknown strings.Builder
		for n := range arguments {
			fmt.Fprintf(&unknown, `,"u%d":1`, n)
		}
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"flight_price_verdict",` +
			`"arguments":{"origin":"Milano"` + unknown.String() + `}}}`
	}
	for name, c := range map[string]struct{ method, target, body string }{
		"fields":                          {"GET", "/v1/analisi?origine=Milano&destinazione=Bucarest&campi=" + strings.Repeat("a,", 4000), ""},
		"a tool":                          {"POST", "/mcp", tool(6500)},
		"a tool, as long as messages may": {"POST", "/mcp", tool(1700)},
	} {
		longest := 0
		ratio := compare(func(round int) time.Duration {
			began := time.Now()
			for n := range 5 {
				longest = max(longest, call(h, fmt.Sprintf("10.2.%d.%d:1", round, n), c.method, c.target, c.body).Body.Len())
			}
			return time.Since(began) / 5
		}, func(round int) time.Duration { return honest(t, h, round) })
		t.Logf("%s: %d bytes make at most %d; the call takes %.1f times as long as a verdict", name,
			len(c.target)+len(c.body), longest, ratio)
		if longest == 0 || longest > 4096 || ratio > 40 {
			t.Errorf("%s: an answer of %d bytes, %.1f times as long as a verdict", name, longest, ratio)
		}
	}
}

func TestClaimsOfInventedPayments(t *testing.T) {
	clock := storetest.NewClock()
	s := fixture.OpenShop(t, fixture.Bolt(t, clock.Now), clock)
	claim := func(n, invented int) {
		var signature pay.Signature
		copy(signature[:], fmt.Sprint("invented ", invented))
		a := s.From(fmt.Sprintf("192.0.2.%d:1", n/60), "POST", "/v1/pro/verifica-cripta",
			fixture.Object("email", "eve@example.com", "signature", signature.String()))
		if a.Status != http.StatusNotFound && a.Status != http.StatusTooManyRequests {
			t.Fatal(a.Status, a.Body)
		}
	}
	claim(0, 0)
	one := s.Payments.Node.Calls()
	for n := 1; n < 60; n++ {
		claim(n, 0)
	}
	same := s.Payments.Node.Calls()
	for n := range 1200 {
		claim(60+n, 1+n)
	}
	all := s.Payments.Node.Calls()
	t.Logf("one claim makes %d calls, 60 to the same payment %d, 1,200 to others from 20 addresses %d", one, same, all-same)
	if same != one || all > 300*one {
		t.Errorf("one claim makes %d calls, 60 to the same payment %d, all together %d", one, same, all)
	}
}
