package alerts

import (
	"crypto/x509"
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	standard "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"verdetto/e2e/fixture"
	"verdetto/shared/carrier/mail/maildir"
	"verdetto/shared/carrier/outbound"
	"verdetto/shared/fare"
	"verdetto/shared/notify/webhook"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
)

type hook struct {
	*fixture.Subscriptions
	mu     sync.Mutex
	status int
	got    []*http.Request
	bodies [][]byte
}

const endpoint = "https://hook.example.com/secret-path"

func openHook(t *testing.T, table store.Table, clock *storetest.Clock) *hook {
	t.Helper()
	h := &hook{Subscriptions: fixture.OpenSubscriptions(t, table, clock), status: http.StatusNoContent}
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		h.got, h.bodies = append(h.got, r), append(h.bodies, body)
		w.WriteHeader(h.status)
	}))
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	h.Alerts.Webhooks.Client = outbound.New(outbound.Config{Roots: roots,
		Servers: map[string]netip.AddrPort{"hook.example.com": netip.MustParseAddrPort(server.Listener.Addr().String())}})
	return h
}

// ask returns the link that confirms the requested alert.
func (h *hook) ask(route, email string) string {
	h.T.Helper()
	a := h.Do("POST", "/v1/alerts", fixture.Object("route", route, "email", email, "channel", "webhook", "address",
		endpoint))
	if a.Status != 202 {
		h.T.Fatalf("%d %s", a.Status, a.Body)
	}
	mails := h.Received(email)
	if len(mails) == 0 {
		h.T.Fatal("no mail came")
	}
	if text := mails[len(mails)-1].Text; !strings.Contains(text, "hook.example.com") ||
		strings.Contains(text, "secret-path") {
		h.T.Errorf("the mail that asks to confirm does not say where to, or says too much: %s", text)
	}
	return h.Link(mails[len(mails)-1])
}

type event struct {
	webhook.Event
	name string // type and route
	id   string
}

// sent makes the service send its due events. It returns those that the endpoint received since the
// last call, after verifying their signatures.
func (h *hook) sent(secret string) (names []string, events []event) {
	h.T.Helper()
	if _, err := h.Alerts.Webhooks.Work(h.T.Context()); err != nil {
		h.T.Fatal(err)
	}
	library, err := standard.NewWebhook(secret)
	if err != nil {
		h.T.Fatal(err)
	}
	for i, r := range h.got {
		if err := library.VerifyIgnoringTimestamp(h.bodies[i], r.Header); err != nil {
			h.T.Error(err)
		}
		e := event{id: r.Header.Get("webhook-id")}
		if err := json.Unmarshal(h.bodies[i], &e.Event); err != nil {
			h.T.Fatal(err)
		}
		e.name = e.Type + " " + e.Data.Route
		names, events = append(names, e.name), append(events, e)
	}
	h.got, h.bodies = nil, nil
	return names, events
}

// press submits a form, and fails the test if the response is an error.
func (h *hook) press(link, form string) fixture.Reply {
	h.T.Helper()
	a := h.Form(link, form)
	if a.Status != http.StatusOK {
		h.T.Errorf("%q: %d %s", form, a.Status, a.Page())
	}
	return a
}

// refreshed fails the test unless a refresh sends the given number of notifications.
func (h *hook) refreshed(sent int) {
	h.T.Helper()
	fixture.Refreshed(h.T, h.Table, fixture.Falling(fare.DayOf(h.Clock.Now())), h.Clock.Now)
	if got, err := h.Sender.Work(h.T.Context()); err != nil || got.More || got.Sent != sent {
		h.T.Errorf("%+v %v, want %d sent", got, err, sent)
	}
}

var secretPattern = regexp.MustCompile(`whsec_[A-Za-z0-9+/]{43}=`)

func secretOf(page string) string { return secretPattern.FindString(html.UnescapeString(page)) }

// An alert is confirmed by mail, and its endpoint tested; events are signed, retried and replayed,
// until the alert ends.
func TestFromAskingToTheEndpoint(t *testing.T) {
	t.Parallel()
	table, clock := fixture.OpenStore(t)
	const ada = "ada@example.com"
	h := openHook(t, table, clock)
	secret := h.confirm(ada)
	id := h.firstFare(secret)

	// A second alert to the same endpoint uses the same secret, which is not shown again.
	if a := h.press(h.ask("MIL-LON", ada), ""); strings.Contains(a.Body, "whsec_") {
		t.Errorf("%s", a.Page())
	}
	// Another subscriber to the endpoint has another secret, and sees nothing of the first.
	bobs := secretOf(h.press(h.ask("MIL-BUH", "bob@example.com"), "").Body)
	if bobs == "" || bobs == secret {
		t.Errorf("bob has %q", bobs)
	}
	h.Alerts.Webhooks.Work(t.Context())
	h.got, h.bodies = nil, nil

	manage := h.ManageLink(ada)
	of := h.listed(manage, id)
	if a := h.press(h.ManageLink("bob@example.com"), "rotate="+of); secretOf(a.Body) == secret {
		t.Errorf("%s", a.Page())
	}
	h.press(manage, "replay="+of)
	if got, events := h.sent(secret); len(got) != 1 || events[0].id != id {
		t.Errorf("%q", got)
	}
	second := secretOf(h.press(manage, "rotate="+of).Body)
	if second == "" || second == secret {
		t.Fatalf("rotated to %q", second)
	}
	for _, s := range []string{secret, second} { // the old secret still signs too
		h.press(manage, "test="+of)
		if got, _ := h.sent(s); len(got) != 1 {
			t.Errorf("%q", got)
		}
		clock.Add(time.Minute)
	}
	h.goesAway(ada, second, of)

	h.press(h.ManageLink(ada), "all=1")
	if items, err := table.Query(t.Context(),
		store.Range{Partition: "WEBHOOK#" + string(fixture.Subscriber(ada))}); err != nil || len(items) > 0 {
		t.Errorf("%d items are left, error %v", len(items), err)
	}
}

