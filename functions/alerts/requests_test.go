package alerts_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"verdetto/e2e/fixture"
	"verdetto/shared/fare/places"
	"verdetto/shared/notify"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
)

func TestBadAlertRequests(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	table := fixture.Bolt(t, clock.Now)
	p := fixture.OpenSubscriptions(t, table, clock)
	jsonOf := func(route, email, threshold string) string {
		return fmt.Sprintf(`{"route":%s,"email":%s,"threshold":%s}`, route, email, threshold)
	}
	const route, email = `"MIL-BUH"`, `"ada@example.com"`
	for _, c := range []struct {
		name, body string
		want       string // fields at fault, after a code other than that of a malformed request
	}{
		{"unknown origin", jsonOf(`"QQQ-BUH"`, email, "1"), "citta-sconosciuta: route"},
		{"unknown destination", jsonOf(`"MIL-QQQ"`, email, "1"), "citta-sconosciuta: route"},
		{"both unknown", jsonOf(`"QQQ-QQX"`, email, "null"), "citta-sconosciuta: route route"},
		{"same code", jsonOf(`"MIL-MIL"`, email, "1"), "stessa-citta: route"},
		{"same city by two airports", jsonOf(`"MXP-LIN"`, email, "1"), "stessa-citta: route"},
		{"same unknown code", jsonOf(`"QQQ-qqq"`, email, "1"), "stessa-citta: route"},
		{"no hyphen", jsonOf(`"MILBUH"`, email, "1"), "route"},
		{"names for codes", jsonOf(`"Milano-Bucarest"`, email, "1"), "route"},
		{"three codes", jsonOf(`"MIL-BUH-ROM"`, email, "1"), "route"},
		{"digits for codes", jsonOf(`"123-456"`, email, "1"), "route"},
		{"line break in the route", jsonOf(`"MIL\r\n-BUH"`, email, "1"), "route"},
		{"line break after the route", jsonOf(`"MIL-BUH\n"`, email, "1"), "route"},
		{"no route", `{"email":"ada@example.com"}`, "route"},
		{"route that is a number", jsonOf(`7`, email, "1"), "route"},
		{"null for a route", jsonOf(`null`, email, "1"), "route"},
		{"no address", `{"route":"MIL-BUH"}`, "email"},
		{"address without a domain", jsonOf(route, `"ada"`, "1"), "email"},
		{"two addresses", jsonOf(route, `"ada@example.com,bob@example.com"`, "1"), "email"},
		{"name and address", jsonOf(route, `"Ada <ada@example.com>"`, "1"), "email"},
		{"header in the address", jsonOf(route, `"ada@example.com\r\nBcc: bob@example.com"`, "1"), "email"},
		{"line break in the address", jsonOf(route, `"ada\n@example.com"`, "1"), "email"},
		{"zero byte in the address", jsonOf(route, `"ada@example.com\u0000"`, "1"), "email"},
		{"endless address", jsonOf(route, `"`+strings.Repeat("a", 5000)+`@example.com"`, "1"), "email"},
		{"threshold below zero", jsonOf(route, email, "-1"), "threshold"},
		{"threshold of zero", jsonOf(route, email, "0"), "threshold"},
		{"threshold that rounds to zero", jsonOf(route, email, "0.004"), "threshold"},
		{"threshold too high", jsonOf(route, email, "100000.01"), "threshold"},
		{"threshold beyond numbers", jsonOf(route, email, "1e999"), "threshold"},
		{"threshold that is no number", jsonOf(route, email, "NaN"), "body"},
		{"threshold that is a text", jsonOf(route, email, `"40"`), "threshold"},
		{"threshold that is a list", jsonOf(route, email, `[40]`), "threshold"},
		{"everything", jsonOf(`"x"`, `"y"`, `true`), "email route threshold"},
		{"unknown field", `{"route":"MIL-BUH","email":"ada@example.com","language":"it"}`, "language"},
		{"field in capitals", `{"ROUTE":"MIL-BUH","email":"ada@example.com"}`, "ROUTE route"},
		{"list", `[]`, "body"},
		{"null", `null`, "body"},
		{"no JSON", `route=MIL-BUH`, "body"},
		{"two objects", jsonOf(route, email, "1") + "{}", "body"},
		{"nothing", ``, ""},
		{"too much", jsonOf(route, `"`+strings.Repeat("a", 70_000)+`"`, "1"), ""},
		{"another kind", `<route>MIL-BUH</route>`, "body"},
		{"frequency that there is not", `{"route":"MIL-BUH","email":"ada@example.com","frequency":"daily"}`,
			"frequency"},
		{"frequency that is a number", `{"route":"MIL-BUH","email":"ada@example.com","frequency":7}`, "frequency"},
		{"weekly to a phone",
			`{"route":"MIL-BUH","channel":"ntfy","address":"https://ntfy.sh/topic","frequency":"weekly"}`, "frequency"},
		{"weekly in Telegram", `{"route":"MIL-BUH","channel":"telegram","frequency":"weekly"}`, "frequency"},
		{"weekly to an endpoint",
			`{"route":"MIL-BUH","email":"ada@example.com","channel":"webhook","address":"https://example.com/","frequency":"weekly"}`, "frequency"},
		{"weekly to anywhere", `{"route":"MIL-*","email":"ada@example.com","frequency":"weekly"}`, "frequency"},
		{"form: weekly to a phone", "route=MIL-BUH&channel=ntfy&address=https://ntfy.sh/topic&frequency=weekly",
			"frequency"},
		{"form: NaN", "route=MIL-BUH&email=ada@example.com&threshold=NaN", "threshold"},
		{"form: endless", "route=MIL-BUH&email=ada@example.com&threshold=Infinity", "threshold"},
		{"form: two commas", "route=MIL-BUH&email=ada@example.com&threshold=1,00,0", "threshold"},
		{"form: hexadecimal", "route=MIL-BUH&email=ada@example.com&threshold=0x10", "threshold"},
		{"form: a fraction", "route=MIL-BUH&email=ada@example.com&threshold=1/3", "threshold"},
		{"form: twice", "route=MIL-BUH&route=MIL-ROM&email=ada@example.com", "route"},
		{"form: unknown field", "route=MIL-BUH&email=ada@example.com&a=b", "a"},
		{"form: header in the address", "route=MIL-BUH&email=ada@example.com%0D%0ABcc:bob@example.com", "email"},
		{"form: no escape", "route=MIL-BUH&email=%zz", "body"},
		{"form: same city", "route=MIL-MXP&email=ada@example.com", "stessa-citta: route"},
		{"form: unknown code", "route=MIL-QQQ&email=ada@example.com", "citta-sconosciuta: route"},
	} {
		t.Run(c.name, func(t *testing.T) {
			kind, status := "application/json", 400
			switch {
			case strings.HasPrefix(c.name, "form: "):
				kind = fixture.Form
			case c.body == "<route>MIL-BUH</route>":
				kind = "text/xml"
			}
			code, wrong, other := strings.Cut(c.want, ": ")
			switch {
			case !other:
				code, wrong = "richiesta-non-valida", c.want
			case code == "citta-sconosciuta":
				status = 404
			}
			a := p.Do("POST", "/api/v1/alerts", c.body, "Content-Type", kind)
			var fields []string
			for _, f := range a.Errors {
				fields = append(fields, f.Name)
			}
			if a.Status != status || a.Code != code || a.Header.Get("Content-Type") != "application/problem+json" {
				t.Errorf("%d %s", a.Status, a.Body)
			}
			if diff := cmp.Diff(strings.Fields(wrong), fields, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("fields (-want +got):\n%s", diff)
			}
			if counted := a.Header.Get("X-RateLimit-Limit") != ""; counted != (status == 404) {
				t.Errorf("counted: %v", counted)
			}
			// A form is answered by a page that explains the fault, beside the field or in a list.
			if kind == fixture.Form {
				a := p.Form("/v1/alerts", c.body, "Accept-Language", "en")
				explained := strings.Contains(a.Body, "<li>") || strings.Contains(a.Body, `class="fault"`)
				if a.Status != status || !explained || !strings.Contains(a.Page(), "We could not set up the alert") {
					t.Errorf("%d %s", a.Status, a.Body)
				}
			}
		})
	}
	if left := everything(t, table, "OUTBOX#alerts"); left != "" {
		t.Errorf("left:\n%s", left)
	}
}

