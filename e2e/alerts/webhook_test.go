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

// hook is an endpoint of somebody who watches routes, and the service for them.
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
	h.Alerts.Webhooks.Client = outbound.New(outbound.Config{Roots: roots, Servers: map[string]netip.AddrPort{"hook.example.com": netip.MustParseAddrPort(server.Listener.Addr().String())}})
	return h
}

// ask asks for an alert to the endpoint, and gives the link that confirms it.
func (h *hook) ask(route, email string) string {
	h.T.Helper()
	a := h.Do("POST", "/v1/alerts", fixture.Object("route", route, "email", email, "channel", "webhook", "address", endpoint))
	if a.Status != 202 {
		h.T.Fatalf("%d %s", a.Status, a.Body)
	}
	mails := h.Received(email)
	if len(mails) == 0 {
		h.T.Fatal("no mail came")
	}
	if text := mails[len(mails)-1].Text; !strings.Contains(text, "hook.example.com") || strings.Contains(text, "secret-path") {
		h.T.Errorf("the mail that asks to confirm does not say where to, or says too much: %s", text)
	}
	return h.Link(mails[len(mails)-1])
}

// taken are the types of what the endpoint was sent by work that is due, each verified by the secret.
func (h *hook) taken(secret string) (types []string) {
	h.T.Helper()
	for {
		done, err := h.Alerts.Webhooks.Work(h.T.Context())
		if err != nil {
			h.T.Fatal(err)
		}
		if done == 0 {
			break
		}
	}
	library, err := standard.NewWebhook(secret)
	if err != nil {
		h.T.Fatal(err)
	}
	for i, r := range h.got {
		if err := library.VerifyIgnoringTimestamp(h.bodies[i], r.Header); err != nil {
			h.T.Error(err)
		}
		var said webhook.Event
		if err := json.Unmarshal(h.bodies[i], &said); err != nil {
			h.T.Fatal(err)
		}
		types = append(types, said.Type+" "+said.Data.Route)
	}
	return types
}

func (h *hook) forget() { h.got, h.bodies = nil, nil }

// refreshed refreshes and hands over what there is to tell.
func (h *hook) refreshed(sent int) {
	h.T.Helper()
	fixture.Refreshed(h.T, h.Table, fixture.Falling(fare.DayOf(h.Clock.Now())), h.Clock.Now)
	if got, err := h.Sender.Work(h.T.Context()); err != nil || got.Left || got.Sent != sent {
		h.T.Errorf("%+v %v, want %d sent", got, err, sent)
	}
}

var secretPattern = regexp.MustCompile(`whsec_[A-Za-z0-9+/]{43}=`)

func secretOf(page string) string { return secretPattern.FindString(html.UnescapeString(page)) }

