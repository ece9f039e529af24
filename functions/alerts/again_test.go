package alerts_test

import (
	"testing"
	"time"
)

func TestAnAlertAskedForAgain(t *testing.T) {
	t.Parallel()
	s, clock := subscriptions(t)
	const email = "ada@example.com"
	ask := func(route, threshold, key string) {
		t.Helper()
		if a := s.Ask(route, email, threshold, "Idempotency-Key", key); a.Status != 202 {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
	}
	const first, second = "8c1f0f8e-9d0a-4b0e-8a52-6a0d1f9b7c11", "8c1f0f8e-9d0a-4b0e-8a52-6a0d1f9b7c12"
	for range 3 {
		ask("MIL-BUH", "40", first)
	}
	if n := len(s.Received(email)); n != 1 {
		t.Errorf("asked three times with one Idempotency-Key: %d mails", n)
	}
	mails := s.Received(email)
	s.Do("POST", s.Link(mails[0]), "").Want(t, 200)
	ask("MIL-BUH", "40", first)
	if n := len(s.Received(email)); n != 1 {
		t.Errorf("asked again after it was confirmed: %d mails", n)
	}
	ask("MIL-BUH", "41", first) // another threshold
	ask("MIL-BUH", "40", second)
	if n := len(s.Received(email)); n != 3 {
		t.Errorf("two other calls: %d mails in all", n)
	}
	clock.Add(time.Hour)
	s.Ask("MIL-BUH", email, "40", "Idempotency-Key", "short").Want(t, 400)
}
