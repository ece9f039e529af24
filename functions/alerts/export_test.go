package alerts_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/e2e/fixture"
	"verdetto/shared/fare"
	"verdetto/shared/notify"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
)

// keeping is a service with one person who has alerts of every kind and by several channels, and
// another who has one alert.
type keeping struct {
	*fixture.Subscriptions
	today fare.Day
	refs  map[string]store.Ref // her alerts, by kind
}

const (
	owner = "ada@example.com"
	hooks = "https://hook.example.com/secret-path"
)

func newKeeping(t *testing.T) keeping {
	t.Helper()
	clock := storetest.NewClock()
	k := keeping{Subscriptions: fixture.OpenSubscriptions(t, fixture.Bolt(t, clock.Now), clock),
		today: fare.DayOf(clock.Now()), refs: map[string]store.Ref{}}
	trip := store.Trip{From: k.today + 40, To: k.today + 43, Nights: fare.Return4to7, Nonstop: true}
	month := store.Trip{From: fare.DayOf(time.Date(2066, 5, 1, 0, 0, 0, 0, time.UTC)),
		To: fare.DayOf(time.Date(2066, 5, 31, 0, 0, 0, 0, time.UTC)), Month: true}
	for _, a := range []store.Alert{
		{Threshold: 4990},
		{Kind: store.Low, Days: 30, Trip: month, Since: k.today},
		{Kind: store.Drop, Percent: 15, Trip: trip, Since: k.today},
		{Kind: store.Change, Channel: store.Webhook, Address: hooks, Since: k.today},
		{Email: "bob@example.com", Threshold: 5500},
	} {
		if a.Email == "" {
			a.Email = owner
		}
		a.Subscriber, a.Route, a.Language, a.RequestDay = fixture.Subscriber(a.Email), fixture.Route, "en", k.today
		a.ID = a.NewID()
		id := a.Email + a.Condition()
		err := k.Alerts.Alerts.AddPending(t.Context(), id, a, clock.Now().Add(time.Hour))
		if err == nil {
			_, err = k.Alerts.Alerts.Confirm(t.Context(), id)
		}
		if err != nil {
			t.Fatal(err)
		}
		if a.Email == owner {
			k.refs[a.Condition()] = a.Ref()
		}
	}
	return k
}

func (k keeping) one(kind string) store.Alert {
	k.T.Helper()
	a, err := k.Alerts.Alerts.One(k.T.Context(), k.refs[kind], fixture.Subscriber(owner))
	if err != nil {
		k.T.Fatal(err)
	}
	return a
}

func TestNumbersOfEveryKind(t *testing.T) {
	t.Parallel()
	k := newKeeping(t)
	type numbers struct {
		threshold, amount fare.Cents
		days, percent     int
	}
	for _, c := range []struct {
		name, kind, body string
		status           int
		says             string
		want             numbers
	}{
		{"of a low", store.Low, "days=60", 200, "saved", numbers{days: 60}},
		{"of a low, none", store.Low, "days=", 200, "30 days", numbers{days: 30}},
		{"of a low, too few", store.Low, "days=6", 400, "from 7 to 365", numbers{days: 30}},
		{"of a low, those of a drop", store.Low, "days=90&percent=20&amount=4&threshold=9", 200, "90 days",
			numbers{days: 90}},
		{"of a drop", store.Drop, "percent=20&amount=", 200, "20%", numbers{percent: 20}},
		{"of a drop, in its place an amount", store.Drop, "percent=&amount=12,50", 200, "€12.50",
			numbers{amount: 1250}},
		{"of a drop, both", store.Drop, "percent=20&amount=12", 400, "Give only one of the two", numbers{amount: 1250}},
		{"of a drop, neither", store.Drop, "percent=&amount=", 400, "by how much", numbers{amount: 1250}},
		{"of a drop, with every field", store.Drop, "percent=100", 400, "from 1 to 90", numbers{amount: 1250}},
		{"of a drop, a huge field", store.Drop, "amount=" + strings.Repeat("9", 4000), 400, "Write an amount",
			numbers{amount: 1250}},
		{"of a change, those of others", store.Change, "days=60&percent=20&threshold=9", 200, "saved", numbers{}},
		{"of a threshold", store.Threshold, "threshold=39,90&days=60", 200, "€39.90", numbers{threshold: 3990}},
		{"of a threshold, less than a cent", store.Threshold, "threshold=0.001", 400, "Write an amount",
			numbers{threshold: 3990}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := k.Form(k.ManageLink(owner), "change="+k.refs[c.kind].String()+"&"+c.body, "Accept-Language", "en")
			if a.Status != c.status || !strings.Contains(a.Page(), c.says) {
				t.Errorf("%d %s", a.Status, a.Page())
			}
			got := k.one(c.kind)
			if d := cmp.Diff(c.want, numbers{got.Threshold, got.Amount, got.Days, got.Percent},
				cmp.AllowUnexported(numbers{})); d != "" {
				t.Error(d)
			}
		})
	}
	if !k.one(store.Low).Fresh || k.one(store.Change).Fresh {
		t.Error("other numbers are a new condition, and the same are none")
	}
}

