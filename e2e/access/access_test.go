// Package access compares the partitions of the table that each Lambda function reads and writes
// with schema.Accesses, the list of permitted accesses. infra/cdk makes the functions' permissions
// from the same list.
package access

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/e2e/fixture"
	"verdetto/functions/refresh"
	"verdetto/shared/answer"
	"verdetto/shared/carrier/mail"
	"verdetto/shared/carrier/mail/maildir"
	"verdetto/shared/carrier/outbound"
	"verdetto/shared/fare"
	"verdetto/shared/pay"
	"verdetto/shared/runtime/queue"
	"verdetto/shared/store"
	"verdetto/shared/store/dynamostore/schema"
	"verdetto/shared/store/storetest"
	"verdetto/shared/upstream/sample"
	"verdetto/shared/web/routes"
)

// table records which Lambda function accesses which partitions, and how.
type table struct {
	fixture.Recorder
	mu      sync.Mutex
	doing   string // the function at work; "" for the test itself
	touched map[string]map[string]bool
}

func newTable(of store.Table) *table {
	d := &table{touched: map[string]map[string]bool{}}
	d.Table, d.Before = of, func(does string, keys ...store.Key) {
		d.mu.Lock()
		defer d.mu.Unlock()
		at := d.doing + " writes"
		if does == "read" {
			at = d.doing + " reads"
		}
		if d.touched[at] == nil {
			d.touched[at] = map[string]bool{}
		}
		for _, key := range keys {
			d.touched[at][key.Partition] = true
		}
	}
	return d
}

func (d *table) as(function string, do func()) {
	d.set(function)
	defer d.set("")
	do()
}

func (d *table) set(function string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.doing = function
}

func functionOf(target string) string {
	at := strings.TrimPrefix(target, routes.Alias)
	for _, r := range routes.Table {
		if ok, _ := path.Match(strings.ReplaceAll(r.Path, "{file}", "*"), at); ok {
			return r.Function
		}
	}
	return "analisi" // it answers unknown paths
}

// The recorded accesses of everything that the functions do must equal schema.Accesses.
func TestFunctionsTouchWhatTheyMay(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	clock.Add(fixture.Today.Sub(clock.Now()))
	d := newTable(fixture.Bolt(t, clock.Now))
	phones := fixture.OpenPhones(t, d, clock)
	s := phones.Subscriptions
	answer := s.Handler
	s.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.as(functionOf(r.URL.Path), func() { answer.ServeHTTP(w, r) })
	})
	// Each of these functions may be the first to start with a new table, so the stored pepper is
	// deleted before each.
	for _, function := range []string{"alerts", "pro", "refresh"} {
		if err := d.Write(t.Context(), store.Op{Mode: store.Delete,
			Item: store.Item{Key: store.Key{Partition: "SERVICE", Sort: "PEPPER"}}}); err != nil {
			t.Fatal(err)
		}
		d.as(function, func() {
			if err := store.CheckPepper(t.Context(), d, []byte(fixture.Pepper)); err != nil {
				t.Error(err)
			}
		})
	}
	f := refreshes(t, d, s, clock)
	visits(t, d, s, clock)
	subscribes(t, d, phones, f, clock)
	buys(t, d, s)
	paysByCall(t, d, clock)

	for _, function := range []string{"alerts", "analisi", "compat", "pricetrends", "pro", "refresh", "x402"} {
		for how, may := range map[string][]string{"reads": schema.ReadBy(function),
			"writes": schema.WrittenBy(function)} {
			used := map[string]bool{}
			for _, partition := range slices.Sorted(maps.Keys(d.touched[function+" "+how])) {
				by := slices.IndexFunc(may, func(pattern string) bool { return matches(pattern, partition) })
				if by < 0 {
					t.Errorf("%s %s %s, which the table of accesses does not have", function, how, partition)
					continue
				}
				used[may[by]] = true
			}
			if diff := cmp.Diff(slices.Sorted(slices.Values(may)), slices.Sorted(maps.Keys(used))); diff != "" {
				t.Errorf("what %s %s (-allowed +done here):\n%s", function, how, diff)
			}
		}
	}
}

func matches(pattern, partition string) bool {
	return regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*") +
		"$").MatchString(partition)
}

