// Package stored checks that today's code can use the store file of an earlier version, 303470a. It
// compares today's answers and work over that file with those of version 303470a. It fails if a
// stored key or encoding has changed, because a running service could then not read its data.
// testdata/README.md says how the file was made.
package stored

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"verdetto/shared/apikey"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
)

// facts holds what is known about the store file: its secrets as plain text, and what version
// 303470a answered and sent.
type facts struct {
	Pepper, Base   string
	Now            time.Time
	Keys           map[string]string // texts of Pro keys, by their fate
	IdempotencyKey string            // of a checkout started five minutes before Now
	Tokens         map[string]string // of links in mails
	Alerts         map[string]int    // number by address, after the requests
	Wanted         []fare.City
	Asked          []question // in this order
	OutboxMails    []sent     // of the jobs in the outboxes, five minutes after Now
	Cursor         string     // last subscriber who got the notification of MIL-BUH
	AlertMails     []sent     // of the notifications, five minutes after Now
}

// question is a request with the answer of version 303470a.
type question struct {
	Method, Path, From, Key, Type, Lang, Body string

	Status int
	Code   string            // of a problem
	Header map[string]string // headers about quotas and plans
	Answer json.RawMessage   // of a success, if it is JSON
}

func (q question) name() string { return q.Method + " " + q.Path }

// ask sends a request to today's code. It returns the request with today's answer, and the complete
// body.
func (s *service) ask(q question) (question, string) {
	request := httptest.NewRequest(q.Method, q.Path, strings.NewReader(q.Body))
	request.RemoteAddr = q.From + ":4711"
	for name, value := range map[string]string{"X-Api-Key": q.Key, "Content-Type": q.Type, "Accept-Language": q.Lang} {
		if value != "" {
			request.Header.Set(name, value)
		}
	}
	w := httptest.NewRecorder()
	s.api.ServeHTTP(w, request)
	q.Status, q.Code, q.Header, q.Answer = w.Code, "", map[string]string{}, nil
	for _, name := range []string{
		"X-Ratelimit-Limit", "X-Ratelimit-Remaining", "X-Ratelimit-Reset", "Retry-After", "X-Plan",
	} {
		if v := w.Header().Get(name); v != "" {
			q.Header[name] = v
		}
	}
	var problem struct{ Code string }
	switch kind := w.Header().Get("Content-Type"); {
	case kind == "application/problem+json" && json.Unmarshal(w.Body.Bytes(), &problem) == nil:
		q.Code = problem.Code
	case strings.HasPrefix(kind, "application/json"):
		q.Answer = w.Body.Bytes()
	}
	return q, w.Body.String()
}

// fieldsOf returns today's answer (now) without the fields that the earlier answer (then) lacks.
// Later versions may add fields.
func fieldsOf(then, now any) any {
	switch then := then.(type) {
	case map[string]any:
		if now, ok := now.(map[string]any); ok {
			kept := map[string]any{}
			for name, value := range now {
				if old, had := then[name]; had {
					kept[name] = fieldsOf(old, value)
				}
			}
			return kept
		}
	case []any:
		if now, ok := now.([]any); ok && len(now) == len(then) {
			kept := make([]any, len(now))
			for i := range now {
				kept[i] = fieldsOf(then[i], now[i])
			}
			return kept
		}
	}
	return now
}

func TestFieldsOf(t *testing.T) {
	decode := func(text string) (v any) {
		storetest.Must(t, json.Unmarshal([]byte(text), &v))
		return v
	}
	then := decode(`{"a":1,"list":[{"b":2}],"null":null}`)
	for now, same := range map[string]bool{
		`{"a":1,"list":[{"b":2}],"null":null}`:                true,
		`{"a":1,"list":[{"b":2,"new":3}],"null":null,"c":[]}`: true,
		`{"list":[{"b":2}],"null":null}`:                      false,
		`{"a":2,"list":[{"b":2}],"null":null}`:                false,
		`{"a":1,"list":[{"b":2},{"b":2}],"null":null}`:        false,
		`{"a":1,"list":{"b":2},"null":null}`:                  false,
		`{"a":1,"list":[{"b":2}]}`:                            false,
	} {
		if got := cmp.Equal(then, fieldsOf(then, decode(now))); got != same {
			t.Errorf("%s is taken for the same: %v", now, got)
		}
	}
}

