package alerts_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/e2e/fixture"
	"verdetto/shared/carrier/mail/maildir"
)

// The answer to a request must not reveal what kind of address the request names.
const (
	unknown    = "unknown"
	subscribed = "subscribed"
	stopped    = "stopped"
	full       = "full" // the address has received 6 mails in 24 hours
)

func address(kind string, n int) string { return fmt.Sprintf("%s%d@example.com", kind, n) }

func ask(s *fixture.Service, email string) fixture.Reply {
	return s.Do("POST", "/v1/alerts", `{"route":"MIL-BUH","threshold":40,"email":"`+email+`"}`)
}

func prepare(t *testing.T, s *fixture.Service, each int, kinds ...string) {
	t.Helper()
	for n := range each {
		for _, kind := range kinds {
			email := address(kind, n)
			switch kind {
			case subscribed:
				fixture.Confirmed(t, s.Table, s.Clock.Now(), email)
			case stopped:
				if err := s.Alerts.Alerts.Stop(t.Context(), fixture.Subscriber(email),
					s.Clock.Now().AddDate(1, 0, 0)); err != nil {
					t.Fatal(err)
				}
			case full:
				for range 7 {
					ask(s, email)
				}
			}
		}
	}
	s.Drain()
}

func TestAskingAnswersAlike(t *testing.T) {
	t.Parallel()
	table, clock := fixture.OpenStore(t)
	recorder := &fixture.Recorder{Table: table}
	s := fixture.Open(t, recorder, clock)
	kinds := []string{unknown, subscribed, stopped, full}
	prepare(t, s, 1, kinds...)
	if mails, err := maildir.Read(s.Mails); err != nil || len(mails) != 6 {
		t.Fatalf("%d mails to the address that is to have had all of the day, want 6; %v", len(mails), err)
	}
	var answer fixture.Reply
	var calls []string
	for _, kind := range kinds {
		before := len(recorder.Calls())
		a := ask(s, address(kind, 0))
		made := recorder.Calls()[before:]
		a.Header.Del("X-Request-Id")
		if kind == unknown {
			if answer, calls = a, made; a.Status != 202 || len(made) == 0 {
				t.Fatalf("%d %s, after %v", a.Status, a.Body, made)
			}
		}
		if diff := cmp.Diff(answer, a); diff != "" {
			t.Errorf("%s: another answer: %s", kind, diff)
		}
		if diff := cmp.Diff(calls, made); diff != "" {
			t.Errorf("%s: other calls to the store: %s", kind, diff)
		}
	}
}
