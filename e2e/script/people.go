package script

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/shared/carrier/mail/maildir"
	payment "verdetto/shared/pay"
	"verdetto/shared/pay/playmoney"
)

func mails(s *story, ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("want an address and a number")
	}
	s.work(ts)
	all, err := maildir.Read(s.options.Mail)
	ts.Check(err)
	var to []maildir.Mail
	for _, m := range all {
		again := s.retried && slices.ContainsFunc(to, func(o maildir.Mail) bool { return o.Subject == m.Subject })
		if m.To == args[0] && !again {
			to = append(to, m)
		}
	}
	fresh := to[s.read[args[0]]:]
	s.read[args[0]] = len(to)
	if fmt.Sprint(len(fresh)) != args[1] {
		ts.Fatalf("%d mails came to %s, want %s: %s", len(fresh), args[0], args[1], subjects(fresh))
	}
	if len(fresh) > 0 {
		s.mail = fresh[len(fresh)-1]
		s.write(ts, "mail", []byte("Subject: "+s.mail.Subject+"\n\n"+s.mail.Text))
	}
}

func subjects(mails []maildir.Mail) (all []string) {
	for _, m := range mails {
		all = append(all, "mail to "+m.To+": "+m.Subject)
	}
	return all
}

var link = regexp.MustCompile(`https?://[^\s<>"]+`)

func openLink(s *story, ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("want a part of the link and a status")
	}
	for _, found := range link.FindAllString(s.mail.Text, -1) {
		if strings.Contains(found, args[0]) {
			ts.Setenv("LINK", strings.TrimPrefix(found, s.options.BaseURL))
			call("GET")(s, ts, neg, append([]string{found, args[1], "with", "Accept", "text/html"}, args[2:]...))
			return
		}
	}
	ts.Fatalf("no link with %s in: %s", args[0], s.mail.Text)
}

var session = regexp.MustCompile(`cs_(test|live)_\w+`)

func pay(s *story, ts *testscript.TestScript, _ bool, args []string) {
	s.up(ts)
	if len(args) == 1 && args[0] == "card" {
		id := session.FindString(string(s.body) + s.header.Get("Location"))
		if id == "" {
			ts.Fatalf("the last answer leads to no checkout: %s", s.body)
		}
		ts.Setenv("SESSION", id)
		ts.Setenv("SUBSCRIPTION", s.options.StandIns.Stripe.Pay(id))
		return
	}
	if len(args) < 2 || args[0] != "usdc" {
		ts.Fatalf("want card, or usdc with an amount")
	}
	amount, err := strconv.ParseFloat(args[1], 64)
	ts.Check(err)
	signature := s.options.StandIns.Node.Pay(playmoney.Transfer{Wallet: onemachine.StandInWallet, Mint: payment.DevnetUSDC,
		Units: uint64(math.Round(amount * 1e6)), Memo: text(args[2:])})
	ts.Setenv("SIGNATURE", signature.String())
}

// events delivers each event once, as soon as the webhook accepts it.
func events(s *story, ts *testscript.TestScript, _ bool, _ []string) {
	s.up(ts)
	stripe := s.options.StandIns.Stripe
	for _, e := range stripe.Events()[s.told:] {
		call("POST")(s, ts, false, []string{"/api/v1/pro/webhook", string(e.Payload), "200", "with", "Stripe-Signature",
			playmoney.Sign(e.Payload, s.now(), stripe.Secret)})
		s.told++
	}
}

func key(s *story, ts *testscript.TestScript, _ bool, _ []string) {
	found := fixture.KeyPattern.FindString(string(s.body))
	if found == "" {
		found = fixture.KeyPattern.FindString(s.mail.Text)
	}
	if found == "" {
		ts.Fatalf("no key in the last answer, nor in the last mail")
	}
	ts.Setenv("KEY", found)
}

var background = context.Background()
