package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/e2e/script"
	"verdetto/functions/refresh"
	answers "verdetto/shared/answer"
	"verdetto/shared/answer/view"
	"verdetto/shared/carrier/mail"
	"verdetto/shared/fare"
	"verdetto/shared/notify"
	"verdetto/shared/runtime/queue"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
	"verdetto/shared/upstream/sample"
)

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
	s := fixture.Open(t, d, clock)
	// Each of these functions may be the first to start with a new table, so the stored pepper is
	// deleted.
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
	f := refreshes(t, d, as, s.Sender, clock)
	for _, function := range []string{"compat", "pricetrends"} {
		as(function, func() {
			reader := view.Reader{Reader: answers.NewReader(store.Fares{Table: d}, clock.Now, slog.Default())}
			if state := reader.BeforeFares(t.Context()); state != nil {
				t.Errorf("%s: %+v", function, state)
			}
		})
	}
	refuses(t, d, as, s, f, clock)
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

func refuses(t *testing.T, d store.Table, as func(string, func()), s *fixture.Service, f *refresh.Function, clock *storetest.Clock) {
	t.Helper()
	london := fare.Route{Origin: "MIL", Destination: "LON"}
	for i, alert := range []store.Alert{{Email: "bob@example.com", Route: fixture.Route}, {Email: "cleo@example.com", Route: fixture.Route},
		{Email: "bob@example.com", Route: london, Channel: store.Webhook, Address: "https://example.com/"}} {
		id := fmt.Sprint(i)
		alert.Subscriber, alert.Language, alert.Threshold = fixture.Subscriber(alert.Email), "it", 50_000
		if alert.Channel != "" {
			alert.ID = alert.NewID()
		}
		err := s.Alerts.Alerts.AddPending(t.Context(), id, alert, clock.Now().Add(time.Hour))
		if err == nil {
			_, err = s.Alerts.Alerts.Confirm(t.Context(), id)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	as("alerts", func() {
		_, err := s.Alerts.Event(t.Context(), json.RawMessage(
			`{"Records":[{"EventSource":"aws:sns","Sns":{"Message":"{\"eventType\":\"Bounce\",\"bounce\":{\"bounceType\":\"Permanent\",\"bouncedRecipients\":[{\"emailAddress\":\"cleo@example.com\"}]}}"}}]}`))
		if err != nil {
			t.Fatal(err)
		}
	})
	s.Sender.Mail = refusing{}
	other := store.Lease{Table: d, Name: "mail", Holder: "another", Duration: time.Minute, Now: clock.Now}
	for n := range 3 {
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
}

type refusing struct{}

func (refusing) Send(context.Context, mail.Message) error { return mail.ErrRefused }
