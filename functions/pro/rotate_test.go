package pro_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/store/storetest"
)

const again = "7b0b6d0e-2f6e-4b55-9f0a-5d1f3a2c4e61"

func rotate(s fixture.Shop, key string) fixture.Reply {
	return s.Do("POST", "/v1/pro/chiave/ruota", "", "X-Api-Key", key, "Idempotency-Key", again)
}

// TestALeakedKeyGivesNoFreshOne: a caller with a key that was already rotated does not get the new
// key.
func TestALeakedKeyGivesNoFreshOne(t *testing.T) {
	t.Parallel()
	for name, header := range map[string][]string{"with Idempotency-Key": {"Idempotency-Key", again}, "without": nil} {
		s, _, own := owner(t)
		call := func(header ...string) fixture.Reply {
			return s.Do("POST", "/v1/pro/chiave/ruota", "", append([]string{"X-Api-Key", own}, header...)...)
		}
		fresh := call(header...)
		if fresh.Status != 200 || !s.Works(fresh.APIKey) {
			t.Fatalf("%s: %d %s", name, fresh.Status, fresh.Body)
		}
		for _, guess := range [][]string{nil, {"Idempotency-Key", "a guess of 16 characters"}} {
			if a := call(guess...); a.Status != 401 || a.APIKey != "" {
				t.Errorf("%s, then %q: %d %s", name, guess, a.Status, a.Body)
			}
		}
		want(t, call("Idempotency-Key", "short"), 400, "", name, ", then a short one")
		holdsOneKey(s, own, fresh.APIKey)
	}
}

// mistyped returns the key with a different last character.
func mistyped(key string) string {
	last := len(key) - 1
	if key[last] == 'A' {
		return key[:last] + "_"
	}
	return key[:last] + "A"
}

func TestRotation(t *testing.T) {
	t.Parallel()
	s, clock, own := owner(t)
	for name, key := range map[string]string{"none": "", "mistyped": mistyped(own), "unknown": "vd_" +
		strings.Repeat("A", 65)} {
		want(t, rotate(s, key), 401, "chiave-non-valida", name)
	}
	first := rotate(s, own)
	if first.Status != 200 || first.Plan != "pro" || !s.Works(first.APIKey) || s.Works(own) ||
		first.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("%d %s", first.Status, first.Body)
	}
	clock.Add(9 * time.Minute) // after a lost answer: the old key is valid for this retry only
	if again := rotate(s, own); again.APIKey != first.APIKey || s.Works(own) {
		t.Errorf("asked again: %d %s", again.Status, again.Body)
	}
	clock.Add(2 * time.Minute)
	want(t, rotate(s, own), 401, "", "after 10 minutes")
	second := rotate(s, first.APIKey)
	want(t, rotate(s, own), 401, "", "the key before the last")
	holdsOneKey(s, own, first.APIKey, second.APIKey)
	clock.Add(40 * 24 * time.Hour)
	want(t, rotate(s, second.APIKey), 401, "piano-scaduto", "the plan has ended")
}

// TestRotationIsCountedByKey: attempts to rotate without the valid key do not use up the owner's
// limit.
func TestRotationIsCountedByKey(t *testing.T) {
	t.Parallel()
	s, _, key := owner(t)
	stranger := mistyped(key)
	for range 50 {
		rotate(s, stranger)
	}
	for n := range 20 {
		a := rotate(s, key)
		if a.Status != 200 || a.Header.Get("X-RateLimit-Remaining") != strconv.Itoa(19-n) {
			t.Fatalf("rotation %d: %d %v %s", n+1, a.Status, a.Header, a.Body)
		}
		key = a.APIKey
	}
	a := rotate(s, key)
	if a.Status != 429 || a.Header.Get("Retry-After") == "" || !s.Works(key) {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	if got := a.Header.Get("RateLimit-Policy") +
		a.Header.Get("X-RateLimit-Remaining"); got != `"pro-ruota-key";q=20;w=3600`+"0" {
		t.Errorf("a refusal tells %s", got)
	}
}

func TestLookingAtAKey(t *testing.T) {
	t.Parallel()
	s, clock, own := owner(t)
	look := func(key string) fixture.Reply { return s.Do("GET", "/v1/pro/chiave", "", "X-Api-Key", key) }
	a := look(own)
	if a.Status != 200 || a.Plan != "pro" || !a.ExpiresAt.Equal(clock.Now().AddDate(0, 0, 30)) ||
		!strings.Contains(a.Body, `"restsOn":[{"by":"usdc"`) ||
		strings.Contains(a.Body, "sub_") || a.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	want(t, s.Do("GET", "/v1/pro/chiave", ""), 401, "", "without a key")
	session, _ := s.Buy("ada@example.com")
	s.Confirm(session)
	if a := look(own); !strings.Contains(a.Body, `"restsOn":[{"by":"card"`) || strings.Contains(a.Body, "sub_") {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	clock.Add(60 * 24 * time.Hour)
	want(t, look(own), 401, "piano-scaduto", "the plan has ended")
}

// TestRotationUnderFaults: one call to the store fails during a rotation. In the end the owner has
// exactly one valid key.
func TestRotationUnderFaults(t *testing.T) {
	t.Parallel()
	underFaults(t, func(t *testing.T, s fixture.Shop, f *storetest.Faulty) {
		own := paid(s, f).APIKey
		if own == "" {
			return // the fault hit the purchase: TestPurchaseInUSDCUnderFaults
		}
		a := s.Retry(f, func() fixture.Reply { return rotate(s, own) })
		f.Heal()
		if a.Status != 200 || !s.Works(a.APIKey) {
			t.Errorf("%d %s", a.Status, a.Body)
		}
		holdsOneKey(s, own, a.APIKey)
	})
}
