package apikey

import (
	"bytes"
	"crypto/rand"
	"strings"
	"testing"
	"time"
)

var pepper = []byte("a pepper for tests")

func mint(t testing.TB, email string) (string, Hash) {
	t.Helper()
	text, hash, err := Mint(rand.Reader, CustomerIDOf(pepper, email))
	if err != nil {
		t.Fatal(err)
	}
	return text, hash
}

func TestMintAndParse(t *testing.T) {
	text, hash := mint(t, "ada@example.com")
	key, ok := Parse(text)
	if !ok || len(text) != 68 || !key.Matches(hash) || key.Customer != CustomerIDOf(pepper, " Ada@Example.com ") {
		t.Fatalf("%q %v %+v", text, ok, key)
	}
	other, otherHash := mint(t, "ada@example.com")
	if other == text || key.Matches(otherHash) {
		t.Error("two keys of one customer are the same")
	}
	if CustomerIDOf(pepper, "bob@example.com") == key.Customer ||
		CustomerIDOf([]byte("another"), "ada@example.com") == key.Customer {
		t.Error("two customers are the same")
	}
	if strings.Contains(text, "ada") || bytes.Contains(hash[:], []byte(text[25:35])) {
		t.Error("the key tells who it is for, or the hash tells the key")
	}
}

func TestMintNeedsRandomness(t *testing.T) {
	if _, _, err := Mint(bytes.NewReader([]byte("short")), CustomerIDOf(pepper, "a@b.c")); err == nil {
		t.Error("a key was made of too little randomness")
	}
	if _, _, err := Mint(rand.Reader, "not an id"); err == nil {
		t.Error("a key was made for a customer that cannot be")
	}
}

func TestNotAKey(t *testing.T) {
	good, _ := mint(t, "ada@example.com")
	for name, text := range map[string]string{
		"empty":             "",
		"other scheme":      "sk_" + good[3:],
		"upper-case scheme": "VD_" + good[3:],
		"short":             good[:67],
		"long":              good + "A",
		"space around":      " " + good[:67],
		"control":           good[:40] + "\n" + good[41:],
		"not base64":        good[:40] + "!" + good[41:],
		"standard base64":   good[:40] + "+" + good[41:],
		"another spelling":  good[:67] + "_", // sets the two unused bits of the last character
		"10 MB":             strings.Repeat("A", 10<<20),
	} {
		if _, ok := Parse(text); ok && text != good {
			t.Errorf("%s was read as a key", name)
		}
	}
}

func TestPlan(t *testing.T) {
	until := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		at   time.Time
		want bool
	}{{until.Add(-time.Second), true}, {until, false}, {until.Add(time.Second), false}} {
		if got := (Plan{Until: until}).Live(c.at); got != c.want {
			t.Errorf("at %v live is %v", c.at, got)
		}
	}
	if (Plan{}).Live(until) {
		t.Error("no plan is live")
	}
}

func FuzzParse(f *testing.F) {
	good, _ := mint(f, "ada@example.com")
	f.Add(good)
	f.Add("vd_")
	f.Fuzz(func(t *testing.T, text string) {
		key, ok := Parse(text)
		if !ok {
			return
		}
		again := scheme + string(key.Customer)
		if !strings.HasPrefix(text, again) || len(text) != keyLength {
			t.Errorf("%q was read as %+v", text, key)
		}
	})
}

func TestNormalize(t *testing.T) {
	for typed, want := range map[string]string{
		" Ada@Example.COM ": "ada@example.com", "ada@München.de": "ada@xn--mnchen-3ya.de",
		"ada@xn--mnchen-3ya.de": "ada@xn--mnchen-3ya.de", "ada@MU\u0308NCHEN.de": "ada@xn--mnchen-3ya.de",
		"ada@\u017fe.de": "ada@\u017fe.de", "no address": "no address",
	} {
		if got := Normalize(typed); got != want {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
}
