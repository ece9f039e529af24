package e2e_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/e2e/script"
	"verdetto/functions/refresh"
	answers "verdetto/shared/answer"
	"verdetto/shared/answer/view"
	"verdetto/shared/carrier/mail"
	"verdetto/shared/carrier/mail/maildir"
	"verdetto/shared/carrier/outbound"
	"verdetto/shared/fare"
	"verdetto/shared/notify"
	"verdetto/shared/runtime/queue"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
	"verdetto/shared/upstream/sample"
)

// beyondScripts does what the Lambda functions do and no script: it checks the pepper, plans by a queue,
// and meets subscribers whose mailbox refuses, on every channel.
func beyondScripts(t *testing.T) {
	clock := storetest.NewClock()
	clock.Add(fixture.Today.Sub(clock.Now()))
	var at atomic.Value
	d := script.Accesses(t, fixture.Bolt(t, clock.Now), func() string { function, _ := at.Load().(string); return function })
	as := func(function string, do func()) {
		at.Store(function)
		defer at.Store("")
		do()
	}
	phones := fixture.OpenPhones(t, d, clock)
	answer := phones.Handler
	phones.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		as(script.FunctionOf(r.URL.Path), func() { answer.ServeHTTP(w, r) })
	})
	// Each of these functions may be the first to start with a new table, so the stored pepper is
	// deleted before each.
	for _, function := range []string{"alerts", "pro", "refresh"} {
		if err := d.Write(t.Context(), store.Op{Mode: store.Delete,
			Item: store.Item{Key: store.Key{Partition: "SERVICE", Sort: "PEPPER"}}}); err != nil {
			t.Fatal(err)
		}
		as(function, func() {
			if err := store.CheckPepper(t.Context(), d, []byte(fixture.Pepper)); err != nil {
				t.Error(err)
			}
		})
	}
	f := refreshes(t, d, as, phones.Sender, clock)
	// On AWS each function reads once whether the service has fares.
	for _, function := range []string{"compat", "pricetrends"} {
		as(function, func() {
			reader := view.Reader{Reader: answers.NewReader(store.Fares{Table: d}, clock.Now, slog.Default())}
			if state := reader.BeforeFares(t.Context()); state != nil {
				t.Errorf("%s: %+v", function, state)
			}
		})
	}
	subscribes(t, d, as, phones, f, clock)
}

type queued struct{ messages []string }

func (q *queued) Send(_ context.Context, bodies ...string) error {
	q.messages = append(q.messages, bodies...)
	return nil
}

func refreshes(t *testing.T, d store.Table, as func(string, func()), sender *notify.Sender, clock *storetest.Clock) *refresh.Function {
	t.Helper()
	q := &queued{}
	f := &refresh.Function{
		Refresher: refresh.Refresher{Source: sample.New(), Fares: store.Fares{Table: d}, Now: clock.Now},
		Queue:     q, Sender: sender, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		CurrentRates: func(context.Context) fare.Rates { return fare.Rates{} },
	}
	as("refresh", func() {
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

func subscribes(t *testing.T, d store.Table, as func(string, func()), s *fixture.Phones, f *refresh.Function, clock *storetest.Clock) {
	t.Helper()
	alertsWork := func() {
		as("alerts", func() {
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
	as("alerts", func() {
		_, err := s.Alerts.Event(t.Context(), json.RawMessage(
			`{"Records":[{"EventSource":"aws:sns","Sns":{"Message":"{\"eventType\":\"Bounce\",\"bounce\":{\"bounceType\":\"Permanent\",\"bouncedRecipients\":[{\"emailAddress\":\"cleo@example.com\"}]}}"}}]}`))
		if err != nil {
			t.Fatal(err)
		}
	})
	// The loop covers a mailbox that always refuses, another process that holds the lease, and no
	// subscriber.
	s.Sender.Mail = refusing{}
	other := store.Lease{Table: d, Name: "mail", Holder: "another", Duration: time.Minute, Now: clock.Now}
	for n := range 4 {
		alertsWork()
		if n == 2 { // the last subscriber of the route leaves
			if _, err := s.Alerts.Alerts.Remove(t.Context(), fixture.Subscriber("eve@example.com")); err != nil {
				t.Fatal(err)
			}
		}
		clock.Add(7 * 24 * time.Hour)
		as("refresh", func() {
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