func TestAlertForms(t *testing.T) {
	t.Parallel()
	p, _ := subscriptions(t)
	for _, c := range []struct {
		name, threshold string
		want            int
	}{
		{"point", "&threshold=40.5", 4050},
		{"comma", "&threshold=40,5", 4050},
		{"left empty", "&threshold=", 0},
		{"left out", "", 0},
		{"space around", "&threshold=+12+", 1200},
	} {
		t.Run(c.name, func(t *testing.T) {
			email := strings.ReplaceAll(c.name, " ", "-") + "@example.com"
			a := p.Form("/v1/alerts", "route=MIL-BUH&email="+email+c.threshold, "Accept-Language", "en")
			if a.Status != 202 || !strings.Contains(a.Page(), "Check your email") || strings.Contains(a.Body, email) {
				t.Fatalf("%d %s", a.Status, a.Body)
			}
			mails := p.Received(email)
			if len(mails) != 1 {
				t.Fatalf("%d mails", len(mails))
			}
			p.Form(p.Link(mails[0]), "")
			if got := p.Thresholds(email); len(got) != 1 || int(got["MIL-BUH"]) != c.want {
				t.Errorf("alerts %v", got)
			}
		})
	}
	// A script that sends a form and accepts JSON gets JSON.
	if a := p.Form("/v1/alerts", "route=MIL-BUH&email=ada@example.com", "Accept",
		"application/json"); a.Status != 202 || a.Header.Get("Content-Type") != "application/json" {
		t.Errorf("%d %s", a.Status, a.Body)
	}
}