// judgedAnew copies to then the fields of now that may differ from version 303470a, because the
// rule for verdicts has changed. Every earlier field must still exist with its type. The stored
// lowest fares of each day must not change, so the lowest of all must not differ.
func judgedAnew(then, now any) {
	is, _ := now.(map[string]any)
	was, _ := then.(map[string]any)
	judged, _ := is["verdetto"].(map[string]any)
	before, _ := was["verdetto"].(map[string]any)
	for _, field := range []string{
		"livello", "affidabilita", "percentile", "medianaCent", "scartoMedianaCent", "campione", "stagionale",
	} {
		if reflect.TypeOf(before[field]) == reflect.TypeOf(judged[field]) && before[field] != nil {
			before[field] = judged[field]
		}
	}
}

// TestAnswers sends today's code the requests that version 303470a answered, in the same order.
// They cover verdicts, histories, coverage, trends, every kind of key, and partly or fully used
// quotas. They also cover payments and checkouts whose key was already issued, and the links in
// mails.
func TestAnswers(t *testing.T) {
	s := open(t)
	for _, want := range s.facts.Asked {
		got, body := s.ask(want)
		if strings.HasPrefix(want.Path, "/v1/alerts/manage?") {
			// In version 303470a this link never expired. Today it has expired, and the page offers
			// a new link by mail.
			want.Status = http.StatusGone
		}
		var then, now any
		if len(want.Answer) > 0 {
			storetest.Must(t, json.Unmarshal(want.Answer, &then))
			if err := json.Unmarshal([]byte(body), &now); err != nil {
				t.Errorf("%s: %v", want.name(), err)
			}
		}
		judgedAnew(then, now)
		if diff := cmp.Diff(then, fieldsOf(then, now)); diff != "" {
			t.Errorf("%s: the answer (-303470a +now):\n%s", want.name(), diff)
		}
		want.Answer, got.Answer = nil, nil
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-303470a +now):\n%s\n%s", want.name(), diff, body)
		}
	}
	// A new checkout must get an idempotency key of its own. Otherwise the card processor would
	// return the stored checkout of the same mail address.
	if got := s.bank.idempotencyKeys; len(got) != 1 || strings.HasPrefix(got[0], s.facts.IdempotencyKey) {
		t.Errorf(
			"a new checkout has the idempotency keys %q; that of the stored one is %q", got,
			s.facts.IdempotencyKey,
		)
	}
	for email, want := range s.facts.Alerts {
		list, err := s.alerts.Alerts.BySubscriber(t.Context(), s.links.Subscriber(email))
		if err != nil || len(list) != want {
			t.Errorf("%s has %d alerts, %v; with 303470a %d", email, len(list), err, want)
		}
	}
	watched, err := s.alerts.Alerts.SubscribedRoutes(t.Context(), "MIL")
	// The alert on Naples (NAP) exists because the subscriber eve confirmed it in a request above.
	if diff := cmp.Diff(
		[]store.SubscribedRoute{{Destination: "BUH"}, {Destination: "LON"}, {Destination: "NAP"}}, watched,
	); diff != "" || err != nil {
		t.Errorf("watched routes from MIL (-303470a +now):\n%s%v", diff, err)
	}
	wanted, err := store.Fares{Table: s.table}.RequestedOrigins(
		t.Context(), time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC),
	)
	if diff := cmp.Diff(s.facts.Wanted, wanted); diff != "" || err != nil {
		t.Errorf("origins that were asked for in vain (-303470a +now):\n%s%v", diff, err)
	}
}

