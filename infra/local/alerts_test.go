package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/alertlink"
	"verdetto/shared/places"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
)

// What is wrong with a request or a link is said, and changes nothing.

const asForm = "application/x-www-form-urlencoded"

func TestBadAlertRequests(t *testing.T) {
	clock := storetest.NewClock()
	table := bolt(t, clock.Now)
	p := openCounter(t, table, clock)
	jsonOf := func(route, email, threshold string) string {
		return fmt.Sprintf(`{"route":%s,"email":%s,"threshold":%s}`, route, email, threshold)
	}
	const route, email = `"MIL-BUH"`, `"ada@example.com"`
	for _, c := range []struct {
		name, body, contentType string
		status                  int
		code                    string
		fields                  []string
	}{
		{"unknown origin", jsonOf(`"QQQ-BUH"`, email, "1"), "", 404, "citta-sconosciuta", []string{"route"}},
		{"unknown destination", jsonOf(`"MIL-QQQ"`, email, "1"), "", 404, "citta-sconosciuta", []string{"route"}},
		{"both unknown", jsonOf(`"QQQ-QQX"`, email, "null"), "", 404, "citta-sconosciuta", []string{"route", "route"}},
		{"same code", jsonOf(`"MIL-MIL"`, email, "1"), "", 400, "stessa-citta", []string{"route"}},
		{"same city by two airports", jsonOf(`"MXP-LIN"`, email, "1"), "", 400, "stessa-citta", []string{"route"}},
		{"same unknown code", jsonOf(`"QQQ-qqq"`, email, "1"), "", 400, "stessa-citta", []string{"route"}},
		{"no hyphen", jsonOf(`"MILBUH"`, email, "1"), "", 400, "richiesta-non-valida", []string{"route"}},
		{"names for codes", jsonOf(`"Milano-Bucarest"`, email, "1"), "", 400, "richiesta-non-valida", []string{"route"}},
		{"three codes", jsonOf(`"MIL-BUH-ROM"`, email, "1"), "", 400, "richiesta-non-valida", []string{"route"}},
		{"digits for codes", jsonOf(`"123-456"`, email, "1"), "", 400, "richiesta-non-valida", []string{"route"}},
		{"line break in the route", jsonOf(`"MIL\r\n-BUH"`, email, "1"), "", 400, "richiesta-non-valida", []string{"route"}},
		{"line break after the route", jsonOf(`"MIL-BUH\n"`, email, "1"), "", 400, "richiesta-non-valida", []string{"route"}},
		{"no route", `{"email":"ada@example.com"}`, "", 400, "richiesta-non-valida", []string{"route"}},
		{"route that is a number", jsonOf(`7`, email, "1"), "", 400, "richiesta-non-valida", []string{"route"}},
		{"null for a route", jsonOf(`null`, email, "1"), "", 400, "richiesta-non-valida", []string{"route"}},
		{"no address", `{"route":"MIL-BUH"}`, "", 400, "richiesta-non-valida", []string{"email"}},
		{"address without a domain", jsonOf(route, `"ada"`, "1"), "", 400, "richiesta-non-valida", []string{"email"}},
		{"two addresses", jsonOf(route, `"ada@example.com,bob@example.com"`, "1"), "", 400, "richiesta-non-valida", []string{"email"}},
		{"name and address", jsonOf(route, `"Ada <ada@example.com>"`, "1"), "", 400, "richiesta-non-valida", []string{"email"}},
		{"header in the address", jsonOf(route, `"ada@example.com\r\nBcc: bob@example.com"`, "1"), "", 400, "richiesta-non-valida", []string{"email"}},
		{"line break in the address", jsonOf(route, `"ada\n@example.com"`, "1"), "", 400, "richiesta-non-valida", []string{"email"}},
		{"zero byte in the address", jsonOf(route, `"ada@example.com\u0000"`, "1"), "", 400, "richiesta-non-valida", []string{"email"}},
		{"endless address", jsonOf(route, `"`+strings.Repeat("a", 5000)+`@example.com"`, "1"), "", 400, "richiesta-non-valida", []string{"email"}},
		{"threshold below zero", jsonOf(route, email, "-1"), "", 400, "richiesta-non-valida", []string{"threshold"}},
		{"threshold of zero", jsonOf(route, email, "0"), "", 400, "richiesta-non-valida", []string{"threshold"}},
		{"threshold that rounds to zero", jsonOf(route, email, "0.004"), "", 400, "richiesta-non-valida", []string{"threshold"}},
		{"threshold too high", jsonOf(route, email, "100000.01"), "", 400, "richiesta-non-valida", []string{"threshold"}},
		{"threshold beyond numbers", jsonOf(route, email, "1e999"), "", 400, "richiesta-non-valida", []string{"threshold"}},
		{"threshold that is no number", jsonOf(route, email, "NaN"), "", 400, "richiesta-non-valida", []string{"body"}},
		{"threshold that is a text", jsonOf(route, email, `"40"`), "", 400, "richiesta-non-valida", []string{"threshold"}},
		{"threshold that is a list", jsonOf(route, email, `[40]`), "", 400, "richiesta-non-valida", []string{"threshold"}},
		{"everything", jsonOf(`"x"`, `"y"`, `true`), "", 400, "richiesta-non-valida", []string{"email", "route", "threshold"}},
		{"unknown field", `{"route":"MIL-BUH","email":"ada@example.com","language":"it"}`, "", 400, "richiesta-non-valida", []string{"language"}},
		{"field in capitals", `{"ROUTE":"MIL-BUH","email":"ada@example.com"}`, "", 400, "richiesta-non-valida", []string{"ROUTE", "route"}},
		{"list", `[]`, "", 400, "richiesta-non-valida", []string{"body"}},
		{"null", `null`, "", 400, "richiesta-non-valida", []string{"body"}},
		{"no JSON", `route=MIL-BUH`, "", 400, "richiesta-non-valida", []string{"body"}},
		{"two objects", jsonOf(route, email, "1") + "{}", "", 400, "richiesta-non-valida", []string{"body"}},
		{"nothing", ``, "", 400, "richiesta-non-valida", nil},
		{"too much", jsonOf(route, `"`+strings.Repeat("a", 70_000)+`"`, "1"), "", 400, "richiesta-non-valida", nil},
		{"another kind", `<route>MIL-BUH</route>`, "text/xml", 400, "richiesta-non-valida", []string{"body"}},
		{"form: NaN", "route=MIL-BUH&email=ada@example.com&threshold=NaN", asForm, 400, "richiesta-non-valida", []string{"threshold"}},
		{"form: endless", "route=MIL-BUH&email=ada@example.com&threshold=Infinity", asForm, 400, "richiesta-non-valida", []string{"threshold"}},
		{"form: a comma that may part thousands", "route=MIL-BUH&email=ada@example.com&threshold=1,000", asForm, 400, "richiesta-non-valida", []string{"threshold"}},
		{"form: hexadecimal", "route=MIL-BUH&email=ada@example.com&threshold=0x10", asForm, 400, "richiesta-non-valida", []string{"threshold"}},
		{"form: a fraction", "route=MIL-BUH&email=ada@example.com&threshold=1/3", asForm, 400, "richiesta-non-valida", []string{"threshold"}},
		{"form: twice", "route=MIL-BUH&route=MIL-ROM&email=ada@example.com", asForm, 400, "richiesta-non-valida", []string{"route"}},
		{"form: unknown field", "route=MIL-BUH&email=ada@example.com&a=b", asForm, 400, "richiesta-non-valida", []string{"a"}},
		{"form: header in the address", "route=MIL-BUH&email=ada@example.com%0D%0ABcc:bob@example.com", asForm, 400, "richiesta-non-valida", []string{"email"}},
		{"form: no escape", "route=MIL-BUH&email=%zz", asForm, 400, "richiesta-non-valida", []string{"body"}},
		{"form: same city", "route=MIL-MXP&email=ada@example.com", asForm, 400, "stessa-citta", []string{"route"}},
		{"form: unknown code", "route=MIL-QQQ&email=ada@example.com", asForm, 404, "citta-sconosciuta", []string{"route"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			kind := c.contentType
			if kind == "" {
				kind = "application/json"
			}
			a := p.do("POST", "/api/v1/alerts", c.body, "Content-Type", kind)
			var fields []string
			for _, f := range a.Errors {
				fields = append(fields, f.Name)
			}
			if a.status != c.status || a.Code != c.code || a.header.Get("Content-Type") != "application/problem+json" {
				t.Errorf("%d %s", a.status, a.body)
			}
			if diff := cmp.Diff(c.fields, fields); diff != "" {
				t.Errorf("fields (-want +got):\n%s", diff)
			}
			if counted := a.header.Get("X-RateLimit-Limit") != ""; counted != (c.status == 404) {
				t.Errorf("counted: %v", counted)
			}
			// The same from a browser is a page that says what is wrong, and says nothing back.
			if kind == asForm {
				a := p.form("/v1/alerts", c.body, "Accept-Language", "en")
				if a.status != c.status || !strings.Contains(a.page(), "The alert could not be asked for") || !strings.Contains(a.body, "<li>") || strings.Contains(a.body, "example.com\r") {
					t.Errorf("%d %s", a.status, a.body)
				}
			}
		})
	}
	if left := everything(t, table, "OUTBOX#alerts"); left != "" {
		t.Errorf("left:\n%s", left)
	}
}