func TestPageOfEveryKind(t *testing.T) {
	t.Parallel()
	k := newKeeping(t)
	if err := k.Alerts.Alerts.MarkNotified(t.Context(), k.one(store.Drop), k.today+7, 2999); err != nil {
		t.Fatal(err)
	}
	a := k.Do("GET", k.ManageLink(owner), "", "Accept-Language", "en")
	for name, want := range map[string]int{`name="threshold"`: 1, `name="days"`: 1, `name="percent"`: 1,
		`name="amount"`: 1, `value="15"`: 1, `value="49.90"`: 1, `name="change"`: 3} {
		if n := strings.Count(a.Body, name); n != want {
			t.Errorf("%s: %d times, want %d", name, n, want)
		}
	}
	if said := "Last message: €29.99, fares of 8 March 2066."; !strings.Contains(a.Page(), said) {
		t.Errorf("the page does not say %q: %s", said, a.Page())
	}
}

// Resuming an endpoint that the service had given up queues a test event. No other event is sent
// before the endpoint accepts it.
func TestResumeOfAnEndpointThatWasGivenUp(t *testing.T) {
	t.Parallel()
	k := newKeeping(t)
	ada := fixture.Subscriber(owner)
	deliveries := k.Alerts.Webhooks.Deliveries
	for _, c := range []struct {
		name string
		dead bool
		want int
	}{{"one that works", false, 0}, {"one that was given up", true, 1}} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := deliveries.ChangeEndpoint(t.Context(), ada, hooks, k.Clock.Now(),
				func(e *store.Endpoint) bool {
					e.Dead, e.Verified = c.dead, !c.dead
					return true
				}); err != nil {
				t.Fatal(err)
			}
			k.Form(k.ManageLink(owner), "pause="+k.refs[store.Change].String())
			a := k.Form(k.ManageLink(owner), "resume="+k.refs[store.Change].String(), "Accept-Language", "en")
			left, err := deliveries.BySubscriber(t.Context(), ada)
			if err != nil {
				t.Fatal(err)
			}
			tests := 0
			for _, d := range left {
				if len(d.Body) == 0 {
					tests++
				}
			}
			if a.Status != 200 || len(left) != tests || tests != c.want ||
				strings.Contains(a.Page(), "test event is on its way") != c.dead {
				t.Errorf("%d, %d test events of %d: %s", a.Status, tests, len(left), a.Page())
			}
			e, err := deliveries.Endpoint(t.Context(), ada, hooks)
			if err != nil || e.Dead || e.Verified == c.dead || k.one(store.Change).Paused != 0 {
				t.Errorf("the endpoint is %+v, %v", e, err)
			}
		})
	}
}