// TestAlertsAreListed: on the page of an old link, a subscriber requests a new link by mail. The
// new link shows the alerts with their thresholds.
func TestAlertsAreListed(t *testing.T) {
	s := open(t)
	q, page := s.ask(question{
		Method: http.MethodGet, Path: "/v1/alerts/manage?t=" + s.facts.Tokens["manage ada@example.com"],
		From: "203.0.113.1", Lang: "it",
	})
	if q.Status != http.StatusGone || !strings.Contains(page, `name="renew"`) {
		t.Errorf("a link of then: %d\n%s", q.Status, page)
	}
	q, page = s.ask(question{
		Method: http.MethodGet, Path: s.links.Manage(s.links.Subscriber("ada@example.com"), s.now), From: "203.0.113.1",
		Lang: "it",
	})
	for _, want := range []string{"Milano", "Bucarest", "Londra", "100"} {
		if q.Status != http.StatusOK || !strings.Contains(page, want) {
			t.Errorf("the page of ada's alerts lacks %q: %d\n%s", want, q.Status, page)
		}
	}
	for email, want := range map[string]store.Alert{
		"ada@example.com": {
			Route: milBuh, Email: "ada@example.com", Language: "it", Threshold: 100_00, Mailed: day("2026-10-18"),
		},
		"bob@example.com": {Route: milBuh, Email: "bob@example.com", Language: "en"},
		"ivy@example.com": {
			Route: fare.Route{
				Origin: "MIL", Destination: "LON",
			}, Email: "ivy@example.com", Language: "en", Threshold: 25_00,
			Mailed: day("2026-10-18"), Fresh: true,
		},
	} {
		want.Subscriber = s.links.Subscriber(email)
		got, err := s.alerts.Alerts.One(t.Context(), want.Ref(), want.Subscriber)
		if diff := cmp.Diff(
			want, got, cmp.FilterPath(func(p cmp.Path) bool { return p.String() == "version" }, cmp.Ignore()),
		); diff != "" || err != nil {
			t.Errorf("alert of %s (-303470a +now):\n%s%v", email, diff, err)
		}
	}
	for email, want := range map[string]bool{"dora@example.com": true, "ada@example.com": false} {
		if stopped, err := s.alerts.Alerts.Stopped(t.Context(), s.links.Subscriber(email)); err != nil ||
			stopped != want {
			t.Errorf("mail to %s is stopped: %v, %v; want %v", email, stopped, err, want)
		}
	}
}

// TestCardRenewal: today's webhook renews a subscription that was bought in version 303470a.
func TestCardRenewal(t *testing.T) {
	s := open(t)
	owner, err := store.Customers{Table: s.table}.SubscriptionOwner(t.Context(), "sub_kim")
	if want := apikey.CustomerIDOf([]byte(s.facts.Pepper), "kim@example.com"); err != nil || owner != want {
		t.Fatalf("sub_kim belongs to %q, %v; want %q", owner, err, want)
	}
	kim, err := store.Customers{Table: s.table}.Customer(t.Context(), owner)
	if issued := time.Date(2026, 10, 20, 9, 5, 0, 0, time.UTC); err != nil || !kim.IssuedAt.Equal(issued) {
		t.Errorf("kim's key was issued at %s, %v; want %s", kim.IssuedAt, err, issued)
	}
	s.bank.paidUntil = s.facts.Now.AddDate(0, 2, 0)
	if q, body := s.ask(question{
		Method: http.MethodPost, Path: "/api/v1/pro/webhook", From: "203.0.113.1", Type: "application/json", Body: "{}",
	}); q.Status != http.StatusOK {
		t.Fatalf("webhook: %d %s", q.Status, body)
	}
	s.now = s.facts.Now.AddDate(0, 1, 20) // after the period paid for then
	if q, body := s.ask(
		question{Method: http.MethodGet, Path: "/v1/rotte", From: "203.0.113.1", Key: s.facts.Keys["live by card"]},
	); q.Status != http.StatusOK {
		t.Errorf("the key after the renewal: %d %s", q.Status, body)
	}
}

// TestPlanInUSDCEnds: two payments, each for 30 days, made on 22 October, pay the plan until 21
// December.
func TestPlanInUSDCEnds(t *testing.T) {
	s := open(t)
	for at, status := range map[string]int{
		"2026-12-21T10:04:00Z": http.StatusOK, "2026-12-21T10:06:00Z": http.StatusUnauthorized,
	} {
		var err error
		if s.now, err = time.Parse(time.RFC3339, at); err != nil {
			t.Fatal(err)
		}
		if q, body := s.ask(
			question{Method: http.MethodGet, Path: "/v1/rotte", From: "203.0.113.1", Key: s.facts.Keys["paid in USDC"]},
		); q.Status != status {
			t.Errorf("at %s: %d %s, want %d", at, q.Status, body, status)
		}
	}
}
