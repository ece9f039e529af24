package pro_test

import (
	"strings"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/carrier/mail/maildir"
	"verdetto/shared/store/storetest"
)

// Tests of payments for an address that already has a key. The payer may be a stranger.

// mailsTo runs the outbox and returns the texts of all mails to an address.
func mailsTo(s fixture.Shop, email string) (texts []string) {
	s.T.Helper()
	s.Mailed(email)
	return mailTexts(s, email)
}

// mailTexts returns the texts of the mails sent to an address so far.
func mailTexts(s fixture.Shop, email string) (texts []string) {
	s.T.Helper()
	mails, err := maildir.Read(s.Mails)
	if err != nil {
		s.T.Fatal(err)
	}
	for _, m := range mails {
		if m.To == email {
			texts = append(texts, m.Text)
		}
	}
	return texts
}

// gifts are the ways to pay for another person's plan: by card or in USDC. Each way returns the
// answer to the payment.
var gifts = map[string]func(s fixture.Shop, email string, header ...string) fixture.Reply{
	"card": func(s fixture.Shop, email string, header ...string) fixture.Reply {
		session, _ := s.Buy(email)
		return s.Confirm(session, header...)
	},
	"USDC": func(s fixture.Shop, email string, header ...string) fixture.Reply {
		return s.Verify(email, s.Send(fixture.Price, ""), header...)
	},
}

func TestPayingForSomebodyElse(t *testing.T) {
	t.Parallel()
	for name, pay := range gifts {
		s := open(t)
		own := pay(s, "ada@example.com")
		if own.Status != 200 || !s.Works(own.APIKey) || strings.Contains(own.Body, "status") ||
			len(mailsTo(s, "ada@example.com")) > 0 {
			t.Fatalf("%s: the first payment: %d %s", name, own.Status, own.Body)
		}
		s.Clock.Add(24 * time.Hour)
		gift := pay(s, "ada@example.com")
		if gift.Status != 200 || gift.APIKey != "" || !strings.Contains(gift.Body, `"status":"esteso"`) ||
			fixture.KeyPattern.MatchString(gift.Body) ||
			!gift.ExpiresAt.After(own.ExpiresAt) || gift.Plan != "pro" {
			t.Errorf("%s: %d %s", name, gift.Status, gift.Body)
		}
		if !s.Works(own.APIKey) {
			t.Errorf("%s: a stranger's payment voids the owner's key", name)
		}
		mails := mailsTo(s, "ada@example.com")
		if len(mails) != 1 || fixture.KeyPattern.MatchString(mails[0]) ||
			!strings.Contains(mails[0], "runs until") {
			t.Errorf("%s: the owner was told %q", name, mails)
		}
		// After the plan has ended, a payment returns a new key, and the old key is no longer
		// valid.
		s.Clock.Add(200 * 24 * time.Hour)
		late := pay(s, "ada@example.com")
		if late.Status != 200 || !s.Works(late.APIKey) || s.Works(own.APIKey) {
			t.Errorf("%s: after the end of the plan: %d %s", name, late.Status, late.Body)
		}
	}
}

// TestGiftPage: the payer's page says that the plan was extended. It shows no key.
func TestGiftPage(t *testing.T) {
	s := parallel(t)
	gifts["card"](s, "ada@example.com")
	for language, title := range map[string]string{"it": "Piano prolungato", "en": "Your plan was extended"} {
		a := gifts["card"](s, "ada@example.com", "Accept", "text/html", "Accept-Language", language)
		if a.Status != 200 || !strings.Contains(a.Body, "<title>"+title) || fixture.KeyPattern.MatchString(a.Body) ||
			a.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %s", language, a.Status, a.Body)
		}
	}
}

// TestGiftUnderFaults: one call to the store fails during a payment for another person. In the end
// the owner's key works, the plan is extended once, and the owner gets one notice.
func TestGiftUnderFaults(t *testing.T) {
	t.Parallel()
	underFaults(t, func(t *testing.T, s fixture.Shop, f *storetest.Faulty) {
		gift := s.Send(fixture.Price, "")
		begun := s.Clock.Now()
		own := paid(s, f)
		if own.APIKey == "" {
			return // the fault hit the first purchase: TestPurchaseInUSDCUnderFaults
		}
		a := s.Retry(f, func() fixture.Reply { return s.Verify("ada@example.com", gift) })
		if a.Status != 200 && a.Code != "pagamento-gia-usato" || a.APIKey != "" {
			t.Errorf("%d %s", a.Status, a.Body)
		}
		f.Heal()
		holdsOneKey(s, own.APIKey)
		if end := s.Customer("ada@example.com").Crypto; !end.Equal(begun.AddDate(0, 0, 60)) {
			t.Errorf("the plan ends %v", end)
		}
		if mails := mailsTo(s, "ada@example.com"); len(mails) == 0 {
			t.Error("the owner was not told")
		}
	})
}

// TestNoticesLieApart: workers of an earlier version treat every job in their outbox as a recovery
// of a key. So the notice about a stranger's payment must be in another outbox.
func TestNoticesLieApart(t *testing.T) {
	t.Parallel()
	for name, pay := range gifts {
		s, clock, own := owner(t)
		must(t, pay(s, "ada@example.com"), 200, "", name)
		jobs, err := s.Pro.Outbox.Take(t.Context(), 25, clock.Now(), time.Minute)
		if len(jobs) > 0 || err != nil {
			t.Errorf("%s: %d jobs, %v", name, len(jobs), err)
		}
		texts := mailsTo(s, "ada@example.com")
		if len(texts) != 1 || !strings.Contains(texts[0], "È arrivato un pagamento") ||
			!strings.Contains(texts[0], "A payment for this address") || !s.Works(own) {
			t.Errorf("%s: the owner's mail in every language: %q", name, texts)
		}
	}
}
