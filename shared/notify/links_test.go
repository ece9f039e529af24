package notify

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/web/routes"
)

var links = Links{Pepper: []byte("a pepper of more than thirty-two characters")}

func TestSubscriber(t *testing.T) {
	ada := links.Subscriber("Ada@Example.com")
	for _, c := range []struct {
		name, email string
		pepper      string
		same        bool
	}{
		{"lower case", "ada@example.com", string(links.Pepper), true},
		{"space around", " ada@example.com\n", string(links.Pepper), true},
		{"another address", "bob@example.com", string(links.Pepper), false},
		{"another pepper", "ada@example.com", "another pepper", false},
	} {
		if got := (Links{Pepper: []byte(c.pepper)}.Subscriber(c.email)); (got == ada) != c.same {
			t.Errorf("%s: %q beside %q", c.name, got, ada)
		}
	}
	if len(ada) != 22 || strings.ContainsAny(string(ada), "@.") {
		t.Errorf("pseudonym %q", ada)
	}
}

func TestOpen(t *testing.T) {
	ada := string(links.Subscriber("ada@example.com"))
	bob := string(links.Subscriber("bob@example.com"))
	good := links.sign(unsubscribe, ada, "MIL-BUH")
	last := func(c byte) string { return good[:len(good)-1] + string(c) }
	for _, c := range []struct {
		name    string
		purpose purpose
		token   string
		ok      bool
	}{
		{"as signed", unsubscribe, good, true},
		{"another purpose", manage, good, false},
		{"another route", unsubscribe, strings.Replace(good, "BUH", "LON", 1), false},
		{"another subscriber", unsubscribe, strings.Replace(good, ada, bob, 1), false},
		{"no signature", unsubscribe, ada + ".MIL-BUH.", false},
		{"cut short", unsubscribe, good[:len(good)-1], false},
		{"longer", unsubscribe, good + "A", false},
		{"one part more", unsubscribe, good + ".", false},
		{"parts moved", unsubscribe, strings.Replace(good, ".MIL", "MIL.", 1), false},
		{"empty", unsubscribe, "", false},
		{"no subscriber", unsubscribe, links.sign(unsubscribe, "", "MIL-BUH"), false},
		{"subscriber with a dot", unsubscribe, links.sign(unsubscribe, "a.b", "MIL-BUH"), false},
		{"endless", unsubscribe, strings.Repeat("a", 1<<20), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			subscriber, route, ok := links.open(c.purpose, c.token)
			if ok != c.ok || ok && (subscriber != ada || route != "MIL-BUH") || !ok && subscriber+route != "" {
				t.Errorf("%q %q %v", subscriber, route, ok)
			}
		})
	}
	t.Run("one spelling", func(t *testing.T) {
		opened := 0
		for c := range byte(128) {
			if _, _, ok := links.open(unsubscribe, last(c)); ok {
				opened++
			}
		}
		if opened != 1 {
			t.Errorf("%d last characters open the token", opened)
		}
	})
	t.Run("another pepper", func(t *testing.T) {
		if _, _, ok := (Links{Pepper: []byte("another")}).open(unsubscribe, good); ok {
			t.Error("it opened")
		}
	})
	t.Run("all routes", func(t *testing.T) {
		subscriber, route, ok := links.open(manage, links.sign(manage, ada, ""))
		if !ok || subscriber != ada || route != "" {
			t.Errorf("%q %q %v", subscriber, route, ok)
		}
	})
	if url.QueryEscape(good) != good {
		t.Errorf("%q does not stand in a URL as it is", good)
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(links.sign(manage, "abc", ""))
	f.Add("..")
	f.Fuzz(func(t *testing.T, token string) {
		subscriber, route, ok := links.open(manage, token)
		if ok && links.sign(manage, subscriber, route) != token {
			t.Errorf("%q opened as %q %q", token, subscriber, route)
		}
	})
}