func TestExport(t *testing.T) {
	t.Parallel()
	k := newKeeping(t)
	ada, now := fixture.Subscriber(owner), k.Clock.Now()
	err := k.Alerts.Alerts.MarkNotified(t.Context(), k.one(store.Drop), k.today+7, 2999)
	deliveries := k.Alerts.Webhooks.Deliveries
	if err == nil {
		_, err = deliveries.ChangeEndpoint(t.Context(), ada, hooks, now, func(e *store.Endpoint) bool {
			e.Verified, e.Answered = true, now
			return true
		})
	}
	if err == nil {
		err = deliveries.Enqueue(t.Context(), store.Delivery{ID: "msg_1", Subscriber: ada,
			Alert: k.refs[store.Change].String(), URL: hooks, Body: []byte(`{"unsubscribe":"secret"}`), At: now})
	}
	if err != nil {
		t.Fatal(err)
	}
	k.Form(k.ManageLink(owner), "pause="+k.refs[store.Low].String())
	a := k.Do("GET", k.ManageLink(owner)+"&format=json", "")
	if a.Status != 200 || a.Header.Get("Content-Type") != "application/json" ||
		!strings.Contains(a.Header.Get("Cache-Control"), "no-store") {
		t.Fatalf("%d %v", a.Status, a.Header)
	}
	var got, want any
	if err := json.Unmarshal([]byte(a.Body), &got); err != nil {
		t.Fatal(err)
	}
	ref := func(kind string) string { return k.refs[kind].String() }
	common := `"route":"MIL-BUH","email":"ada@example.com","language":"en","asked":"2066-03-01",`
	if err := json.Unmarshal([]byte(`{"read":"2066-03-01T12:00:00Z","alerts":[
		{"alert":"MIL-BUH",`+common+`"channel":"mail","kind":"threshold","threshold":49.9},
		{"alert":"`+ref(store.Low)+`",`+common+`"channel":"mail","kind":"low","days":30,"month":"2066-05","since":"2066-03-01","paused":"until-resumed"},
		{"alert":"`+ref(store.Drop)+`",`+common+`"channel":"mail","kind":"drop","percent":15,"departure":"2066-04-10..2066-04-13","nights":"4-7","nonstop":true,"since":"2066-03-01","last":{"day":"2066-03-08","price":29.99}},
		{"alert":"`+ref(store.Change)+`",`+common+`"channel":"webhook","address":"`+hooks+`","kind":"change","since":"2066-03-01"}],
		"endpoints":[{"address":"`+hooks+`","state":"works","answered":"2066-03-01T12:00:00Z","deliveries":[
			{"id":"msg_1","alert":"`+ref(store.Change)+`","at":"2066-03-01T12:00:00Z","state":"under_way","tries":0}]}]}`), &want); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for _, secret := range []string{"bob", "55", "secret\"", "whsec_", "/v1/alerts", string(ada),
		string(k.Alerts.Webhooks.Secrets.Secret(ada, hooks, 0))} {
		if strings.Contains(a.Body, secret) {
			t.Errorf("%q is in what is taken along", secret)
		}
	}
	if page := k.Do("GET", k.ManageLink(owner), ""); !strings.Contains(page.Body, `&amp;format=json" download=`) {
		t.Error("the page has no link to what is taken along")
	}
}

func TestExportIsOfTheSubscriberAlone(t *testing.T) {
	t.Parallel()
	k := newKeeping(t)
	links, ada, bob := k.Alerts.Links, fixture.Subscriber(owner), fixture.Subscriber("bob@example.com")
	token := func(link string) string { _, t, _ := strings.Cut(link, "="); return t }
	own := token(k.ManageLink(owner))
	old := token(links.Manage(ada, k.Clock.Now().AddDate(0, 0, -notify.ManageDays-1)))
	k.Do("GET", "/v1/alerts/manage?t="+own+"&format=xml", "").Want(t, 400, "format").Lacks(t, owner)
	for _, c := range []struct {
		name, token, format string
		status              int
	}{
		{"none", "", "json", 400},
		{"the pseudonym", string(ada), "json", 400},
		{"the pseudonym, unsigned", string(ada) + ".2066-03-01.", "json", 400},
		{"another's, with her pseudonym", strings.Replace(token(k.ManageLink("bob@example.com")), string(bob),
			string(ada), 1), "json", 400},
		{"of another day, unsigned", strings.Replace(own, "2066-03-01", "2066-03-02", 1), "json", 400},
		{"cut", own[:len(own)-1], "json", 400},
		{"longer", own + "A", "json", 400},
		{"huge", strings.Repeat(own, 50), "json", 400},
		{"expired", old, "json", 410},
		{"from tomorrow on", token(links.Manage(ada, k.Clock.Now().AddDate(0, 0, 1))), "json", 410},
		{"to renew", token(links.Renew(ada)), "json", 410},
		{"to unsubscribe", token(links.Unsubscribe(ada, k.refs[store.Threshold])), "json", 400},
		{"to pause, which asks for that alone", token(links.Snooze(ada, k.refs[store.Threshold])), "json", 200},
		{"of who has none", token(links.Manage(fixture.Subscriber("eve@example.com"), k.Clock.Now())), "json", 410},
		{"her own in no format", own, "", 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, path := range []string{"/v1/alerts/manage?t=", "/api/v1/alerts/manage?t="} {
				a := k.Do("GET", path+c.token+"&format="+c.format, "", "Accept", "application/json", "Origin",
					"https://elsewhere.example")
				if a.Status != c.status || !strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") {
					t.Errorf("%s: %d %s", path, a.Status, a.Header.Get("Content-Type"))
				}
				if strings.Contains(a.Body, owner) || a.Header.Get("Access-Control-Allow-Credentials") != "" {
					t.Errorf("%s shows what is hers: %s", path, a.Body)
				}
			}
		})
	}
}
