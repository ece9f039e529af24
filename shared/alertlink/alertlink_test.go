package alertlink

import (
	"net/url"
	"strings"
	"testing"
)

var pepper = []byte("a pepper of more than thirty-two characters")

func TestSubscriber(t *testing.T) {
	ada := Subscriber(pepper, "Ada@Example.com")
	for _, c := range []struct {
		name, email string
		pepper      []byte
		same        bool
	}{
		{"lower case", "ada@example.com", pepper, true},
		{"space around", " ada@example.com\n", pepper, true},
		{"another address", "bob@example.com", pepper, false},
		{"another pepper", "ada@example.com", []byte("another pepper"), false},
	} {
		if got := Subscriber(c.pepper, c.email); (got == ada) != c.same {
			t.Errorf("%s: %q beside %q", c.name, got, ada)
		}
	}
	if len(ada) != 22 || strings.ContainsAny(ada, "@.") {
		t.Errorf("pseudonym %q", ada)
	}
}

func TestOpen(t *testing.T) {
	ada := Subscriber(pepper, "ada@example.com")
	bob := Subscriber(pepper, "bob@example.com")
	good := Sign(pepper, Unsubscribe, ada, "MIL-BUH")
	last := func(c byte) string { return good[:len(good)-1] + string(c) }
	for _, c := range []struct {
		name, purpose, token string
		ok                   bool
	}{
		{"as signed", Unsubscribe, good, true},
		{"another purpose", Manage, good, false},
		{"another route", Unsubscribe, strings.Replace(good, "BUH", "LON", 1), false},
		{"another subscriber", Unsubscribe, strings.Replace(good, ada, bob, 1), false},
		{"no signature", Unsubscribe, ada + ".MIL-BUH.", false},
		{"cut short", Unsubscribe, good[:len(good)-1], false},
		{"longer", Unsubscribe, good + "A", false},
		{"one part more", Unsubscribe, good + ".", false},
		{"parts moved", Unsubscribe, strings.Replace(good, ".MIL", "MIL.", 1), false},
		{"empty", Unsubscribe, "", false},
		{"no subscriber", Unsubscribe, Sign(pepper, Unsubscribe, "", "MIL-BUH"), false},
		{"subscriber with a dot", Unsubscribe, Sign(pepper, Unsubscribe, "a.b", "MIL-BUH"), false},
		{"endless", Unsubscribe, strings.Repeat("a", 1<<20), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			subscriber, route, ok := Open(pepper, c.purpose, c.token)
			if ok != c.ok || ok && (subscriber != ada || route != "MIL-BUH") || !ok && subscriber+route != "" {
				t.Errorf("%q %q %v", subscriber, route, ok)
			}
		})
	}
	t.Run("one spelling", func(t *testing.T) {
		opened := 0
		for c := range byte(128) {
			if _, _, ok := Open(pepper, Unsubscribe, last(c)); ok {
				opened++
			}
		}
		if opened != 1 {
			t.Errorf("%d last characters open the token", opened)
		}
	})
	t.Run("another pepper", func(t *testing.T) {
		if _, _, ok := Open([]byte("another"), Unsubscribe, good); ok {
			t.Error("it opened")
		}
	})
	t.Run("all routes", func(t *testing.T) {
		subscriber, route, ok := Open(pepper, Manage, Sign(pepper, Manage, ada, ""))
		if !ok || subscriber != ada || route != "" {
			t.Errorf("%q %q %v", subscriber, route, ok)
		}
	})
	if url.QueryEscape(good) != good {
		t.Errorf("%q does not stand in a URL as it is", good)
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(Sign(pepper, Manage, "abc", ""))
	f.Add("..")
	f.Fuzz(func(t *testing.T, token string) {
		subscriber, route, ok := Open(pepper, Manage, token)
		if ok && Sign(pepper, Manage, subscriber, route) != token {
			t.Errorf("%q opened as %q %q", token, subscriber, route)
		}
	})
}
