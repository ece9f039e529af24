package alerts

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/carrier/ntfy"
	"verdetto/shared/carrier/ntfy/ntfytest"
	"verdetto/shared/carrier/outbound"
	"verdetto/shared/carrier/telegram"
	"verdetto/shared/carrier/telegram/telegramtest"
	"verdetto/shared/fare"
	"verdetto/shared/notify"
	"verdetto/shared/notify/notifytest"
	"verdetto/shared/notify/push"
	"verdetto/shared/notify/webhook"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
	"verdetto/shared/web/limit"
)

// channels is a service with alerts of all kinds on every channel except mail. Each alert has its
// own topic, chat or endpoint on a fake server. The test can kill processes, and lose responses of
// the fake servers.
type channels struct {
	*notifytest.Fixture
	chance   *rand.Rand
	ntfy     *ntfytest.Server
	telegram *telegramtest.Server
	client   *outbound.Client
	bot      *telegram.Bot
	alerts   []store.Alert

	mu          sync.Mutex
	faults      bool
	left        int // store calls until the process dies; negative: never
	kills, lost int
	events      map[string][]string // types and ids that each endpoint received
}

// kinds returns one alert of each kind. The departure of the last passes during the test.
func kinds(today fare.Day) []store.Alert {
	return []store.Alert{{Threshold: 4000}, {}, {Kind: store.Change}, {Kind: store.Drop, Percent: 10},
		{Kind: store.Low, Days: 7}, {Trip: store.Trip{From: today + 5, To: today + 5}, Threshold: 100}}
}

func openChannels(t *testing.T, seed uint64) *channels {
	c := &channels{Fixture: notifytest.New(t), chance: rand.New(rand.NewPCG(11, seed)), left: -1,
		events: map[string][]string{}}
	c.Rate = 100_000
	c.ntfy, c.telegram = ntfytest.New(), telegramtest.New()
	t.Cleanup(c.ntfy.Close)
	t.Cleanup(c.telegram.Close)
	c.ntfy.Fail(func(string) ntfytest.Fault {
		after := c.loses()
		return ntfytest.Fault{Cut: after, After: after}
	})
	c.telegram.Fail(func(int64) telegramtest.Fault {
		after := c.loses()
		return telegramtest.Fault{Cut: after, After: after}
	})
	server := httptest.NewTLSServer(http.HandlerFunc(c.take))
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	c.client = outbound.New(outbound.Config{Roots: roots,
		Servers: map[string]netip.AddrPort{"hook.example.com": netip.MustParseAddrPort(server.Listener.Addr().String())}})
	var err error
	if c.bot, err = telegram.New(telegram.Config{Token: telegramtest.Token, URL: c.telegram.URL}); err != nil {
		t.Fatal(err)
	}
	// Messages that users send to the bot are ignored.
	c.telegram.Path, c.telegram.Webhook = "/", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	for i, channel := range []string{store.Ntfy, store.Telegram, store.Webhook} {
		for k, a := range kinds(c.Today()) {
			c.subscribe(channel, 7_700_000+100*i+k, a)
		}
	}
	return c
}

// subscribe confirms an alert whose address contains n.
func (c *channels) subscribe(channel string, n int, a store.Alert) {
	c.T.Helper()
	a.Route, a.Language, a.Channel = notifytest.Route("MIL-BUH"), "en", channel
	a.Subscriber = store.SubscriberID(fmt.Sprint("s", n))
	switch channel {
	case store.Ntfy:
		a.Address = fmt.Sprint("https://ntfy.sh/topic", n)
	case store.Telegram:
		a.Address = fmt.Sprint(n)
		if err := c.telegram.Start(int64(n), "https://t.me/"+telegramtest.Name, "en"); err != nil {
			c.T.Fatal(err)
		}
	case store.Webhook:
		a.Address, a.Email = fmt.Sprint("https://hook.example.com/", n), notifytest.AddressOf(fmt.Sprint("owner", n))
	}
	c.alerts = append(c.alerts, c.Confirm("", a))
}

// loses is true for one response in five.
func (c *channels) loses() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.faults || c.chance.IntN(5) > 0 {
		return false
	}
	c.lost++
	return true
}

