package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/http"
	"time"

	"verdetto/functions/pro"
	"verdetto/shared/config"
	"verdetto/shared/limit"
	"verdetto/shared/mail/maildir"
	"verdetto/shared/pay"
	"verdetto/shared/pay/paytest"
	"verdetto/shared/pay/solanapay"
	"verdetto/shared/pay/stripepay"
	"verdetto/shared/store"
)

// till is the paid plan on a desk: the real adapters, talking to stand-ins for
// Stripe and Solana on this machine, unless real money is asked for.
type till struct {
	service *pro.Service
	stripe  *paytest.Stripe // nil with real money
	node    *paytest.Node
	// Where the stand-ins show their pages.
	stripeURL, nodeURL string
	close              func()
}

// playWallet is where the stand-in's payments go. Nobody holds its key.
var playWallet = paytest.Address("verdetto desk wallet")

// openTill makes the paid plan over a table, for a service that is reached at
// base, and by the stand-ins on this machine at here.
func (c *choices) openTill(ctx context.Context, table store.Table, pepper []byte, base, here string) (*till, error) {
	t := &till{close: func() {}}
	var money config.Pay
	if c.money == "real" {
		if err := config.Load(&money); err != nil {
			return nil, err
		}
	} else if err := t.standIns(c.now, here, &money); err != nil {
		return nil, err
	}
	checkout, err := stripepay.New(stripepay.Config{
		Key: money.StripeKey, Price: money.StripePrice, WebhookSecrets: money.StripeSecrets, URL: money.StripeURL,
	})
	if err != nil {
		return nil, fmt.Errorf("set up card payments: %w", err)
	}
	wallet, chain, err := openChain(money)
	if err != nil {
		return nil, err
	}
	sender, err := maildir.Open(c.mail, c.now)
	if err != nil {
		return nil, err
	}
	woken, wake := bell()
	t.service = &pro.Service{
		Keys: store.Customers{Table: table}, Outbox: store.Outbox{Table: table, Name: "pro"},
		Checkout: checkout, Chain: chain, Wallet: wallet, Sender: sender,
		Limiter: limit.New(table, c.now), Pepper: pepper, BaseURL: base,
		Random: rand.Reader, Now: c.now, Log: c.log,
		SignalWorker: wake,
	}
	go c.keepWorking(ctx, t.service, woken)
	return t, nil
}

// openChain makes the chain and says where payments go.
func openChain(money config.Pay) (pro.Wallet, pay.Chain, error) {
	chain, err := solanapay.New(solanapay.Config{Nodes: money.SolanaNodes, Wallet: money.SolanaWallet, Mint: money.SolanaMint})
	if err != nil {
		return pro.Wallet{}, nil, fmt.Errorf("set up payments in USDC: %w", err)
	}
	account, err := solanapay.TokenAccount(money.SolanaWallet, money.SolanaMint)
	if err != nil {
		return pro.Wallet{}, nil, err
	}
	units, err := pay.ParseUnits(money.USDC)
	if err != nil {
		return pro.Wallet{}, nil, fmt.Errorf("VERDETTO_PRICE_USDC: %w", err)
	}
	return pro.Wallet{Owner: money.SolanaWallet, TokenAccount: account, Mint: money.SolanaMint, Network: money.SolanaNetwork, Units: units}, chain, nil
}

// standIns starts the stand-ins and has the configuration point at them.
func (t *till) standIns(now func() time.Time, here string, money *config.Pay) error {
	t.stripe, t.node = paytest.NewStripe(now), paytest.NewNode(now)
	t.stripe.Webhook = here + "/api/v1/pro/webhook"
	var closers []func() error
	t.close = func() {
		for _, c := range closers {
			_ = c() // they keep nothing
		}
	}
	for _, s := range []struct {
		handler http.Handler
		url     *string
	}{{t.stripe, &t.stripeURL}, {t.node, &t.nodeURL}} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return fmt.Errorf("start a stand-in for payments: %w", err)
		}
		*s.url = "http://" + listener.Addr().String()
		server := &http.Server{Handler: s.handler, ReadHeaderTimeout: 10 * time.Second}
		closers = append(closers, server.Close)
		go server.Serve(listener) // ends with close
	}
	*money = config.Pay{
		StripeKey: t.stripe.Key, StripePrice: t.stripe.Price, StripeSecrets: []string{t.stripe.Secret}, StripeURL: t.stripeURL,
		SolanaNodes: []string{t.nodeURL}, SolanaWallet: playWallet, SolanaMint: pay.DevnetUSDC, SolanaNetwork: "devnet",
		USDC: "12.99",
	}
	return nil
}

// examples says how to buy Pro here.
func (t *till) examples(address, mail string) {
	if t.stripe == nil {
		return
	}
	fmt.Printf(`
buy Pro with play money: open the url that this answers with, press pay, and there is the key

  curl -H 'Content-Type: application/json' -d '{"email":"ada@example.com"}' http://%s/api/v1/pro/checkout

or pay in USDC on %s, as http://%s/v1/pro/cripta?email=ada@example.com says; mail goes into %s
`, address, t.nodeURL, address, mail)
}