// A caller can make 5 requests an hour. A mailbox gets at most 6 mails a day, at most 3 of them
// because of one caller. The answer does not reveal how many it has had.
func TestAlertCaps(t *testing.T) {
	t.Parallel()
	p, clock := subscriptions(t)
	for n := range 7 {
		a := p.From("192.0.2.1:1", "POST", "/v1/alerts", `{"route":"MIL-BUH","email":"bob@example.com"}`)
		if want := map[bool]int{true: 202, false: 429}[n < 5]; a.Status != want {
			t.Errorf("call %d: %d", n, a.Status)
		}
	}
	if a := p.From("192.0.2.1:1", "POST", "/v1/alerts", "route=MIL-BUH&email=bob@example.com", "Content-Type",
		fixture.Form, "Accept", "text/html"); a.Status != 429 || !strings.Contains(a.Page(), "al massimo 5 avvisi all") ||
		!regexp.MustCompile(`Riprova fra [1-6]?[0-9] minut[oi]\.`).MatchString(a.Page()) ||
		a.Header.Get("Retry-After") == "" {
		t.Errorf("%d %v %s", a.Status, a.Header, a.Page())
	}
	first := p.Ask("MIL-BUH", "ada@example.com", "")
	for range 9 {
		if a := p.Ask("MIL-BUH", "Ada@example.com", ""); a.Status != 202 || a.Body != first.Body {
			t.Errorf("%d %s", a.Status, a.Body)
		}
	}
	for email, want := range map[string]int{"ada@example.com": 6, "bob@example.com": 3} {
		if got := len(p.Received(email)); got != want {
			t.Errorf("%d mails to %s, want %d", got, email, want)
		}
	}
	clock.Add(24 * time.Hour)
	p.Ask("MIL-BUH", "ada@example.com", "")
	if got := len(p.Received("ada@example.com")); got != 7 {
		t.Errorf("%d mails after a day, want 7", got)
	}
	// A mail provider may unsubscribe all its users from one IP address, so these calls are
	// unlimited.
	for n := range 200 {
		a := p.From("192.0.2.1:1", "POST", p.EndLink("MIL-BUH", fmt.Sprintf("user%d@example.com", n)),
			"List-Unsubscribe=One-Click", "Content-Type", fixture.Form)
		if a.Status != 410 {
			t.Fatalf("one-click %d: %d %s", n, a.Status, a.Body)
		}
	}
}

