package apikey

import (
	"crypto/rand"
	"testing"
	"time"
)

func minted(t *testing.T, email string) Key {
	t.Helper()
	text, _, err := Mint(rand.Reader, CustomerIDOf([]byte("pepper"), email))
	if err != nil {
		t.Fatal(err)
	}
	k, ok := Parse(text)
	if !ok {
		t.Fatal("a minted key cannot be read")
	}
	return k
}

func TestRefused(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	r := NewRefused()
	ada, again, bob := minted(t, "ada@example.com"), minted(t, "ada@example.com"), minted(t, "bob@example.com")
	known := func(use string, k Key) bool { _, refused := r.Begin(use, k, now); return refused }
	add := func(use string, k Key) {
		l, _ := r.Begin(use, k, now)
		r.Add(l, use, k, now)
	}
	add("call", ada)
	add("call", bob)
	for _, c := range []struct {
		name string
		use  string
		key  Key
		want bool
	}{
		{"the key", "call", ada, true},
		{"another key of the customer", "call", again, false},
		{"another use", "rotation", ada, false},
		{"another customer's", "call", bob, true},
	} {
		if known(c.use, c.key) != c.want {
			t.Errorf("%s: refused is not %v", c.name, c.want)
		}
	}
	r.Forget(ada.Customer)
	if known("call", ada) || !known("call", bob) {
		t.Error("a customer's keys were not forgotten, or another's were")
	}
	lookup, _ := r.Begin("call", ada, now)
	r.Forget(ada.Customer)
	r.Add(lookup, "call", ada, now)
	if known("call", ada) {
		t.Error("what was read before a key was issued is remembered after it")
	}
	now = now.Add(RefusedFor)
	if known("call", bob) {
		t.Error("it is remembered for too long")
	}
	for range 3 * maxRefused {
		add("call", minted(t, "eve@example.com"))
		if len(r.keys) > maxRefused {
			t.Fatalf("%d are remembered", len(r.keys))
		}
	}
	var none *Refused
	none.Add(Lookup{}, "call", ada, now)
	none.Forget(ada.Customer)
	if _, refused := none.Begin("call", ada, now); refused {
		t.Error("nothing remembers something")
	}
}