// The form of these links must not change, because old mails contain them.
func TestLinks(t *testing.T) {
	ada, milBuh := links.Subscriber("ada@example.com"), store.Ref{Route: fare.Route{Origin: "MIL", Destination: "BUH"}}
	for _, c := range []struct{ got, want string }{
		{links.Confirm("abc"), "/v1/alerts/confirm?id=abc"},
		{links.Unsubscribe(ada, milBuh),
			"/v1/alerts/unsubscribe?t=c57i_3t0zs4ZJnhAeL-Plg.MIL-BUH.jBjVsVBR1OemQ31vggVHeQ"},
		{links.Renew(ada), "/v1/alerts/manage?t=c57i_3t0zs4ZJnhAeL-Plg..jkvfeIQVR0hIfjZipOSGZQ"},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
	_, token, _ := strings.Cut(links.Unsubscribe(ada, milBuh), "?t=")
	if subscriber, route, ok := links.OpenUnsubscribe(token); !ok || subscriber != ada || route != milBuh {
		t.Errorf("%q opened as %q %v %v", token, subscriber, route, ok)
	}
	_, ending, _ := strings.Cut(links.EndDigest(ada), "?t=")
	if s, ok := links.OpenEndDigest(ending); !ok || s != ada {
		t.Errorf("%q opened as %q, %v", ending, s, ok)
	}
	for _, other := range []string{links.Unsubscribe(ada, milBuh), links.Snooze(ada, milBuh), links.Renew(ada),
		links.Manage(ada, time.Now())} {
		if _, token, _ := strings.Cut(other, "?t="); token == ending {
			t.Errorf("%s is one to end a digest", other)
		} else if _, ok := links.OpenEndDigest(token); ok {
			t.Errorf("%s ends a digest", other)
		}
	}
	if _, _, ok := links.OpenUnsubscribe(ending); ok {
		t.Error("a link to end a digest ends an alert")
	}
	if _, _, ok := links.OpenSnooze(ending); ok {
		t.Error("a link to end a digest pauses an alert")
	}
	if _, _, ok := links.OpenManage(ending, time.Now()); ok {
		t.Error("a link to end a digest shows all alerts")
	}
	made := time.Date(2026, 11, 21, 23, 0, 0, 0, time.UTC)
	if _, _, ok := links.OpenManage(token, made); ok {
		t.Error("a link to unsubscribe opened as one to manage")
	}
	for _, c := range []struct {
		name, link string
		after      int
		current    bool
	}{
		{"at once", links.Manage(ada, made), 0, true},
		{"on its last day", links.Manage(ada, made), ManageDays, true},
		{"too old", links.Manage(ada, made), ManageDays + 1, false},
		{"of a day to come", links.Manage(ada, made.AddDate(0, 0, 2)), 1, false},
		{"to renew", links.Renew(ada), 0, false},
		{"of a day without a signature", managePath + "?t=" + links.sign(manage, string(ada), "soon"), 0, false},
	} {
		_, token, _ = strings.Cut(c.link, "?t=")
		if subscriber, current, ok := links.OpenManage(token, made.AddDate(0, 0, c.after)); !ok ||
			subscriber != ada || current != c.current {
			t.Errorf("%s: %q opened as %q, current %v, %v", c.name, token, subscriber, current, ok)
		}
	}
	_, token, _ = strings.Cut(links.Manage(ada, made), "?t=")
	if _, _, ok := links.OpenManage(strings.Replace(token, "2026-11-21", "2026-11-22", 1), made); ok {
		t.Error("another day opened under the same signature")
	}
	if _, _, ok := links.OpenUnsubscribe(links.sign(unsubscribe, string(ada), "Milan")); ok {
		t.Error("a link of no route opened")
	}
}

func TestPaths(t *testing.T) {
	for _, path := range []string{confirmPath, unsubscribePath, managePath} {
		var methods []string
		for _, r := range routes.Table {
			if r.Path == path && r.Function == "alerts" {
				methods = append(methods, r.Method)
			}
		}
		if !slices.Equal(methods, []string{"GET", "POST"}) {
			t.Errorf("%s is served by %v", path, methods)
		}
	}
}
