package apikey

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"
	"time"
)

var (
	signer = NewTokenSigner(pepper)
	ends   = time.Date(2026, 3, 1, 12, 30, 0, 0, time.UTC)
)

func TestTokens(t *testing.T) {
	text, hash := mint(t, "ada@example.com")
	_, other := mint(t, "ada@example.com")
	key, _ := Parse(text)
	token := signer.CustomerToken(key.Customer, hash, ends)
	got, ok := signer.Read(token)
	if !ok || got.Customer != key.Customer || !got.Until.Equal(ends) || !signer.MadeFor(got, hash) {
		t.Fatalf("%v %+v", ok, got)
	}
	if signer.MadeFor(got, other) {
		t.Error("it stands for a key that took the place of its own")
	}
	if _, ok := Parse(token); ok || strings.HasPrefix(token, scheme) {
		t.Error("a key and a token are taken for each other")
	}
	data, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(token, tokenScheme))
	if err != nil || bytes.Contains(data, hash[:8]) || bytes.Contains(data, key.secret[:8]) ||
		strings.Contains(token, text[25:35]) {
		t.Error("the token tells its key", err)
	}
	if again := signer.CustomerToken(key.Customer, hash, ends); again != token {
		t.Error("the same token is another")
	}

	free := signer.AnonymousToken(ends)
	anonymous, ok := signer.Read(free)
	if !ok || anonymous.Customer != "" || !anonymous.Until.Equal(ends) || signer.MadeFor(anonymous, Hash{}) {
		t.Errorf("%v %+v", ok, anonymous)
	}
	if !strings.Contains(token, "vd_") || strings.Contains(freeScheme, "vd_") {
		t.Error("calls with a token of a key are taken for calls without one, or the other way round")
	}
}

func TestForgedTokens(t *testing.T) {
	_, hash := mint(t, "ada@example.com")
	customer := CustomerIDOf(pepper, "ada@example.com")
	token, free := signer.CustomerToken(customer, hash, ends), signer.AnonymousToken(ends)
	other := NewTokenSigner([]byte("another pepper"))
	for name, text := range map[string]string{
		"empty":                        "",
		"the prefix alone":             tokenScheme,
		"signed with another secret":   other.CustomerToken(customer, hash, ends),
		"free, with another secret":    other.AnonymousToken(ends),
		"anonymous as a customer's":    tokenScheme + strings.TrimPrefix(free, freeScheme),
		"a customer's as anonymous":    freeScheme + strings.TrimPrefix(token, tokenScheme),
		"another prefix":               "token_" + strings.TrimPrefix(token, tokenScheme),
		"cut":                          token[:len(token)-1],
		"longer":                       token + "A",
		"space behind it":              token[:len(token)-1] + " ",
		"10 kB":                        tokenScheme + strings.Repeat("A", 10<<10),
		"10 kB and free":               freeScheme + strings.Repeat("A", 10<<10),
		"nothing but zeros":            tokenScheme + strings.Repeat("A", len(token)-len(tokenScheme)),
		"nothing but zeros, anonymous": freeScheme + strings.Repeat("A", len(free)-len(freeScheme)),
	} {
		if got, ok := signer.Read(text); ok {
			t.Errorf("%s is read as %+v", name, got)
		}
	}
	for _, good := range []string{token, free} {
		for at := strings.LastIndexByte(good[:12], '_') + 1; at < len(good); at++ {
			for _, letter := range "Aa0-_" {
				changed := good[:at] + string(letter) + good[at+1:]
				if got, ok := signer.Read(changed); ok && changed != good {
					t.Fatalf("with %q at %d it is read as %+v", letter, at, got)
				}
			}
		}
	}
}

func FuzzReadToken(f *testing.F) {
	f.Add(signer.CustomerToken(CustomerIDOf(pepper, "ada@example.com"), Hash{1}, ends))
	f.Add(signer.AnonymousToken(ends))
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := signer.Read(text)
		if ok && got.Customer != "" && signer.CustomerToken(got.Customer, Hash{1}, got.Until) != text {
			t.Errorf("%q was read as %+v", text, got)
		}
		if ok && got.Customer == "" && signer.AnonymousToken(got.Until) != text {
			t.Errorf("%q was read as %+v", text, got)
		}
	})
}