// TestAlertForms: a form asks as JSON does, and answers a browser with a page.
func TestAlertForms(t *testing.T) {
	clock := storetest.NewClock()
	p := openCounter(t, bolt(t, clock.Now), clock)
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
			a := p.form("/v1/alerts", "route=MIL-BUH&email="+email+c.threshold, "Accept-Language", "en")
			if a.status != 202 || !strings.Contains(a.page(), "Check your mail") || strings.Contains(a.body, email) {
				t.Fatalf("%d %s", a.status, a.body)
			}
			mails := p.letters(email)
			if len(mails) != 1 {
				t.Fatalf("%d mails", len(mails))
			}
			p.form(p.link(mails[0]), "")
			if got := p.alerts(email); len(got) != 1 || int(got["MIL-BUH"]) != c.want {
				t.Errorf("alerts %v", got)
			}
		})
	}
	// A script that posts a form is answered as a program.
	if a := p.form("/v1/alerts", "route=MIL-BUH&email=ada@example.com", "Accept", "application/json"); a.status != 202 || a.header.Get("Content-Type") != "application/json" {
		t.Errorf("%d %s", a.status, a.body)
	}
}

// TestAlertCaps: five calls an hour for each caller, three mails an hour for each mailbox, which the answer does not tell.
func TestAlertCaps(t *testing.T) {
	clock := storetest.NewClock()
	p := openCounter(t, bolt(t, clock.Now), clock)
	for n := range 7 {
		a := p.from("192.0.2.1:1", "POST", "/v1/alerts", `{"route":"MIL-BUH","email":"bob@example.com"}`)
		if want := map[bool]int{true: 202, false: 429}[n < 5]; a.status != want {
			t.Errorf("call %d: %d", n, a.status)
		}
	}
	if a := p.from("192.0.2.1:1", "POST", "/v1/alerts", "route=MIL-BUH&email=bob@example.com", "Content-Type", asForm, "Accept", "text/html"); a.status != 429 || !strings.Contains(a.page(), "troppe richieste") || a.header.Get("Retry-After") == "" {
		t.Errorf("%d %v %s", a.status, a.header, a.page())
	}
	first := p.ask("MIL-BUH", "ada@example.com", "")
	for range 9 {
		if a := p.ask("MIL-BUH", "Ada@example.com", ""); a.status != 202 || a.body != first.body {
			t.Errorf("%d %s", a.status, a.body)
		}
	}
	for email, want := range map[string]int{"ada@example.com": 3, "bob@example.com": 3} {
		if got := len(p.letters(email)); got != want {
			t.Errorf("%d mails to %s, want %d", got, email, want)
		}
	}
	clock.Add(time.Hour)
	p.ask("MIL-BUH", "ada@example.com", "")
	if got := len(p.letters("ada@example.com")); got != 4 {
		t.Errorf("%d mails after an hour, want 4", got)
	}
	// One mail provider presses for all of its users, from one address.
	for n := range 200 {
		a := p.from("192.0.2.1:1", "POST", p.endLink("MIL-BUH", fmt.Sprintf("user%d@example.com", n)), "List-Unsubscribe=One-Click", "Content-Type", asForm)
		if a.status != 410 {
			t.Fatalf("one-click %d: %d %s", n, a.status, a.body)
		}
	}
}

