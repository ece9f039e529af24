package pro_test

import (
	"context"
	"fmt"
	"regexp"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/carrier/mail"
	"verdetto/shared/carrier/mail/maildir"
	"verdetto/shared/store/storetest"
)

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

var undoPattern = regexp.MustCompile(`/v1/pro/recupera/annulla\?t=[\w.-]+`)

func TestStrangersForAMonth(t *testing.T) {
	t.Parallel()
	strangersForAMonth(t, 4)
}

func TestEvidenceStrangers(t *testing.T) { strangersForAMonth(t, 100) }

// In 30 days, the owner's key is refused at most once, for at most 8 hours: until she reads her
// mail.
func strangersForAMonth(t *testing.T, strangers int) {
	s, clock, key := owner(t)
	for range 12 {
		s.Verify("ada@example.com", s.Send(fixture.Price, ""))
	}
	const reads = 8 * time.Hour
	var refused time.Duration
	interruptions, worked := 0, true
	for hour := range 30 * 24 {
		for n := range strangers {
			s.From(fmt.Sprintf("10.9.%d.%d:1", n/256, n%256), "POST", "/api/v1/pro/recupera",
				fixture.Object("email", "ada@example.com"))
		}
		if hour%8 == 7 && !s.Works(key) {
			mails, err := maildir.Read(s.Mails)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range mails { // mails of the same second have no order
				if link := undoPattern.FindString(m.Text); link != "" {
					s.Form(link, "")
				}
			}
		}
		for done, err := s.Pro.Work(t.Context()); done > 0 || err != nil; done, err = s.Pro.Work(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
		}
		works := s.Works(key)
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
	want(t, rotate(s, key), 200, "", "the recoveries do not prevent her from rotating her key")
}

type refusing struct{}

func (refusing) Send(context.Context, mail.Message) error { return mail.ErrRefused }

func TestARefusedMailChangesNothing(t *testing.T) {
	t.Parallel()
	s, _, key := owner(t)
	s.Pro.Sender = refusing{}
	if recovered(s, "ada@example.com"); !s.Works(key) || s.Customer("ada@example.com").Pending != nil {
		t.Errorf("the old key works: %t; %+v", s.Works(key), s.Customer("ada@example.com"))
	}
}
