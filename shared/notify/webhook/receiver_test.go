package webhook_test

import (
	"crypto/x509"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/carrier/outbound"
	"verdetto/shared/fare"
	"verdetto/shared/notify"
	"verdetto/shared/notify/webhook"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
	"verdetto/shared/web/limit"
)

const url = "https://hook.example.com/alerts"

type received struct {
	ID     string
	Type   string
	header http.Header
	body   []byte
}

type world struct {
	*webhook.Worker
	t       testing.TB
	clock   *storetest.Clock
	carrier webhook.Carrier
	outbox  store.Outbox

	mu     sync.Mutex
	got    []received
	answer http.HandlerFunc
}

func open(t testing.TB, table store.Table, clock *storetest.Clock) *world {
	t.Helper()
	w := &world{t: t, clock: clock, outbox: store.Outbox{Table: table, Name: "alerts"}}
	server := httptest.NewTLSServer(http.HandlerFunc(w.take))
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	at := netip.MustParseAddrPort(server.Listener.Addr().String())
	deliveries := store.Deliveries{Table: table, Outbox: w.outbox}
	w.carrier = webhook.Carrier{Deliveries: deliveries, Now: clock.Now}
	w.Worker = &webhook.Worker{
		Deliveries: deliveries, Alerts: store.Alerts{Table: table, Outbox: w.outbox},
		Client: outbound.New(outbound.Config{Roots: roots, Timeout: time.Second,
			Servers: map[string]netip.AddrPort{"hook.example.com": at, "other.example.com": at}}),
		Secrets: webhook.Secrets{Pepper: []byte("a pepper that has thirty-two letters")},
		Limiter: limit.New(table, clock.Now), Now: clock.Now, Log: slog.New(slog.DiscardHandler),
	}
	return w
}

func (w *world) take(rw http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var event webhook.Event
	if err == nil {
		err = json.Unmarshal(body, &event)
	}
	if err != nil {
		w.t.Error(err)
	}
	w.mu.Lock()
	w.got = append(w.got, received{r.Header.Get("webhook-id"), event.Type, r.Header, body})
	answer := w.answer
	w.mu.Unlock()
	if answer == nil {
		rw.WriteHeader(http.StatusNoContent)
		return
	}
	answer(rw, r)
}

func (w *world) requests() (all []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.got {
		all = append(all, strings.TrimPrefix(r.Type, "alert.")+" "+r.ID)
	}
	w.got = nil
	return all
}

func status(code int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
	}
}

func (w *world) alert(who string, destination fare.City, to string) store.Alert {
	w.t.Helper()
	a := store.Alert{
		Subscriber: store.SubscriberID(who), Route: fare.Route{Origin: "MIL", Destination: destination},
		Email:    who + "@example.com",
		Language: "it", Threshold: 4990, Channel: store.Webhook, Address: to,
	}
	a.ID = a.NewID()
	id := who + string(destination) + to
	if err := w.Alerts.AddPending(w.t.Context(), id, a, w.clock.Now().Add(time.Hour),
		store.Job{Kind: "confirm", At: w.clock.Now()}); err != nil {
		w.t.Fatal(err)
	}
	a, err := w.Alerts.Confirm(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return a
}

func (w *world) verified(who string, destination fare.City, to string) store.Alert {
	w.t.Helper()
	a := w.alert(who, destination, to)
	if err := w.Deliveries.Enqueue(w.t.Context(), webhook.Test(a, "first", w.clock.Now())); err != nil {
		w.t.Fatal(err)
	}
	w.work()
	w.requests()
	if e, err := w.Deliveries.Endpoint(w.t.Context(), a.Subscriber, to); err != nil || !e.Verified {
		w.t.Fatalf("%+v %v", e, err)
	}
	return a
}

func message(id string) notify.Message {
	return notify.Message{ID: id, Language: "it", Unsubscribe: "https://verdetto.example/u",
		Manage: "https://verdetto.example/m", Fares: []notify.Fare{{
			Route: fare.Route{Origin: "MIL", Destination: "BUH"}, Origin: "Milano", Destination: "Bucarest", Day: 20500,
			Price: 3990, Depart: 20530,
			Found: time.Unix(1771200000, 0), Level: "ottimo", Reliability: "alta", Percentile: 4, Sample: 812,
			Median: 7400, Minimum: 3490,
		}}}
}

func (w *world) deliver(a store.Alert, id string) {
	w.t.Helper()
	if err := w.carrier.Deliver(w.t.Context(), a, message(id)); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) work() {
	w.t.Helper()
	for range 100 {
		done, err := w.Work(w.t.Context())
		if err != nil {
			w.t.Fatal(err)
		}
		if done == 0 {
			return
		}
	}
	w.t.Fatal("there is no end of work")
}

func (w *world) one(a store.Alert, id string) store.Delivery {
	w.t.Helper()
	d, err := w.Deliveries.One(w.t.Context(), a.Subscriber, id)
	if err != nil {
		w.t.Fatal(err)
	}
	return d
}

func (w *world) paused(a store.Alert) bool {
	w.t.Helper()
	now, err := w.Alerts.One(w.t.Context(), a.Ref(), a.Subscriber)
	if err != nil {
		w.t.Fatal(err)
	}
	return now.Paused > 0
}

func (w *world) jobs() (kinds []string) {
	w.t.Helper()
	jobs, err := w.outbox.Take(w.t.Context(), 50, w.clock.Now().Add(time.Hour), 0)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, j := range jobs {
		if j.Kind != "confirm" {
			kinds = append(kinds, j.Kind+" "+j.Ref)
		}
	}
	return kinds
}

func fresh(t testing.TB) *world {
	clock := storetest.NewClock()
	return open(t, fixture.Bolt(t, clock.Now), clock)
}