func refreshes(t *testing.T, d *table, s *fixture.Subscriptions, clock *storetest.Clock) *refresh.Function {
	t.Helper()
	q := &line{}
	f := &refresh.Function{
		Refresher: refresh.Refresher{Source: sample.New(), Fares: store.Fares{Table: d}, Now: clock.Now},
		Queue:     q, Sender: s.Sender, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		CurrentRates: func(context.Context) fare.Rates { return fare.Rates{} },
	}
	d.as("refresh", func() {
		for _, event := range []string{`{}`, `{"origins":["MIL"]}`, `{"departures":true}`, `{"mail":true}`} {
			if _, err := f.Event(t.Context(), json.RawMessage(event)); err != nil {
				t.Fatalf("%s: %v", event, err)
			}
		}
		budget := refresh.Budget{Calls: store.Calls{Table: d}, Source: "sample", PerDay: 10, Now: clock.Now}
		if err := budget.Spend(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		if len(q.messages) == 0 {
			t.Fatal("nothing was planned")
		}
		if failed := f.Messages(t.Context(),
			[]queue.Message{{ID: "1", Body: q.messages[len(q.messages)-1]}}); len(failed) > 0 {
			t.Fatal("a message failed")
		}
	})
	return f
}

func visits(t *testing.T, d *table, s *fixture.Subscriptions, clock *storetest.Clock) {
	t.Helper()
	// On AWS each function reads once whether the service has fares.
	for _, function := range []string{"compat", "pricetrends"} {
		d.as(function, func() {
			reader := answer.NewReader(store.Fares{Table: d}, clock.Now, slog.Default())
			if state := reader.BeforeFares(t.Context()); state != nil {
				t.Errorf("%s: %+v", function, state)
			}
			if function == "pricetrends" {
				asksForTrends(t, reader)
			}
		})
	}
	key := fixture.IssueKey(t, d.Table, "visitor@example.com", clock.Now(), time.Hour)
	queries := []url.Values{
		{"origine": {"Milano"}, "destinazione": {"Londra"}}, {"da": {"Milano"}, "a": {"Londra"}}, {"q": {"mil"}},
		{"origin": {"MIL"}, "destination": {"LON"}, "currency": {"eur"}}, {"origin": {"NYC"}, "currency": {"eur"}},
		{"origine": {"New York"}, "destinazione": {"Roma"}}, {"origine": {"Milano"}}, {"destinazione": {"Londra"}},
		{"da": {"Milano"}}, {"da": {"New York"}}, {},
	}
	for _, r := range routes.Table {
		if r.Function != "analisi" && r.Function != "pricetrends" {
			continue
		}
		for _, header := range [][]string{nil, {"X-Api-Key", key}} {
			for _, query := range queries {
				body := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
				if a := s.Do(r.Method, strings.ReplaceAll(r.Path, "{file}", "MIL-LON.png")+"?"+query.Encode(), body,
					header...); a.Status >= 500 {
					t.Errorf("%s: %d %s", r.Path, a.Status, a.Body)
				}
			}
		}
	}
	for tool, arguments := range map[string]string{
		"flight_price_verdict": `{"origin":"Milano","destination":"Londra"}`,
		"price_trends":         `{"origin":"MIL","destination":"LON"}`, "watched_routes": `{"origin":"Milano"}`,
	} {
		message := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` +
			arguments + `}}`
		if a := s.Do("POST", "/mcp", message); a.Status != 200 {
			t.Errorf("%s: %d %s", tool, a.Status, a.Body)
		}
	}
	const london = "&origin=MIL&destination=LON&originIataCode=MIL&destinationIataCode=LON&departureDate=2016-05-02"
	for _, secret := range []string{"free", key} {
		a := s.Do("POST", "/v1/security/oauth2/token",
			"grant_type=client_credentials&client_id=x&client_secret="+secret, "Content-Type", fixture.Form)
		var token struct {
			Text string `json:"access_token"`
		}
		if err := json.Unmarshal([]byte(a.Body), &token); err != nil || a.Status != 200 {
			t.Fatal(err, a.Status, a.Body)
		}
		for _, target := range []string{
			"/v1/analytics/itinerary-price-metrics?oneWay=true&currencyCode=USD" + london,
			"/v1/shopping/flight-dates?oneWay=true&origin=MIL&destination=PAR",
			"/v1/shopping/flight-destinations?oneWay=true" + london,
			"/v1/shopping/flight-destinations?oneWay=true&origin=SYD",
		} {
			if a := s.Do("GET", target, "", "Authorization", "Bearer "+token.Text); a.Status >= 500 || a.Status == 401 {
				t.Errorf("%s: %d %s", target, a.Status, a.Body)
			}
		}
	}
	for range 20 { // calls without a quota are written now and then
		s.From("10.200.0.1:1", "GET", "/v1/docs", "")
		s.From("10.200.0.1:1", "GET", "/v1", "")
		s.From("10.200.0.1:1", "GET", "/v1/shopping/flight-dates", "")
	}
}

func subscribes(t *testing.T, d *table, s *fixture.Phones, f *refresh.Function, clock *storetest.Clock) {
	t.Helper()
	alertsWork := func() {
		d.as("alerts", func() {
			if _, err := s.Alerts.Event(t.Context(), json.RawMessage(`{"work":true}`)); err != nil {
				t.Fatal(err)
			}
		})
	}
	followed := map[string]bool{} // mails of the same moment have no order
	link := func(to string) string {
		alertsWork()
		mails, err := maildir.Read(s.Mails)
		if err != nil {
			t.Fatal(err)
		}
		found := ""
		for _, m := range mails {
			if at := s.Link(m); m.To == to && !followed[at] {
				found = at
			}
		}
		followed[found] = true
		return found
	}
	confirmed := func(email string) {
		s.Ask("MIL-LON", email, "500")
		at := link(email)
		if a, b := s.Do("GET", at, ""), s.Do("POST", at, ""); a.Status != 200 || b.Status != 200 {
			t.Fatalf("%d %d", a.Status, b.Status)
		}
	}
	for _, who := range []string{"ada", "bob", "cleo", "dan"} {
		confirmed(who + "@example.com")
	}
	const topic = "https://ntfy.example.com/fares"
	s.AskFor(`{"route":"MIL-PAR","threshold":500,"channel":"ntfy","address":"` + topic + `"}`)
	alertsWork()
	if a := s.Do("POST", strings.TrimPrefix(s.Ntfy.Messages(topic)[0].Click, fixture.PublicURL), ""); a.Status != 200 {
		t.Fatalf("%d", a.Status)
	}
	s.Alerts.Webhooks.Client = taking{}
	for _, who := range []string{"dan@example.com", "eve@example.com"} {
		s.Do("POST", "/v1/alerts",
			`{"route":"MIL-LON","email":"`+who+`","channel":"webhook","address":"https://example.com/","threshold":500}`)
		if a := s.Form(link(who), ""); a.Status != 200 {
			t.Fatalf("%d", a.Status)
		}
	}
	s.Do("POST", "/v1/alerts", `{"route":"MIL-LON","email":"fay@example.com","airline":"FR"}`)
	s.Do("POST", "/v1/alerts", `{"route":"MIL-LON","email":"fay@example.com","threshold":50,"currency":"USD"}`)
	s.From("203.0.113.9:1", "POST", "/v1/alerts", `{"route":"MIL-LON","email":"fay@example.com","frequency":"weekly"}`)
	if a := s.Form(link("fay@example.com"), ""); a.Status != 200 {
		t.Fatalf("%d", a.Status)
	}
	for _, at := range []string{s.EndLink("MIL-LON", "ada@example.com"), s.ManageLink("bob@example.com")} {
		s.Do("GET", at, "")
		s.Form(at, "all=1")
	}
	d.as("alerts", func() {
		_, err := s.Alerts.Event(t.Context(), json.RawMessage(
			`{"Records":[{"EventSource":"aws:sns","Sns":{"Message":"{\"eventType\":\"Bounce\",\"bounce\":{\"bounceType\":\"Permanent\",\"bouncedRecipients\":[{\"emailAddress\":\"cleo@example.com\"}]}}"}}]}`))
		if err != nil {
			t.Fatal(err)
		}
	})
	// The loop covers a mailbox that always refuses, another process that holds the lease, and no
	// subscriber.
	s.Sender.Mail = refusing{}
	other := store.Lease{Table: d.Table, Name: "mail", Holder: "another", Duration: time.Minute, Now: clock.Now}
	for n := range 4 {
		alertsWork()
		if n == 2 { // the last subscriber of the route leaves
			if _, err := s.Alerts.Alerts.Remove(t.Context(), fixture.Subscriber("eve@example.com")); err != nil {
				t.Fatal(err)
			}
		}
		clock.Add(7 * 24 * time.Hour)
		d.as("refresh", func() {
			if n == 1 {
				if err := other.Hold(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			for _, event := range []string{`{"origins":["MIL"]}`, `{"mail":true}`} {
				if _, err := f.Event(t.Context(), json.RawMessage(event)); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	if len(s.Ntfy.Messages(topic)) < 2 {
		t.Error("the topic was told nothing")
	}
}

type taking struct{}

func (taking) Post(context.Context, string, http.Header, []byte) (outbound.Answer, error) {
	return outbound.Answer{Status: http.StatusNoContent}, nil
}

type refusing struct{}

func (refusing) Send(context.Context, mail.Message) error { return mail.ErrRefused }

// In paysByCall one of the payments succeeds but gets no answer, and is credited later.
func paysByCall(t *testing.T, d *table, clock *storetest.Clock) {
	t.Helper()
	p := fixture.OpenPerCall(t, d, clock.Now)
	number := 0
	ask := func(target string, units int64, want int) {
		t.Helper()
		number++
		d.as("x402", func() {
			if w := p.Ask(target, p.Payment("ada", units, number)); w.Code != want {
				t.Errorf("%s: %d %s", target, w.Code, w.Body)
			}
		})
	}
	const london = "origine=Milano&destinazione=Londra"
	ask("/x402/v1/calendario?"+london, 20_000, 200)
	ask("/x402/v1/occasioni?origine=Milano", 20_000, 200)
	ask("/x402/v1/occasioni?origine=Sydney", 20_000, 404)
	p.Chain.Fault = func(step string) error {
		if step == "sent" {
			return pay.ErrUnavailable
		}
		return nil
	}
	ask("/x402/v1/analisi?"+london, 10_000, 503)
	p.Chain.Fault = nil
	clock.Add(5 * time.Minute)
	ask("/x402/v1/analisi?"+london, 10_000, 200)
}

func buys(t *testing.T, d *table, s *fixture.Subscriptions) {
	t.Helper()
	shop := fixture.Shop{Service: s.Service}
	work := func() {
		d.as("pro", func() {
			if _, err := s.Pro.Work(t.Context()); err != nil {
				t.Fatal(err)
			}
		})
	}
	session, subscription := shop.Buy("eve@example.com")
	key := shop.Confirm(session).APIKey
	if key == "" {
		t.Fatal("no key")
	}
	shop.Confirm(session)
	for range 2 {
		s.From("10.200.0.2:1", "POST", "/v1/pro/checkout", fixture.Object("email", "eve@example.com"))
	}
	onAPage, _ := shop.Buy("fay@example.com")
	for range 2 { // a person may view the key again
		if a := s.Do("GET", "/v1/pro/conferma?session_id="+onAPage, "", "Accept", "text/html"); a.Status != 200 {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
	}
	s.Payments.Stripe.Renew(subscription)
	for _, e := range s.Payments.Stripe.Events() {
		shop.Deliver(e.Payload)
	}
	if a := s.Do("GET", "/v1/pro/chiave", "", "X-Api-Key", key); a.Status != 200 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	rotated := s.Do("POST", "/v1/pro/chiave/ruota", "", "X-Api-Key", key)
	if rotated.Status != 200 {
		t.Fatalf("%d %s", rotated.Status, rotated.Body)
	}
	s.Do("GET", "/v1/pro/cripta?email=eve@example.com", "")
	shop.Verify("eve@example.com", shop.Send(fixture.Price, ""))
	for range 2 { // the second recovery after an undo needs consent
		shop.Recover("eve@example.com")
		work()
		for _, at := range links(t, s) {
			s.Do("GET", at, "")
			s.Do("POST", at, "")
			work()
		}
	}
}

var proLinks = regexp.MustCompile(`/v1/pro/recupera/(?:annulla|conferma)\?t=[\w.-]+`)

func links(t *testing.T, s *fixture.Subscriptions) (all []string) {
	t.Helper()
	mails, err := maildir.Read(s.Mails)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mails {
		all = append(all, proLinks.FindAllString(m.Text, -1)...)
	}
	return all
}
