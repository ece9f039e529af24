package script

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"html"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/shared/carrier/mail/maildir"
	"verdetto/shared/carrier/ntfy/ntfytest"
	"verdetto/shared/carrier/outbound"
	payment "verdetto/shared/pay"
	"verdetto/shared/pay/playmoney"
)

func mails(s *story, ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("want an address and a number")
	}
	s.work(ts)
	fresh := s.fresh(ts, args[0])
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	kinds := map[string]bool{}
	for _, m := range fresh {
		kinds[m.Subject] = true
	}
	if again := s.retried && len(kinds) <= want && want <= len(fresh); len(fresh) != want && !again {
		ts.Fatalf("%d mails came to %s, want %s: %s", len(fresh), args[0], args[1], subjects(fresh))
	}
}

// fresh returns the messages to address that fresh has not returned before. The last message
// becomes the current mail.
func (s *story) fresh(ts *testscript.TestScript, address string) (fresh []maildir.Mail) {
	all, err := s.sent(address)
	ts.Check(err)
	for _, m := range all {
		if m.To != address || s.read[m.File] {
			continue
		}
		s.read[m.File] = true
		fresh = append(fresh, m)
		if s.reader != nil {
			s.reader.Mail(s.t, m)
		}
	}
	if len(fresh) > 0 {
		s.mail = fresh[len(fresh)-1]
		s.write(ts, "mail", []byte("Subject: "+s.mail.Subject+"\n\n"+s.mail.Text))
	}
	return fresh
}

func (s *story) sent(address string) (all []maildir.Mail, err error) {
	add := func(title, text string, links ...string) {
		m := maildir.Mail{File: fmt.Sprint(address, " ", len(all))}
		m.To, m.Subject, m.Text = address, title, text+"\n"+strings.Join(links, "\n")
		all = append(all, m)
	}
	person, noPerson := strconv.ParseInt(address, 10, 64)
	switch {
	case strings.HasPrefix(address, "https://"):
		s.faults.mu.Lock()
		defer s.faults.mu.Unlock()
		for _, m := range s.hooked {
			if m.To == address {
				add(m.Subject, m.Text)
			}
		}
		for _, m := range s.ntfy.Messages(address) {
			links := []string{m.Click}
			for _, a := range m.Actions {
				links = append(links, a.Label+": "+a.URL)
			}
			add(m.Title, m.Text, links...)
		}
	case noPerson == nil:
		for _, m := range s.bot.Messages(person) {
			var links []string
			for label, to := range m.Buttons {
				links = append(links, label+": "+to)
			}
			slices.Sort(links)
			add(m.Bold, m.Text, links...)
		}
	default:
		return maildir.Read(s.options.Mail)
	}
	return all, nil
}

func confirm(s *story, ts *testscript.TestScript, neg bool, args []string) {
	mails(s, ts, neg, append(args[:1:1], "1"))
	openLink(s, ts, neg, append([]string{"confirm", "200"}, args[1:]...))
	call("FORM")(s, ts, neg, append([]string{ts.Getenv("LINK"), "", "200"}, args[1:]...))
}

// post is the server of every webhook, and passes other messages on to ntfy. While the kind webhook
// is down, post answers 410.
type post struct {
	*ntfytest.Server
	s *story
}

func (p post) Post(ctx context.Context, to string, header http.Header, body []byte) (answer outbound.Answer, err error) {
	if header.Get("Webhook-Id") == "" {
		err = p.s.faults.around("ntfy", outbound.ErrUnreachable, outbound.ErrNoAnswer, func() error {
			answer, err = p.Server.Post(ctx, to, header, body)
			return err
		})
		return answer, err
	}
	p.s.faults.mu.Lock()
	defer p.s.faults.mu.Unlock()
	if p.s.faults.down == "webhook" {
		return outbound.Answer{Status: http.StatusGone}, nil
	}
	m := maildir.Mail{}
	m.To, m.Text = to, string(body)
	p.s.hooked = append(p.s.hooked, m)
	return outbound.Answer{Status: http.StatusNoContent}, nil
}

// The answer of the bot counts as the last mail.
func write(s *story, ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("want a person and words")
	}
	s.up(ts)
	person, err := strconv.ParseInt(args[0], 10, 64)
	ts.Check(err)
	s.step(ts, func() bool {
		switch words := text(args[1:]); {
		case words == "block":
			err = s.bot.Block(person)
		case strings.HasPrefix(words, "https://"):
			err = s.bot.Start(person, words, "en")
		default:
			err = s.bot.Write(person, words, "en")
		}
		return err != nil
	})
	ts.Check(err)
	if len(s.fresh(ts, args[0])) == 0 {
		s.mail = maildir.Mail{}
	}
}

func subjects(mails []maildir.Mail) (all []string) {
	for _, m := range mails {
		all = append(all, "mail to "+m.To+": "+m.Subject)
	}
	return all
}

var (
	link = regexp.MustCompile(`https?://[^\s<>"]+`)
	href = regexp.MustCompile(`(?:href|src)="([^"]+)"`)
)