func TestBadAlertLinks(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	table := fixture.Bolt(t, clock.Now)
	p := fixture.OpenSubscriptions(t, table, clock)
	p.Subscribe("MIL-BUH", "ada@example.com", "40")
	expired := p.RequestAlert("MIL-LON", "ada@example.com", "40")
	clock.Add(48 * time.Hour)
	stopped := p.RequestAlert("MIL-LON", "eve@example.com", "")
	if err := p.Alerts.Alerts.Stop(t.Context(), fixture.Subscriber("eve@example.com"),
		clock.Now().AddDate(0, 0, 180)); err != nil {
		t.Fatal(err)
	}
	waiting := p.RequestAlert("MIL-PAR", "ada@example.com", "")
	_, id, _ := strings.Cut(waiting, "id=")
	end, manage := p.EndLink("MIL-BUH", "ada@example.com"), p.ManageLink("ada@example.com")
	_, endToken, _ := strings.Cut(end, "t=")
	_, manageToken, _ := strings.Cut(manage, "t=")
	another := notify.Links{Pepper: []byte("another pepper that has 32 letters")}
	_, other, _ := strings.Cut(another.Unsubscribe(fixture.Subscriber("ada@example.com"),
		store.Ref{Route: fixture.Route}), "t=")
	flip := func(s string, at int) string {
		c := byte('A')
		if s[at] == c {
			c = 'B'
		}
		return s[:at] + string(c) + s[at+1:]
	}
	const confirmAt, endAt, manageAt = "/v1/alerts/confirm", "/v1/alerts/unsubscribe", "/v1/alerts/manage"
	for _, c := range []struct {
		name, target string
		status       int
		says         string
	}{
		{"confirm: expired", expired, 410, "scaduto"},
		{"confirm: never asked for", confirmAt + "?id=" + flip(id, 3), 410, "scaduto"},
		{"confirm: mail was stopped", stopped, 410, "non scriviamo più"},
		{"confirm: cut short", confirmAt + "?id=" + id[:21], 400, "non è valido"},
		{"confirm: too long", confirmAt + "?id=" + id + strings.Repeat("A", 300), 400, "non è valido"},
		{"confirm: other spelling", confirmAt + "?id=" + id[:21] + "B", 400, "non è valido"},
		{"confirm: nothing", confirmAt, 400, "non è valido"},
		{"confirm: empty", confirmAt + "?id=", 400, "non è valido"},
		{"confirm: no escape", confirmAt + "?id=%zz", 400, "non è valido"},
		{"confirm: line break", confirmAt + "?id=" + id + "%0d%0aX:1", 400, "non è valido"},
		{"confirm: zero byte", confirmAt + "?id=%00", 400, "non è valido"},
		{"unsubscribe: nothing", endAt, 400, "non è valido"},
		{"unsubscribe: subscriber changed", endAt + "?t=" + flip(endToken, 2), 400, "non è valido"},
		{"unsubscribe: route changed", endAt + "?t=" + strings.Replace(endToken, "BUH", "LON", 1), 400, "non è valido"},
		{"unsubscribe: signature changed", endAt + "?t=" + flip(endToken, len(endToken)-1), 400, "non è valido"},
		{"unsubscribe: cut short", endAt + "?t=" + endToken[:len(endToken)-1], 400, "non è valido"},
		{"unsubscribe: no signature", endAt + "?t=" + strings.Join(strings.Split(endToken, ".")[:2], "."), 400,
			"non è valido"},
		{"unsubscribe: another pepper", endAt + "?t=" + other, 400, "non è valido"},
		{"unsubscribe: a token to manage", endAt + "?t=" + manageToken, 400, "non è valido"},
		{"unsubscribe: endless", endAt + "?t=" + strings.Repeat("A", 5000), 400, "non è valido"},
		{"unsubscribe: no alert", p.EndLink("MIL-ROM", "ada@example.com"), 410, "già disattivato"},
		{"unsubscribe: unknown address", p.EndLink("MIL-BUH", "nobody@example.com"), 410, "già disattivato"},
		{"manage: nothing", manageAt, 400, "non è valido"},
		{"manage: changed", manageAt + "?t=" + flip(manageToken, 2), 400, "non è valido"},
		{"manage: a token to unsubscribe", manageAt + "?t=" + endToken, 400, "non è valido"},
		{"manage: unknown address", p.ManageLink("nobody@example.com"), 410, ""},
	} {
		for _, method := range []string{"GET", "POST"} {
			t.Run(c.name+" "+method, func(t *testing.T) {
				a := p.Do(method, c.target, "all=1", "Content-Type", fixture.Form)
				if a.Status != c.status || !strings.Contains(a.Page(), c.says) ||
					a.Header.Get("Content-Type") != "text/html; charset=utf-8" ||
					a.Header.Get("Cache-Control") != "no-store" || a.Header.Get("Referrer-Policy") != "no-referrer" {
					t.Errorf("%d %v %s", a.Status, a.Header, a.Body)
				}
			})
		}
	}
	for _, body := range []string{"", "remove=", "remove=MIL", "remove=%zz", "remove=MIL-MIL", "list=1"} {
		if a := p.Form(manage, body); a.Status != 400 {
			t.Errorf("manage %q: %d %s", body, a.Status, a.Body)
		}
	}
	p.Form(manage, "remove=MIL-ROM").Want(t, 410)
	if got := p.Thresholds("ada@example.com"); len(got) != 1 || got["MIL-BUH"] != 4000 {
		t.Errorf("alerts %v", got)
	}
	if a := p.Form(waiting, ""); a.Status != 200 { // the calls above have not used it
		t.Errorf("%d %s", a.Status, a.Page())
	}
}

