package pro_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/carrier/mail"
	"verdetto/shared/carrier/mail/maildir"
	"verdetto/shared/store/storetest"
)

var (
	undoPattern  = regexp.MustCompile(`/v1/pro/recupera/annulla\?t=[\w.-]+`)
	agreePattern = regexp.MustCompile(`/v1/pro/recupera/conferma\?t=\w+`)
)

// newest returns the last match of a pattern in the mails to an address, after running the outbox.
func newest(s fixture.Shop, email string, pattern *regexp.Regexp) string {
	s.T.Helper()
	return lastMatch(mailsTo(s, email), pattern)
}

func lastMatch(texts []string, pattern *regexp.Regexp) (found string) {
	for _, text := range texts {
		if match := pattern.FindString(text); match != "" {
			found = match
		}
	}
	return found
}

// owner opens a shop in which ada has a key that she paid in USDC. It returns the shop, its clock
// and the key.
func owner(t *testing.T) (fixture.Shop, *storetest.Clock, string) {
	t.Helper()
	s := open(t)
	clock := s.Clock
	a := s.Verify("ada@example.com", s.Send(fixture.Price, ""))
	if !s.Works(a.APIKey) {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	return s, clock, a.APIKey
}

// lengthen pays for one more year of ada's plan.
func lengthen(s fixture.Shop) {
	for range 12 {
		s.Verify("ada@example.com", s.Send(fixture.Price, ""))
	}
}

func press(t *testing.T, s fixture.Shop, link string, want int) fixture.Reply {
	t.Helper()
	a := s.Form(link, "")
	if a.Status != want {
		t.Errorf("pressed %s: %d %s, want %d", link, a.Status, a.Body, want)
	}
	return a
}

// TestUndo: after a stranger requested a recovery, one click in the mail restores the owner's key.
// For the next 30 days the owner must confirm every recovery.
func TestUndo(t *testing.T) {
	t.Parallel()
	s, clock, own := owner(t)
	lengthen(s)
	fresh := recovered(s, "ada@example.com")
	if len(fresh) != 1 || !s.Works(fresh[0]) || s.Works(own) {
		t.Fatalf("%d keys were mailed", len(fresh))
	}
	link := newest(s, "ada@example.com", undoPattern)
	if a := s.Do("GET", link, "", "Accept", "text/html"); a.Status != 200 ||
		!strings.Contains(a.Body, `method="post"`) || !s.Works(fresh[0]) {
		t.Errorf("following the link: %d %s", a.Status, a.Body)
	}
	for range 2 { // a second press gives the same answer
		press(t, s, link, 200)
		if !s.Works(own) || s.Works(fresh[0]) {
			t.Fatal("the owner's key is not back")
		}
	}

	clock.Add(2 * time.Hour)
	if keys := recovered(s, "ada@example.com"); len(keys) != 1 || !s.Works(own) {
		t.Fatalf("guarded, and %d keys were mailed", len(keys))
	}
	if a := s.Do("GET", "/v1/pro/chiave", "", "X-Api-Key", own); !strings.Contains(a.Body, `"guarded":true`) {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	agree := newest(s, "ada@example.com", agreePattern)
	if a := s.Do("GET", agree, ""); a.Status != 200 || len(s.Mailed("ada@example.com")) != 1 {
		t.Errorf("following the link: %d %s", a.Status, a.Body)
	}
	for range 3 { // it stores one job only
		press(t, s, agree, 200)
	}
	keys := s.Mailed("ada@example.com")
	if len(keys) != 2 || !s.Works(keys[1]) || s.Works(own) {
		t.Fatalf("confirmed, and %d keys were mailed", len(keys))
	}
	press(t, s, newest(s, "ada@example.com", undoPattern), 200)
	holdsOneKey(s, append(keys, own)...)

	clock.Add(31 * 24 * time.Hour)
	if keys := recovered(s, "ada@example.com"); len(keys) != 3 || s.Works(own) {
		t.Errorf("the guard is over, and %d keys were mailed", len(keys))
	}
}

// TestLinksThatAreOfNoUse checks links that restore a key, but are truncated, forged, expired, for
// another purpose, or for a key that was replaced since.
func TestLinksThatAreOfNoUse(t *testing.T) {
	t.Parallel()
	s, clock, own := owner(t)
	lengthen(s)
	fresh := recovered(s, "ada@example.com")[0]
	link := newest(s, "ada@example.com", undoPattern)
	bob := s.Verify("bob@example.com", s.Send(fixture.Price, "")).APIKey
	for name, bad := range map[string]string{
		"cut short":        link[:len(link)-1],
		"empty":            "/v1/pro/recupera/annulla?t=",
		"another customer": strings.Replace(link, own[3:25], bob[3:25], 1),
		"two dots":         "/v1/pro/recupera/annulla?t=..",
		"made-up offer":    "/v1/pro/recupera/conferma?t=zz",
	} {
		if press(t, s, bad, 400); !s.Works(fresh) {
			t.Errorf("%s: it took effect", name)
		}
	}
	press(t, s, "/v1/pro/recupera/conferma?t="+strings.Repeat("0", 32), 410)
	rotated := s.Do("POST", "/v1/pro/chiave/ruota", "", "X-Api-Key", fresh)
	if press(t, s, link, 410); !s.Works(rotated.APIKey) || s.Works(own) {
		t.Error("a link undid a rotation")
	}
	clock.Add(2 * time.Hour)
	recovered(s, "ada@example.com")
	press(t, s, newest(s, "ada@example.com", undoPattern), 200)
	clock.Add(2 * time.Hour)
	recovered(s, "ada@example.com")
	agree := newest(s, "ada@example.com", agreePattern)
	clock.Add(49 * time.Hour)
	press(t, s, agree, 410)
	holdsOneKey(s, append(s.Mailed("ada@example.com"), own, rotated.APIKey)...)
}

// TestUndoFromAnyMail: after several recoveries, the link in each of their mails restores the key
// that was valid before the first recovery.
func TestUndoFromAnyMail(t *testing.T) {
	t.Parallel()
	for which := range 3 {
		s, clock, own := owner(t)
		for range 3 {
			recovered(s, "ada@example.com")
			clock.Add(time.Hour)
		}
		var links []string
		for _, text := range mailsTo(s, "ada@example.com") {
			links = append(links, undoPattern.FindString(text))
		}
		press(t, s, links[which], 200)
		if !s.Works(own) {
			t.Errorf("mail %d of %d does not bring the key back", which+1, len(links))
		}
		holdsOneKey(s, append(s.Mailed("ada@example.com"), own)...)
	}
}

// carrier is a mail carrier that fails a given number of times, before or after the mail is sent.
type carrier struct {
	mail.Sender
	fault error
	after bool
	left  int
}

func (c *carrier) Send(ctx context.Context, m mail.Message) error {
	if c.left == 0 {
		return c.Sender.Send(ctx, m)
	}
	c.left--
	if c.after {
		return errors.Join(c.Sender.Send(ctx, m), c.fault)
	}
	return c.fault
}

// carrierFaults lists the ways in which the mail carrier fails.
var carrierFaults = []struct {
	name  string
	fault error
	after bool // the mail was sent nevertheless
	times int  // -1: permanently
	sent  bool // finally sent, and the sender knows
}{
	{"throttled once", mail.ErrThrottled, false, 1, true},
	{"no answer, not sent", mail.ErrUnavailable, false, 1, true},
	{"no answer, sent", mail.ErrUnavailable, true, 1, true},
	{"down for good", mail.ErrThrottled, false, -1, false},
	{"sent each time, never said", mail.ErrUnavailable, true, -1, false},
	{"refused", mail.ErrRefused, false, -1, false},
}

// TestNoMailNoChange: exactly one key works, also if the mail carrier fails. It is the old key
// until the carrier has accepted the mail, then the mailed key.
func TestNoMailNoChange(t *testing.T) {
	t.Parallel()
	for _, c := range carrierFaults {
		s, clock, own := owner(t)
		s.Pro.Sender = &carrier{Sender: s.Pro.Sender, fault: c.fault, after: c.after, left: c.times}
		s.Recover("ada@example.com")
		for range 5 {
			_, _ = s.Pro.Work(t.Context()) // fails if the carrier fails
			keys := allMailed(t, s)
			holdsOneKey(s, append(keys, own)...)
			clock.Add(2 * time.Minute)
		}
		if keys := allMailed(t, s); s.Works(own) == c.sent || len(keys) > 1 {
			t.Errorf("%s: the old key works: %v; %d keys were mailed", c.name, s.Works(own), len(keys))
		}
		if pending := s.Customer("ada@example.com").Pending; errors.Is(c.fault, mail.ErrRefused) && pending != nil {
			t.Errorf("%s: a key is pending that will never be mailed", c.name)
		}
	}
}

// TestNoticesUnderCarrierFaults: two kinds of mails carry no key: the notice of a stranger's
// payment, and the request to confirm a recovery. Sending them changes no key, also if the carrier
// fails. The reader's mail program shows duplicates as one mail.
func TestNoticesUnderCarrierFaults(t *testing.T) {
	t.Parallel()
	guarded := func(s fixture.Shop, email string, _ ...string) fixture.Reply {
		recovered(s, email)
		press(t, s, newest(s, email, undoPattern), 200)
		s.Clock.Add(2 * time.Hour)
		return s.Recover(email)
	}
	for _, c := range carrierFaults {
		for name, cause := range map[string]func(fixture.Shop, string, ...string) fixture.Reply{"card": gifts["card"],
			"USDC": gifts["USDC"], "guarded": guarded} {
			s, clock, own := owner(t)
			var before int
			sender := &carrier{Sender: s.Pro.Sender, fault: c.fault, after: c.after}
			s.Pro.Sender = sender
			if a := cause(s, "ada@example.com"); a.Status >= 300 {
				t.Fatalf("%s, %s: %d %s", name, c.name, a.Status, a.Body)
			}
			before, sender.left = len(mailTexts(s, "ada@example.com")), c.times
			for range 5 {
				_, _ = s.Pro.Work(t.Context()) // fails if the carrier fails
				if !s.Works(own) {
					t.Fatalf("%s, %s: the owner's key is refused", name, c.name)
				}
				clock.Add(2 * time.Minute)
			}
			want := 0
			if c.sent || c.after {
				want = 1
			}
			if got := len(mailTexts(s, "ada@example.com")) - before; got != want {
				t.Errorf("%s, %s: %d mails, want %d", name, c.name, got, want)
			}
		}
	}
}

// allMailed returns the keys in all mails sent so far. It does not run the outbox.
func allMailed(t *testing.T, s fixture.Shop) (keys []string) {
	t.Helper()
	mails, err := maildir.Read(s.Mails)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mails {
		if key := fixture.KeyPattern.FindString(m.Text); key != "" {
			keys = append(keys, key)
		}
	}
	return keys
}

// workThrough runs all jobs of the outbox. If a run fails because of a fault, it ends the fault.
func workThrough(t *testing.T, s fixture.Shop, f *storetest.Faulty) {
	t.Helper()
	for idle := 0; idle < 2; {
		done, err := s.Pro.Work(t.Context())
		if err != nil {
			f.Heal()
		}
		if done > 0 || err != nil {
			idle = 0
		} else {
			idle++
		}
		s.Clock.Add(2 * time.Minute) // ends the leases
	}
}

// TestUndoUnderFaults: one call to the store fails during a recovery, its undoing, or a recovery
// that the owner must confirm. In the end one key works.
func TestUndoUnderFaults(t *testing.T) {
	t.Parallel()
	underFaults(t, func(t *testing.T, s fixture.Shop, f *storetest.Faulty) {
		own := paid(s, f).APIKey
		if own == "" {
			return // the fault hit the purchase: TestPurchaseInUSDCUnderFaults
		}
		recoverAndPress := func(pattern *regexp.Regexp) {
			s.Retry(f, func() fixture.Reply { return s.Recover("ada@example.com") })
			workThrough(t, s, f)
			link := lastMatch(mailTexts(s, "ada@example.com"), pattern)
			if a := s.Retry(f, func() fixture.Reply { return s.Form(link, "") }); a.Status != 200 {
				t.Errorf("pressed: %d %s", a.Status, a.Body)
			}
		}
		recoverAndPress(undoPattern)
		undone := s.Works(own)
		recoverAndPress(agreePattern)
		workThrough(t, s, f)
		f.Heal()
		if !undone || s.Works(own) {
			t.Errorf("after its undoing the old key works: %v; after a confirmed recovery: %v", undone, s.Works(own))
		}
		holdsOneKey(s, append(allMailed(t, s), own)...)
	})
}

// TestStrangersForAMonth: for 30 days strangers request recoveries for one owner every hour. The
// owner reads her mail every 8 hours. Her key is refused only once in that time.
func TestStrangersForAMonth(t *testing.T) {
	t.Parallel()
	strangersForAMonth(t, 4)
}

// strangersForAMonth expects that the owner's key is refused only once in 30 days, for at most 8
// hours: until the owner reads her mail and restores the key.
func strangersForAMonth(t *testing.T, strangers int) {
	s, clock, own := owner(t)
	lengthen(s)
	const reads = 8 * time.Hour
	var refused time.Duration
	interruptions, worked := 0, true
	for hour := range 30 * 24 {
		for n := range strangers {
			s.From(fmt.Sprintf("10.9.%d.%d:1", n/256, n%256), "POST", "/api/v1/pro/recupera",
				fixture.Object("email", "ada@example.com"))
		}
		if hour%8 == 7 && !s.Works(own) {
			press(t, s, newest(s, "ada@example.com", undoPattern), 200)
		}
		for done, err := s.Pro.Work(t.Context()); done > 0 || err != nil; done, err = s.Pro.Work(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
		}
		works := s.Works(own)
		if worked && !works {
			interruptions++
		}
		if worked = works; !works {
			refused += time.Hour
		}
		clock.Add(time.Hour)
	}
	t.Logf("%d strangers, 30 days: the owner's key was refused for %v in %d interruption(s); the bound is %v in one",
		strangers, refused, interruptions, reads)
	if interruptions > 1 || refused > reads {
		t.Errorf("the bound is passed")
	}
	// The recoveries do not prevent the owner from reading the state of her key or from rotating
	// it.
	want(t, s.Do("GET", "/v1/pro/chiave", "", "X-Api-Key", own), 200, "", "she cannot look at her key")
	if a := s.Do("POST", "/v1/pro/chiave/ruota", "", "X-Api-Key", own); a.Status != 200 || !s.Works(a.APIKey) {
		t.Errorf("she cannot rotate her key: %d %s", a.Status, a.Body)
	}
}
