package pro_test

import (
	"strconv"
	"testing"

	"verdetto/e2e/fixture"
)

const again = "7b0b6d0e-2f6e-4b55-9f0a-5d1f3a2c4e61"

func rotate(s fixture.Shop, key string) fixture.Reply {
	return s.Do("POST", "/v1/pro/chiave/ruota", "", "X-Api-Key", key, "Idempotency-Key", again)
}

func mistyped(key string) string {
	last := len(key) - 1
	if key[last] == 'A' {
		return key[:last] + "_"
	}
	return key[:last] + "A"
}

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