func openLink(s *story, ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("want a part of the link and a status")
	}
	links := link.FindAllString(s.mail.Text, -1)
	for _, found := range href.FindAllSubmatch(s.body, -1) {
		links = append(links, html.UnescapeString(string(found[1])))
	}
	for _, found := range links {
		if strings.Contains(found, args[0]) || args[0][0] == '/' && match(args[0], found) {
			ts.Setenv("LINK", strings.TrimPrefix(found, s.options.BaseURL))
			ts.Setenv("TOKEN", found[strings.LastIndex(found, "=")+1:])
			call("GET")(s, ts, neg, append([]string{found, args[1], "with", "Accept", "text/html"}, args[2:]...))
			return
		}
	}
	ts.Fatalf("no link with %s in: %s\n%s", args[0], s.mail.Text, s.shown())
}

var (
	session   = regexp.MustCompile(`cs_(test|live)_\w+`)
	solanaPay = regexp.MustCompile(`solana:[^"\s]+`)
)

func pay(s *story, ts *testscript.TestScript, _ bool, args []string) {
	s.up(ts)
	if len(args) == 0 {
		ts.Fatalf("want card, later, usdc or a state of the last payment")
	}
	if args[0] == "proof" {
		if len(args) != 3 {
			ts.Fatalf("want a payer and an address")
		}
		text := "Verdetto Pro payment\n" + args[2] + "\n" + ts.Getenv("SIGNATURE")
		ts.Setenv("PROOF", base64.StdEncoding.EncodeToString(ed25519.Sign(fixture.SolanaKey(args[1]), []byte(text))))
		return
	}
	p, node := s.options.StandIns.Stripe, s.options.StandIns.Node
	switch args[0] {
	case "card":
		ts.Setenv("SUBSCRIPTION", p.Pay(s.checkout(ts)))
	case "later":
		ts.Setenv("SUBSCRIPTION", p.PayLater(s.checkout(ts)))
	case "usdc":
		ts.Setenv("SIGNATURE", node.Pay(s.transfer(ts, args[1:])).String())
	default:
		signature, err := payment.ParseSignature(ts.Getenv("SIGNATURE"))
		ts.Check(err)
		if args[0] == "lost" {
			node.Forget(signature)
		} else {
			node.Advance(signature, playmoney.Finality(args[0]))
		}
	}
}

func (s *story) transfer(ts *testscript.TestScript, args []string) playmoney.Transfer {
	t := playmoney.Transfer{Wallet: onemachine.StandInWallet, Mint: payment.DevnetUSDC}
	if len(args) == 0 || strings.Contains(args[0], "=") {
		link, err := url.Parse(solanaPay.FindString(html.UnescapeString(strings.ReplaceAll(string(s.body), `\u0026`, "&"))))
		ts.Check(err)
		q := link.Query()
		t.Wallet, t.Mint, t.Memo, t.Reference = link.Opaque, q.Get("spl-token"), q.Get("memo"), q.Get("reference")
		args = append([]string{"amount=" + q.Get("amount")}, args...)
	} else {
		args[0] = "amount=" + args[0]
	}
	for _, arg := range args {
		name, value, _ := strings.Cut(arg, "=")
		switch name {
		case "amount":
			amount, err := strconv.ParseFloat(value, 64)
			ts.Check(err)
			t.Units = uint64(math.Round(amount * 1e6))
		case "wallet":
			t.Wallet = playmoney.Address(value)
		case "mint":
			t.Mint = playmoney.Address(value)
		case "memo":
			t.Memo = value
		case "from":
			t.From = fixture.SolanaAddress(value)
		case "failed":
			t.Failed = true
		default:
			ts.Fatalf("no field %q of a payment", arg)
		}
	}
	return t
}

func (s *story) checkout(ts *testscript.TestScript) string {
	id := session.FindString(string(s.body) + s.header.Get("Location"))
	if id == "" {
		ts.Fatalf("the last answer leads to no checkout: %s", s.body)
	}
	ts.Setenv("SESSION", id)
	return id
}

func stripe(s *story, ts *testscript.TestScript, _ bool, args []string) {
	s.up(ts)
	if len(args) == 0 {
		ts.Fatalf("want what happens")
	}
	p := s.options.StandIns.Stripe
	switch args[0] {
	case "expire":
		p.Expire(s.checkout(ts))
		return
	case "settle":
		p.Settle(ts.Getenv("SESSION"))
		return
	case "sell":
		id, subscription := p.SellOther(text(args[1:]), "price_other")
		ts.Setenv("SESSION", id)
		ts.Setenv("SUBSCRIPTION", subscription)
		return
	}
	do := map[string]func(string){"renew": p.Renew, "fail": p.FailRenewal, "cancel": p.CancelAtPeriodEnd, "end": p.End,
		"delete": p.DeleteCustomer, "reprice": func(id string) { p.Reprice(id, p.Price) }}[args[0]]
	if do == nil {
		ts.Fatalf("%s happens not at the card processor", args[0])
	}
	do(ts.Getenv("SUBSCRIPTION"))
}

func events(s *story, ts *testscript.TestScript, _ bool, args []string) {
	s.up(ts)
	stripe := s.options.StandIns.Stripe
	for _, e := range stripe.Events()[s.delivered:] {
		call("POST")(s, ts, false, append([]string{"/api/v1/pro/webhook", string(e.Payload), "200", "with", "Stripe-Signature",
			playmoney.Sign(e.Payload, s.now(), stripe.Secret)}, args...))
		s.delivered++
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
	ts.Setenv("CUSTOMER", found[3:25])
}

var background = context.Background()