// TestBadAlertLinks: a page says what is wrong with a link, and nothing is changed.
func TestBadAlertLinks(t *testing.T) {
	clock := storetest.NewClock()
	table := bolt(t, clock.Now)
	p := openCounter(t, table, clock)
	p.subscribe("MIL-BUH", "ada@example.com", "40")
	expired := p.asked("MIL-LON", "ada@example.com", "40")
	clock.Add(48 * time.Hour)
	stopped := p.asked("MIL-LON", "eve@example.com", "")
	if err := p.service.Alerts.Stop(t.Context(), p.subscriber("eve@example.com"), clock.Now().AddDate(0, 0, 180)); err != nil {
		t.Fatal(err)
	}
	waiting := p.asked("MIL-PAR", "ada@example.com", "")
	_, id, _ := strings.Cut(waiting, "id=")
	end, manage := p.endLink("MIL-BUH", "ada@example.com"), p.manageLink("ada@example.com")
	_, endToken, _ := strings.Cut(end, "t=")
	_, manageToken, _ := strings.Cut(manage, "t=")
	other := alertlink.Sign([]byte("another pepper that has 32 letters"), alertlink.Unsubscribe, string(p.subscriber("ada@example.com")), "MIL-BUH")
	// flip changes one character of a token.
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
		{"unsubscribe: no signature", endAt + "?t=" + strings.Join(strings.Split(endToken, ".")[:2], "."), 400, "non è valido"},
		{"unsubscribe: another pepper", endAt + "?t=" + other, 400, "non è valido"},
		{"unsubscribe: a token to manage", endAt + "?t=" + manageToken, 400, "non è valido"},
		{"unsubscribe: endless", endAt + "?t=" + strings.Repeat("A", 5000), 400, "non è valido"},
		{"unsubscribe: no alert", p.endLink("MIL-ROM", "ada@example.com"), 410, "già disattivato"},
		{"unsubscribe: nobody", p.endLink("MIL-BUH", "nobody@example.com"), 410, "già disattivato"},
		{"manage: nothing", manageAt, 400, "non è valido"},
		{"manage: changed", manageAt + "?t=" + flip(manageToken, 2), 400, "non è valido"},
		{"manage: a token to unsubscribe", manageAt + "?t=" + endToken, 400, "non è valido"},
		{"manage: nobody", p.manageLink("nobody@example.com"), 410, ""},
	} {
		for _, method := range []string{"GET", "POST"} {
			t.Run(c.name+" "+method, func(t *testing.T) {
				a := p.do(method, c.target, "all=1", "Content-Type", asForm)
				if a.status != c.status || !strings.Contains(a.page(), c.says) || a.header.Get("Content-Type") != "text/html; charset=utf-8" ||
					a.header.Get("Cache-Control") != "no-store" || a.header.Get("Referrer-Policy") != "no-referrer" {
					t.Errorf("%d %v %s", a.status, a.header, a.body)
				}
			})
		}
	}
	for _, body := range []string{"", "remove=", "remove=MIL", "remove=%zz", "remove=MIL-MIL", "list=1"} {
		if a := p.form(manage, body); a.status != 400 {
			t.Errorf("manage %q: %d %s", body, a.status, a.body)
		}
	}
	if a := p.form(manage, "remove=MIL-ROM"); a.status != 410 {
		t.Errorf("an alert that is not there: %d", a.status)
	}
	if got := p.alerts("ada@example.com"); len(got) != 1 || got["MIL-BUH"] != 4000 {
		t.Errorf("alerts %v", got)
	}
	if a := p.form(waiting, ""); a.status != 200 { // which nothing above has used up
		t.Errorf("%d %s", a.status, a.page())
	}
}

