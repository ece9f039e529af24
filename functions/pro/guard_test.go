package pro_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"verdetto/e2e/fixture"
)

// guardForm matches the form that switches the guard of a key on or off.
var guardForm = regexp.MustCompile(
	`action="(/v1/pro/gestione/piano[^"]*)"[^>]*><input type="hidden" name="(t|chiave)" value="([^"]+)"><input type="hidden" name="protezione" value="(si|no)">`)

// switchGuard presses the button of the guard's form on a page. It expects the guard to be in the
// given state afterwards.
func switchGuard(t *testing.T, s fixture.Shop, page fixture.Reply, to string) fixture.Reply {
	t.Helper()
	form := guardForm.FindStringSubmatch(page.Body)
	if form == nil || form[4] != to {
		t.Fatalf("%d, the form is %q, want one for %q: %s", page.Status, form, to, page.Page())
	}
	a := s.Form(form[1], form[2]+"="+form[3]+"&protezione="+to)
	if a.Status != 200 || strings.Contains(a.Body, "vd_") {
		t.Fatalf("%d %s", a.Status, a.Page())
	}
	return a
}

// TestTheOwnerGuardsTheKey: the owner can switch the guard on and off, with the key or with a
// mailed link. While the guard is on, a stranger's request for a recovery replaces the key only if
// the mailed link is confirmed.
func TestTheOwnerGuardsTheKey(t *testing.T) {
	s := parallel(t)
	session, _ := s.Buy("ada@example.com")
	shown := s.Confirm(session, "Accept", "text/html", "Accept-Language", "en")
	own := fixture.KeyPattern.FindString(shown.Body)
	if !strings.Contains(shown.Page(), "Anyone who knows your email address can ask for a new key") {
		t.Errorf("the page with the key does not say what strangers can do: %s", shown.Page())
	}
	if a := switchGuard(t, s, shown, "si"); !strings.Contains(a.Page(), "The key is protected") {
		t.Error(a.Page())
	}
	if keys := recovered(s, "ada@example.com"); len(keys) != 0 || !s.Works(own) {
		t.Fatalf("a stranger asked: %d keys were mailed, the owner's works: %v", len(keys), s.Works(own))
	}
	if a := s.Do("GET", "/v1/pro/chiave", "", "X-Api-Key", own); !strings.Contains(a.Body, `"guarded":true`) {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	press(t, s, newest(s, "ada@example.com", agreePattern), 200)
	keys := s.Mailed("ada@example.com")
	if len(keys) != 1 || !s.Works(keys[0]) || s.Works(own) {
		t.Fatalf("the owner agreed: %d keys were mailed", len(keys))
	}
	if mail := strings.Join(mailsTo(s, "ada@example.com"), ""); !strings.Contains(mail, "/v1/pro/gestione") {
		t.Error("the mail with the key does not say where it is protected")
	}

	plan := func() fixture.Reply {
		return s.Do("GET", "/v1/pro/gestione/piano?lang=en&t="+linkTo(s, "ada@example.com"), "")
	}
	switchGuard(t, s, plan(), "no")
	fresh := recovered(s, "ada@example.com")
	if len(fresh) != 2 || !s.Works(fresh[1]) {
		t.Fatalf("switched off: %d keys were mailed", len(fresh))
	}
	switchGuard(t, s, plan(), "si")
	if keys := recovered(s, "ada@example.com"); len(keys) != 2 || !s.Works(fresh[1]) {
		t.Errorf("switched on by the page of the plan: %d keys were mailed", len(keys))
	}
}

// TestStrangersSwitchNoGuard: without the key or the mailed link the guard does not change. When
// the plan moves to another address, the owner's setting moves too.
func TestStrangersSwitchNoGuard(t *testing.T) {
	t.Parallel()
	s, clock, own := owner(t)
	guard := func(body string, header ...string) fixture.Reply {
		return s.Do("POST", "/v1/pro/gestione/piano", body, header...)
	}
	bob := s.Verify("bob@example.com", s.Send(fixture.Price, "")).APIKey
	for _, set := range []string{"si", "no"} {
		before := s.Customer("ada@example.com").Guard
		for name, c := range map[string]struct {
			a      fixture.Reply
			status int
		}{
			"nothing":         {guard(fixture.Object("protezione", set)), 401},
			"a mistyped key":  {guard(fixture.Object("protezione", set, "chiave", mistyped(own))), 401},
			"a made-up link":  {guard(fixture.Object("protezione", set, "t", strings.Repeat("0", 32))), 400},
			"her address":     {guard(fixture.Object("protezione", set, "email", "ada@example.com")), 400},
			"another's key":   {guard(fixture.Object("protezione", set), "X-Api-Key", bob), 200},
			"neither of both": {guard(fixture.Object("protezione", "forse", "chiave", own)), 400},
		} {
			if c.a.Status != c.status || s.Customer("ada@example.com").Guard != before {
				t.Errorf("%s, %s: %d %s", set, name, c.a.Status, c.a.Body)
			}
		}
		if a := guard(fixture.Object("protezione", set), "X-Api-Key", own); a.Status != 200 ||
			s.Customer("ada@example.com").Guard != (set == "si") {
			t.Errorf("%s by the key: %d %s", set, a.Status, a.Body)
		}
	}
	guard(fixture.Object("protezione", "si"), "X-Api-Key", own)
	token := linkTo(s, "ada@example.com")
	s.Form("/v1/pro/indirizzo", "nuovo=grace%40example.com&t="+token)
	s.Mailed("grace@example.com")
	press(t, s, newest(s, "grace@example.com", movePattern), 200)
	s.Mailed("grace@example.com")
	clock.Add(time.Hour)
	if keys := recovered(s, "grace@example.com"); len(keys) != 1 || !s.Customer("grace@example.com").Guard {
		t.Errorf("the plan moved, and %d keys were mailed", len(keys))
	}
	want(t, s.Do("POST", "/v1/pro/gestione/piano", fixture.Object("protezione", "si", "t", token), "Accept",
		"text/html"), 410, "", "a link to a plan that moved")
}