// confirm returns the secret, which the service shows only once.
func (h *hook) confirm(email string) string {
	h.T.Helper()
	link := h.ask("MIL-BUH", email)
	if a := h.Do("GET", link, ""); a.Status != 200 || !strings.Contains(a.Page(), "hook.example.com") ||
		strings.Contains(a.Body, "whsec_") {
		h.T.Fatalf("%d %s", a.Status, a.Page())
	}
	a := h.Form(link, "")
	secret := secretOf(a.Body)
	if a.Status != 200 || secret == "" || a.Header.Get("Cache-Control") != "no-store" {
		h.T.Fatalf("%d %v %s", a.Status, a.Header, a.Page())
	}
	if a := h.Form(link, ""); a.Status != 410 || strings.Contains(a.Body, "whsec_") {
		h.T.Errorf("again: %d %s", a.Status, a.Page())
	}
	return secret
}

// firstFare returns the id of an event with a fare, which the service sends only after the endpoint
// has accepted a test event.
func (h *hook) firstFare(secret string) string {
	h.T.Helper()
	h.status = http.StatusInternalServerError
	h.refreshed(1)
	got, _ := h.sent(secret)
	if diff := cmp.Diff([]string{"alert.test MIL-BUH", "alert.test MIL-BUH"}, got); diff != "" {
		h.T.Error(diff)
	}
	h.status = http.StatusOK
	h.Clock.Add(5 * time.Second)
	got, events := h.sent(secret)
	at := slices.Index(got, "alert.fare MIL-BUH")
	if at < 1 || strings.Count(strings.Join(got, " "), "fare") != 1 {
		h.T.Fatalf("%q", got)
	}
	if fares := events[at].Data.Fares; len(fares) != 1 || fares[0].PriceCents <= 0 || fares[0].Level == "" {
		h.T.Errorf("%+v", events[at])
	}
	return events[at].id
}

// listed fails the test unless the page of all alerts lists the event. It returns the alert's name
// in the page's buttons, escaped for a query.
func (h *hook) listed(manage, id string) string {
	h.T.Helper()
	page := h.Do("GET", manage, "")
	if page.Status != 200 || !strings.Contains(page.Body, id) || !strings.Contains(page.Body, "hook.example.com") ||
		strings.Contains(page.Body, "whsec_") {
		h.T.Fatalf("%d %s", page.Status, page.Page())
	}
	ref := regexp.MustCompile(`name="replay" value="([^"]+)"`).FindStringSubmatch(page.Body)
	if ref == nil {
		h.T.Fatal(page.Body)
	}
	return url.QueryEscape(html.UnescapeString(ref[1]))
}

// goesAway makes the endpoint answer 410, which stops its events. The owner gets one mail about
// that, and can start them again.
func (h *hook) goesAway(email, secret, of string) {
	h.T.Helper()
	h.status = http.StatusGone
	h.press(h.ManageLink(email), "replay="+of)
	h.sent(secret)
	mailed := func() (n int) {
		for _, m := range h.Received(email) {
			if strings.Contains(m.Text, "hook.example.com") && !strings.Contains(m.Text, "secret-path") &&
				!strings.Contains(m.Text, "/v1/alerts/confirm") {
				n++
				h.Link(m)
			}
		}
		return n
	}
	if got := mailed(); got != 1 {
		h.T.Errorf("%d mails about it", got)
	}
	h.Clock.Add(7 * 24 * time.Hour)
	h.status = http.StatusOK
	h.press(h.ManageLink(email), "test="+of)
	if got, _ := h.sent(secret); len(got) != 1 || mailed() != 1 {
		h.T.Errorf("%q", got)
	}
}

func TestBadEndpoints(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	p := fixture.OpenSubscriptions(t, fixture.Bolt(t, clock.Now), clock)
	for _, address := range []string{
		"", "http://example.com/", "https://localhost/", "https://127.0.0.1/",
		"https://169.254.169.254/latest/meta-data/", "https://[::1]/", "https://example.com:8443/",
		"https://ada:x@example.com/", "https://2130706433/", "https://metadata.google.internal/",
		"ftp://example.com/", "https://" + strings.Repeat("a", 600) + ".com/",
	} {
		clock.Add(time.Hour)
		a := p.Do("POST", "/v1/alerts", fixture.Object("route", "MIL-BUH", "email", "ada@example.com", "channel",
			"webhook", "address", address))
		if a.Status != 400 || !strings.Contains(a.Body, `"address"`) {
			t.Errorf("%q: %d %s", address, a.Status, a.Body)
		}
	}
	if a := p.Do("POST", "/v1/alerts", fixture.Object("route", "MIL-BUH", "channel", "webhook", "address",
		endpoint)); a.Status != 400 || !strings.Contains(a.Body, `"email"`) {
		t.Errorf("without an owner: %d %s", a.Status, a.Body)
	}
	if all, err := maildir.Read(p.Mails); err != nil || len(all) > 0 {
		t.Errorf("%d mails, error %v", len(all), err)
	}
}
