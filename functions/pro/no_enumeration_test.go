package pro_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/e2e/fixture"
	"verdetto/shared/store/storetest"
)

func TestRecoveryAnswersAlike(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	table := &fixture.Recorder{Table: fixture.Bolt(t, clock.Now)}
	s := fixture.OpenShop(t, table, clock)
	must(t, s.Verify("known@example.com", s.Send(fixture.Price, "")), 200, "")
	recover := func(email string) (a fixture.Reply, calls []string) {
		before := len(table.Calls())
		a = s.Recover(email)
		a.Header.Del("X-Request-Id") // unique per call
		return a, table.Calls()[before:]
	}
	known, called := recover("known@example.com")
	if known.Status != 202 || len(called) == 0 {
		t.Fatalf("%d %s, after %v", known.Status, known.Body, called)
	}
	unknown, same := recover("unknown@example.com")
	if diff := cmp.Diff(known, unknown); diff != "" {
		t.Errorf("answers: %s", diff)
	}
	if diff := cmp.Diff(called, same); diff != "" {
		t.Errorf("calls to the store: %s", diff)
	}
}