// take serves all webhook endpoints and records the events.
func (c *channels) take(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var said webhook.Event
	if err == nil {
		err = json.Unmarshal(body, &said)
	}
	if err != nil {
		c.T.Error(err)
	}
	c.mu.Lock()
	to := "https://hook.example.com" + r.URL.Path
	c.events[to] = append(c.events[to], said.Type+" "+r.Header.Get("webhook-id"))
	c.mu.Unlock()
	if c.loses() {
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(http.StatusNoContent)
}

// refresh stores what a refresh that finds the price would store.
func (c *channels) refresh(price fare.Cents) {
	c.T.Helper()
	today := c.Today()
	found := []fare.Observation{{Found: today.Time().Unix(), Depart: today + 150, Price: price}}
	for back, usual := range notifytest.Steady() {
		found = append(found, fare.Observation{Found: (today - 1 - fare.Day(back)).Time().Unix(), Depart: today + 150,
			Price: usual + 500})
	}
	notifications, route := store.Notifications{Table: c.Table}, notifytest.Route("MIL-BUH")
	_, err := notify.StoreNews(c.T.Context(), notifications, route,
		verdict.Build(found, verdict.RouteSummary{}, today, verdict.Options{}), today)
	if err == nil {
		err = notifications.LeaveTrips(c.T.Context(), route, today, c.Now().AddDate(0, 0, 8))
	}
	if err != nil {
		c.T.Fatal(err)
	}
}

var errDead = errors.New("the process was killed")

// call counts a call of the store. It returns whether the call may change the store, and the error
// for the process.
func (c *channels) call() (effect bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.left < 0:
		return true, nil
	case c.left == 0:
		return false, errDead
	}
	if c.left--; c.left > 0 {
		return true, nil
	}
	c.kills++
	return c.chance.IntN(2) == 0, errDead
}

type mortalTable struct {
	store.Table
	c *channels
}

func (m mortalTable) Get(ctx context.Context, key store.Key, read store.Consistency) (store.Item, error) {
	if _, err := m.c.call(); err != nil {
		return store.Item{}, err
	}
	return m.Table.Get(ctx, key, read)
}

func (m mortalTable) Query(ctx context.Context, r store.Range) ([]store.Item, error) {
	if _, err := m.c.call(); err != nil {
		return nil, err
	}
	return m.Table.Query(ctx, r)
}

func (m mortalTable) Write(ctx context.Context, ops ...store.Op) error {
	effect, err := m.c.call()
	if effect {
		return errors.Join(m.Table.Write(ctx, ops...), err)
	}
	return err
}

// work runs the service for 36 hours, which is longer than any message is retried. If faults is
// set, each process is killed after 1 to 100 calls of the store, so messages complete in any order.
func (c *channels) work() {
	c.T.Helper()
	var table store.Table = mortalTable{c.Table, c}
	outbox, deliveries := store.Outbox{Table: table, Name: notify.PushOutbox},
		store.Deliveries{Table: table, Outbox: store.Outbox{Table: table, Name: "alerts"}}
	alerts, log := store.Alerts{Table: table}, slog.New(slog.DiscardHandler)
	sender := c.Sender()
	sender.Alerts, sender.Notifications.Table, sender.Carriers = alerts, table, notify.Queued(outbox, c.Now)
	sender.Carriers[store.Webhook] = webhook.Carrier{Deliveries: deliveries, Now: c.Now}
	pushes := &notify.Pushes{Alerts: alerts, Outbox: outbox, Links: notifytest.Links, Now: c.Now, Log: log,
		Carriers: map[string]notify.Carrier{
			store.Ntfy:     push.Ntfy{Publisher: ntfy.Publisher{Outbound: c.ntfy}, BaseURL: notifytest.Links.BaseURL},
			store.Telegram: push.Telegram{Bot: c.bot, BaseURL: notifytest.Links.BaseURL},
		}}
	hooks := &webhook.Worker{
		Deliveries: deliveries, Alerts: alerts, Client: c.client,
		Secrets: webhook.Secrets{Pepper: notifytest.Links.Pepper},
		Limiter: limit.New(c.Table, c.Now), Now: c.Now, Log: log,
	}
	for until := c.Now().Add(36 * time.Hour); c.Now().Before(until); c.Add(5 * time.Minute) {
		for _, process := range []func() error{
			func() error { _, err := sender.Work(c.T.Context()); return err },
			func() error { _, err := pushes.Work(c.T.Context()); return err },
			func() error { _, err := hooks.Work(c.T.Context()); return err },
		} {
			c.mu.Lock()
			if c.left = -1; c.faults {
				c.left = 1 + c.chance.IntN(100)
			}
			c.mu.Unlock()
			if err := process(); err != nil && !c.faults {
				c.T.Fatal(err)
			}
		}
	}
}