// TestTwentyAlerts: one more than the most is not confirmed, and is once another was ended.
func TestTwentyAlerts(t *testing.T) {
	overBoth(t, func(t *testing.T, table store.Table, clock *storetest.Clock) {
		p := openCounter(t, table, clock)
		var routes []string
		for city := range places.Cities() {
			if city != "MIL" && len(routes) < store.MaxAlerts+1 {
				routes = append(routes, "MIL-"+string(city))
			}
		}
		for _, route := range routes[:store.MaxAlerts] {
			p.subscribe(route, "ada@example.com", "")
			clock.Add(time.Hour)
		}
		last := p.asked(routes[store.MaxAlerts], "ada@example.com", "")
		a := p.form(last, "")
		if a.status != 409 || !strings.Contains(a.page(), "Hai già 20 avvisi") || !strings.Contains(a.body, `href="/v1/alerts/manage?t=`) || len(p.alerts("ada@example.com")) != 20 {
			t.Fatalf("%d %s", a.status, a.body)
		}
		// A threshold can be changed all the same.
		clock.Add(time.Hour)
		p.subscribe(routes[3], "ada@example.com", "12")
		p.form(p.manageLink("ada@example.com"), "remove="+routes[0])
		if a := p.form(last, ""); a.status != 200 || len(p.alerts("ada@example.com")) != 20 {
			t.Errorf("%d %s", a.status, a.body)
		}
	})
}