// A person with 20 alerts can confirm another only after one of them has ended.
func TestTwentyAlerts(t *testing.T) {
	t.Parallel()
	table, clock := fixture.OpenStore(t)
	p := fixture.OpenSubscriptions(t, table, clock)
	var routes []string
	for city := range places.Cities() {
		if city != "MIL" && len(routes) < store.MaxAlerts+1 {
			routes = append(routes, "MIL-"+string(city))
		}
	}
	for _, route := range routes[:store.MaxAlerts] {
		p.Subscribe(route, "ada@example.com", "")
		clock.Add(time.Hour)
	}
	last := p.RequestAlert(routes[store.MaxAlerts], "ada@example.com", "")
	a := p.Form(last, "")
	if a.Status != 409 || !strings.Contains(a.Page(), "Hai già 20 avvisi") ||
		!strings.Contains(a.Body, `href="/v1/alerts/manage?t=`) || len(p.Thresholds("ada@example.com")) != 20 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	clock.Add(time.Hour)
	p.Subscribe(routes[3], "ada@example.com", "12")
	p.Form(p.ManageLink("ada@example.com"), "remove="+routes[0])
	if a := p.Form(last, ""); a.Status != 200 || len(p.Thresholds("ada@example.com")) != 20 {
		t.Errorf("%d %s", a.Status, a.Body)
	}
}

// After a permanent refusal or a complaint, all alerts of the mailbox end, and it gets no more
// requests to confirm.
func TestMailIsStopped(t *testing.T) {
	t.Parallel()
	table, clock := fixture.OpenStore(t)
	p := fixture.OpenSubscriptions(t, table, clock)
	for what, notice := range map[string]string{
		"bounce":    `{"notificationType":"Bounce","bounce":{"bounceType":"Permanent","bouncedRecipients":[{"emailAddress":"bounce@example.com"}]}}`,
		"complaint": `{"eventType":"Complaint","complaint":{"complainedRecipients":[{"emailAddress":"complaint@example.com"}]}}`,
	} {
		email := what + "@example.com"
		p.Subscribe("MIL-BUH", email, "")
		record := map[string]any{"EventSource": "aws:sns", "Sns": map[string]string{"Message": notice}}
		event, err := json.Marshal(map[string]any{"Records": []any{record}})
		if err != nil {
			t.Fatal(err)
		}
		if out, err := p.Alerts.Event(t.Context(), event); err != nil || out.Stopped != 1 {
			t.Fatal(out, err)
		}
		before := len(p.Received(email))
		a, b := p.Ask("MIL-BUH", email, ""), p.Ask("MIL-BUH", "somebody-"+email, "")
		if len(p.Thresholds(email)) != 0 || len(p.Received(email)) != before || a.Status != 202 || a.Body != b.Body {
			t.Errorf("%s: alerts %v, %d mails more, %d %s", what, p.Thresholds(email), len(p.Received(email))-before,
				a.Status, a.Body)
		}
		clock.Add(181 * 24 * time.Hour)
		p.Ask("MIL-BUH", email, "")
		if more := len(p.Received(email)) - before; more != map[string]int{"bounce": 1, "complaint": 0}[what] {
			t.Errorf("%s: %d mails half a year later", what, more)
		}
	}
}

// Each link works once, and a mailbox never has more than 20 alerts.
func TestManyConfirmAtOnce(t *testing.T) {
	t.Parallel()
	table, clock := fixture.OpenStore(t)
	p := fixture.OpenSubscriptions(t, table, clock)
	link := p.RequestAlert("MIL-BUH", "ada@example.com", "")
	var won atomic.Int64
	var wg sync.WaitGroup
	for range 30 {
		wg.Go(func() {
			switch a := p.Form(link, ""); a.Status {
			case 200:
				won.Add(1)
			case 410:
			default:
				t.Errorf("%d %s", a.Status, a.Body)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 {
		t.Errorf("one link confirmed %d times", won.Load())
	}

	var links []string
	for city := range places.Cities() {
		if city != "MIL" && city != "BUH" && len(links) < 24 {
			links = append(links, p.RequestAlert(fmt.Sprint("MIL-", city), "ada@example.com", ""))
			clock.Add(time.Hour)
		}
	}
	var full atomic.Int64
	for _, link := range links {
		wg.Go(func() {
			switch a := p.Form(link, ""); a.Status {
			case 200:
			case 409:
				full.Add(1)
			default:
				t.Errorf("%d %s", a.Status, a.Body)
			}
		})
	}
	wg.Wait()
	if got := len(p.Thresholds("ada@example.com")); got != store.MaxAlerts || full.Load() != 5 {
		t.Errorf("%d alerts, %d refused", got, full.Load())
	}
}