// told returns how many different messages each alert sent, and how many messages were repeated.
func (c *channels) told() (each map[string]int, again int) {
	each = map[string]int{}
	for i, a := range c.alerts {
		var all []string
		switch a.Channel {
		case store.Ntfy:
			for _, m := range c.ntfy.Messages(a.Address) {
				all = append(all, m.Sequence)
			}
		case store.Telegram:
			var chat int64
			if _, err := fmt.Sscan(a.Address, &chat); err != nil {
				c.T.Fatal(err)
			}
			for _, m := range c.telegram.Messages(chat) { // without ids, the text identifies a message
				all = append(all, m.Text)
			}
		case store.Webhook:
			all = c.events[a.Address]
		}
		seen := map[string]bool{}
		for _, id := range all {
			if id == "alert.test test-"+id[min(len(id), len("alert.test test-")):] && a.Channel == store.Webhook {
				continue // a test of the endpoint
			}
			if seen[id] {
				again++
			}
			seen[id] = true
		}
		each[fmt.Sprintf("%s %d", a.Channel, i%len(kinds(0)))] = len(seen)
	}
	return each, again
}

// run simulates seven refreshes, and returns the counts from told.
func (c *channels) run(faults bool) (map[string]int, int) {
	c.faults = faults
	for i, price := range []fare.Cents{5500, 5500, 3900, 3900, 5600, 3800, 3700} {
		c.Set(notifytest.Today.AddDate(0, 0, 2*i))
		c.refresh(price)
		c.work()
	}
	return c.told()
}

// Processes are killed at any call of the store, before or after its effect, and every fifth
// response of a fake server that accepted a message is lost. Each alert must send the same messages
// as without faults; a repeated message must be identical.
func TestChannelsUnderKills(t *testing.T) {
	want, again := openChannels(t, 0).run(false)
	if again > 0 {
		t.Errorf("%d messages came again without a fault", again)
	}
	for name, n := range want {
		if n == 0 {
			t.Errorf("%s tells nothing: %v", name, want)
		}
	}
	kills, lost := 0, 0
	for seed := range uint64(4) {
		c := openChannels(t, seed)
		got, again := c.run(true)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("seed %d: messages of each alert, without and with faults (-want +got):\n%s", seed, diff)
		}
		c.end()
		t.Logf("seed %d: %d kills, %d lost answers: %d messages came again as they were", seed, c.kills, c.lost, again)
		kills, lost = kills+c.kills, lost+c.lost
	}
	if kills < 400 || lost < 20 {
		t.Errorf("%d kills and %d lost answers are few", kills, lost)
	}
}

// end checks that only the alerts whose departure has passed are removed. If a process is killed
// after it drops a webhook's last event and before it removes the alert, the alert stays until the
// event can no longer be delivered.
func (c *channels) end() {
	c.T.Helper()
	c.Add((store.DeliveryDays + 1) * 24 * time.Hour)
	if err := (store.Notifications{Table: c.Table}).LeaveTrips(c.T.Context(), notifytest.Route("MIL-BUH"), c.Today(),
		c.Now().AddDate(0, 0, 8)); err != nil {
		c.T.Fatal(err)
	}
	c.work()
	for _, a := range c.alerts {
		left, err := c.Alerts().BySubscriber(c.T.Context(), a.Subscriber)
		if err != nil || (len(left) == 0) != (a.Trip != store.Trip{}) {
			c.T.Errorf("%s %s: %d alerts are left, %v", a.Channel, a.Address, len(left), err)
		}
	}
}