// TestFromAskingToTheEndpoint has alerts told to an endpoint: confirmed by mail, tested, signed, retried, replayed, and ended.
func TestFromAskingToTheEndpoint(t *testing.T) {
	t.Parallel()
	fixture.BothStores(t, func(t *testing.T, table store.Table, clock *storetest.Clock) {
		const ada = "ada@example.com"
		h := openHook(t, table, clock)
		link := h.ask("MIL-BUH", ada)
		if a := h.Do("GET", link, ""); a.Status != 200 || !strings.Contains(a.Page(), "hook.example.com") || strings.Contains(a.Body, "whsec_") {
			t.Fatalf("%d %s", a.Status, a.Page())
		}
		a := h.Form(link, "")
		secret := secretOf(a.Body)
		if a.Status != 200 || secret == "" || a.Header.Get("Cache-Control") != "no-store" {
			t.Fatalf("%d %v %s", a.Status, a.Header, a.Page())
		}
		if a := h.Form(link, ""); a.Status != 410 || strings.Contains(a.Body, "whsec_") {
			t.Errorf("again: %d %s", a.Status, a.Page())
		}
		// No other message before a test was taken.
		h.status = http.StatusInternalServerError
		h.refreshed(1)
		if diff := cmp.Diff([]string{"alert.test MIL-BUH", "alert.test MIL-BUH"}, h.taken(secret)); diff != "" {
			t.Error(diff)
		}
		h.forget()
		h.status = http.StatusOK
		clock.Add(5 * time.Second)
		got := h.taken(secret)
		at := slices.Index(got, "alert.fare MIL-BUH")
		if at < 1 || strings.Count(strings.Join(got, " "), "fare") != 1 {
			t.Fatalf("%q", got)
		}
		var told webhook.Event
		if err := json.Unmarshal(h.bodies[at], &told); err != nil || len(told.Data.Fares) != 1 || told.Data.Fares[0].PriceCents <= 0 || told.Data.Fares[0].Level == "" {
			t.Errorf("%+v %v", told, err)
		}
		id := h.got[at].Header.Get("webhook-id")
		h.forget()

		// Another alert to the endpoint shares its secret, which is not shown again.
		if a := h.Form(h.ask("MIL-LON", ada), ""); a.Status != 200 || strings.Contains(a.Body, "whsec_") {
			t.Errorf("%d %s", a.Status, a.Page())
		}
		// Of others it shows nothing, and their secret is another.
		bobs := secretOf(h.Form(h.ask("MIL-BUH", "bob@example.com"), "").Body)
		if bobs == "" || bobs == secret {
			t.Errorf("bob has %q", bobs)
		}
		h.Alerts.Webhooks.Work(t.Context())
		h.forget()

		// Looked after: what was delivered is listed, and can be delivered again as the same event.
		manage := h.ManageLink(ada)
		page := h.Do("GET", manage, "")
		if page.Status != 200 || !strings.Contains(page.Body, id) || !strings.Contains(page.Body, "hook.example.com") || strings.Contains(page.Body, "whsec_") {
			t.Fatalf("%d %s", page.Status, page.Page())
		}
		ref := regexp.MustCompile(`name="replay" value="([^"]+)"`).FindStringSubmatch(page.Body)
		if ref == nil {
			t.Fatal(page.Body)
		}
		of := url.QueryEscape(html.UnescapeString(ref[1]))
		if a := h.Form(h.ManageLink("bob@example.com"), "rotate="+of); a.Status != 200 || secretOf(a.Body) == secret {
			t.Errorf("%d %s", a.Status, a.Page())
		}
		if a := h.Form(manage, "replay="+of); a.Status != 200 {
			t.Errorf("%d %s", a.Status, a.Page())
		}
		if got := h.taken(secret); len(got) != 1 || h.got[0].Header.Get("webhook-id") != id {
			t.Errorf("%q", got)
		}
		h.forget()
		rotated := h.Form(manage, "rotate="+of)
		second := secretOf(rotated.Body)
		if rotated.Status != 200 || second == "" || second == secret {
			t.Fatalf("%d %s", rotated.Status, rotated.Page())
		}
		for _, s := range []string{secret, second} { // the one from before signs along
			if a := h.Form(manage, "test="+of); a.Status != 200 {
				t.Errorf("%d %s", a.Status, a.Page())
			}
			if got := h.taken(s); len(got) != 1 {
				t.Errorf("%q", got)
			}
			h.forget()
			clock.Add(time.Minute)
		}

		// It goes away: its owner hears of it, once, and can have it tried again.
		h.status = http.StatusGone
		if a := h.Form(manage, "replay="+of); a.Status != 200 {
			t.Errorf("%d %s", a.Status, a.Page())
		}
		h.taken(second)
		h.forget()
		mailed := func() (n int) {
			for _, m := range h.Received(ada) {
				if strings.Contains(m.Text, "hook.example.com") && !strings.Contains(m.Text, "secret-path") && !strings.Contains(m.Text, "/v1/alerts/confirm") {
					n++
					h.Link(m)
				}
			}
			return n
		}
		if got := mailed(); got != 1 {
			t.Errorf("%d mails about it", got)
		}
		clock.Add(7 * 24 * time.Hour)
		manage = h.ManageLink(ada)
		h.status = http.StatusOK
		if a := h.Form(manage, "test="+of); a.Status != 200 {
			t.Errorf("%d %s", a.Status, a.Page())
		}
		if got := h.taken(second); len(got) != 1 || mailed() != 1 {
			t.Errorf("%q", got)
		}

		// When the alerts end, nothing of it is kept.
		if a := h.Form(manage, "all=1"); a.Status != 200 {
			t.Errorf("%d %s", a.Status, a.Page())
		}
		if items, err := table.Query(t.Context(), store.Range{Partition: "WEBHOOK#" + string(fixture.Subscriber(ada))}); err != nil || len(items) > 0 {
			t.Errorf("%d items are left, error %v", len(items), err)
		}
	})
}

// TestBadEndpoints: what must not be reached cannot be asked for, and says what to do.
func TestBadEndpoints(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	p := fixture.OpenSubscriptions(t, fixture.Bolt(t, clock.Now), clock)
	for _, address := range []string{
		"", "http://example.com/", "https://localhost/", "https://127.0.0.1/", "https://169.254.169.254/latest/meta-data/", "https://[::1]/", "https://example.com:8443/",
		"https://ada:x@example.com/", "https://2130706433/", "https://metadata.google.internal/", "ftp://example.com/", "https://" + strings.Repeat("a", 600) + ".com/",
	} {
		clock.Add(time.Hour)
		a := p.Do("POST", "/v1/alerts", fixture.Object("route", "MIL-BUH", "email", "ada@example.com", "channel", "webhook", "address", address))
		if a.Status != 400 || !strings.Contains(a.Body, `"address"`) {
			t.Errorf("%q: %d %s", address, a.Status, a.Body)
		}
	}
	if a := p.Do("POST", "/v1/alerts", fixture.Object("route", "MIL-BUH", "channel", "webhook", "address", endpoint)); a.Status != 400 || !strings.Contains(a.Body, `"email"`) {
		t.Errorf("without an owner: %d %s", a.Status, a.Body)
	}
	if all, err := maildir.Read(p.Mails); err != nil || len(all) > 0 {
		t.Errorf("%d mails, error %v", len(all), err)
	}
}
