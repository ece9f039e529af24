package pro_test

import (
	"strings"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/runtime/faulttest"
)

var newer = faulttest.Garbled(
	`{"error":{"code":-32015,"message":"Transaction version (2) is not supported by the requesting client."}}`)

func TestAPaymentThatCannotBeJudgedYet(t *testing.T) {
	s := parallel(t)
	signature := s.Send(fixture.Price, "")
	faults := faulttest.Break(s.Payments.Node)
	for range 2 { // the second call stores nothing more
		faults.Fail(newer)
		a := s.Verify("ada@example.com", signature)
		want(t, a, 409, "pagamento-da-esaminare", "of an unknown version")
		if !strings.Contains(a.Body, "version") || !strings.Contains(a.Body, "Do not pay again") {
			t.Errorf("what to do: %s", a.Body)
		}
	}
	if log := s.Log.String(); strings.Count(log, "level=ERROR") != 1 || !strings.Contains(log, "version (2)") {
		t.Errorf("the operator is told: %s", log)
	}
	faults.Fail(newer)
	if keys := s.Mailed("ada@example.com"); len(keys) != 0 {
		t.Fatalf("%d keys before the version is known", len(keys))
	}
	s.Clock.Add(29 * 24 * time.Hour)
	s.Mailed("ada@example.com") // judges the claim
	s.Clock.Add(time.Minute)    // until the mail is due
	keys := s.Mailed("ada@example.com")
	if len(keys) != 1 || !s.Works(keys[0]) {
		t.Fatalf("%d keys after the update", len(keys))
	}
	if got, want := s.Customer("ada@example.com").Crypto, s.Clock.Now().Add(-time.Minute).AddDate(0, 0, 30); !got.Equal(want) {
		t.Errorf("the plan ends %v, want 30 days after the payment was judged: %v", got, want)
	}
	calls := s.Payments.Node.Calls()
	s.Clock.Add(2 * time.Hour)
	s.Mailed("ada@example.com")
	if again := s.Payments.Node.Calls(); again != calls {
		t.Error("a claim that was judged is judged again")
	}
	want(t, s.Verify("eve@example.com", signature), 409, "pagamento-gia-usato", "by a stranger")
}

func TestTheWaitingPageKeepsAClaim(t *testing.T) {
	s := parallel(t)
	const token = "000102030405060708090a0b0c0d0e0f"
	signature, faults := s.Send(fixture.Price, "").String(), faulttest.Break(s.Payments.Node)
	faults.Fail(newer)
	for _, state := range []string{"trattenuto", "pagato"} {
		wantBody(t, s.Do("POST", "/v1/pro/cripta/attesa", fixture.Object("email", "ada@example.com", "t", token, "signature",
			signature)), 200, `"status":"`+state, state)
	}
}
