package mail

import (
	"strings"
	"testing"
	"time"

	"verdetto/shared/apikey"
)

func aKey(t *testing.T) Key {
	t.Helper()
	text, _, err := apikey.Mint(endless(7), apikey.CustomerIDOf([]byte("pepper"), "ada@example.com"))
	if err != nil {
		t.Fatal(err)
	}
	return Key{
		To: "ada@example.com", Key: text, Until: time.Date(2026, 8, 31, 23, 30, 0, 0, time.FixedZone("", -3600)),
		BaseURL: "https://verdetto.example/", Path: "/v1/pro/recupera/annulla?t=abc.def.012",
		Support: "aiuto@verdetto.example",
		Stop:    "https://verdetto.example/v1/alerts/unsubscribe?t=abc..def",
	}
}

func TestKeyMails(t *testing.T) {
	for _, c := range []struct {
		name  string
		write func(Key) (Message, error)
		lang  string
	}{
		{"key", KeyMail, ""},
		{"key-it", KeyMail, "it"},
		{"key-en", KeyMail, "en"},
		{"key-de", KeyMail, "de"},
		{"recover", RecoverMail, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := aKey(t)
			k.Lang = c.lang
			got, err := c.write(k)
			if err != nil {
				t.Fatal(err)
			}
			says := []string{k.Key, k.Stop, "X-Api-Key", "https://verdetto.example/api/v1/pro/recupera", k.Support,
				"2026, "}
			wanted{Message{To: k.To, Tag: KeyTag}, says, 0}.hold(t, c.name, got)
			if strings.Contains(got.Subject, k.Key) || strings.Contains(got.Text+got.HTML, "example//") {
				t.Errorf("wrongly filled: %q %s", got.Subject, got.Text)
			}
		})
	}
}

func TestNoticeMails(t *testing.T) {
	for name, write := range map[string]func(Key) (Message, error){
		"extended": ExtendedMail, "offer": OfferMail, "manage": ManageMail, "move": MoveMail, "moved": MovedMail,
	} {
		k := aKey(t)
		key := k.Key
		k.Key = ""
		if name == "moved" || name == "extended" {
			k.Path, k.Stop = "", ""
		}
		got, err := write(k)
		if err != nil {
			t.Fatal(err)
		}
		wanted{Message{To: k.To, Tag: KeyTag, Unsubscribe: k.Stop}, nil, 0}.hold(t, name, got)
		if strings.Contains(got.Text+got.HTML, "vd_") || strings.Contains(got.Text, key) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestKeyMailWithoutSupport(t *testing.T) {
	k := aKey(t)
	k.Support = ""
	got, err := KeyMail(k)
	if err != nil || !strings.Contains(got.Text, "Reply to this message.") || strings.Contains(got.HTML, "mailto:") {
		t.Errorf("error %v, text:\n%s", err, got.Text)
	}
}

func TestKeyMailRefuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Key)
	}{
		{"no address", func(k *Key) { k.To = "" }},
		{"two addresses", func(k *Key) { k.To += ",bob@example.com" }},
		{"a key that is none", func(k *Key) { k.Key = "vd_x" }},
		{"HTML for a key", func(k *Key) { k.Key = "<script>" }},
		{"no end", func(k *Key) { k.Until = time.Time{} }},
		{"no base", func(k *Key) { k.BaseURL = "" }},
		{"base without encryption", func(k *Key) { k.BaseURL = "http://verdetto.example" }},
		{"base that ends a quotation", func(k *Key) { k.BaseURL = "https://verdetto.example/'; rm" }},
		{"base with a query", func(k *Key) { k.BaseURL = "https://verdetto.example?a=b" }},
		{"base that runs a script", func(k *Key) { k.BaseURL = "javascript:alert(1)" }},
		{"support that is no address", func(k *Key) { k.Support = "a@b" }},
		{"unknown language", func(k *Key) { k.Lang = "nl" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := aKey(t)
			c.change(&k)
			got, err := KeyMail(k)
			if err == nil || got.Text != "" {
				t.Errorf("wrote %q", got.Text)
			}
			if err != nil && strings.Contains(err.Error(), aKey(t).Key) {
				t.Errorf("error %v tells the key", err)
			}
		})
	}
	t.Run("http on this machine is taken", func(t *testing.T) {
		for _, base := range []string{"http://127.0.0.1:8080", "http://[::1]:8080", "http://localhost:8080"} {
			k := aKey(t)
			k.BaseURL = base
			if _, err := KeyMail(k); err != nil {
				t.Errorf("%s: %v", base, err)
			}
		}
	})
}