// TestMailIsStopped: who refused mail for good, or complained, loses all alerts and is asked nothing more.
func TestMailIsStopped(t *testing.T) {
	overBoth(t, func(t *testing.T, table store.Table, clock *storetest.Clock) {
		p := openCounter(t, table, clock)
		for what, notice := range map[string]string{
			"bounce":    `{"notificationType":"Bounce","bounce":{"bounceType":"Permanent","bouncedRecipients":[{"emailAddress":"bounce@example.com"}]}}`,
			"complaint": `{"eventType":"Complaint","complaint":{"complainedRecipients":[{"emailAddress":"complaint@example.com"}]}}`,
		} {
			email := what + "@example.com"
			p.subscribe("MIL-BUH", email, "")
			record := map[string]any{"EventSource": "aws:sns", "Sns": map[string]string{"Message": notice}}
			event, err := json.Marshal(map[string]any{"Records": []any{record}})
			if err != nil {
				t.Fatal(err)
			}
			if out, err := p.service.Event(t.Context(), event); err != nil || out.Stopped != 1 {
				t.Fatal(out, err)
			}
			before := len(p.letters(email))
			a, b := p.ask("MIL-BUH", email, ""), p.ask("MIL-BUH", "somebody-"+email, "")
			if len(p.alerts(email)) != 0 || len(p.letters(email)) != before || a.status != 202 || a.body != b.body {
				t.Errorf("%s: alerts %v, %d mails more, %d %s", what, p.alerts(email), len(p.letters(email))-before, a.status, a.body)
			}
			clock.Add(181 * 24 * time.Hour)
			p.ask("MIL-BUH", email, "")
			if more := len(p.letters(email)) - before; more != map[string]int{"bounce": 1, "complaint": 0}[what] {
				t.Errorf("%s: %d mails half a year later", what, more)
			}
		}
	})
}
