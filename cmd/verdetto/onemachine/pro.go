package onemachine

import (
	"crypto/rand"
	"fmt"

	"verdetto/functions/pro"
	"verdetto/shared/pay"
	"verdetto/shared/pay/solanapay"
	"verdetto/shared/pay/stripepay"
	"verdetto/shared/runtime/config"
	"verdetto/shared/store"
	"verdetto/shared/web/limit"
)

// openPro makes the paid plan: the real adapters, configured as the Lambda
// function is, or for the stand-ins on this machine.
func (s *Service) openPro(carrier Carrier) (err error) {
	o := s.options
	var payments config.Pay
	var operator config.Operator
	if err = config.Load(&operator); err != nil {
		return err
	}
	if o.RealPayments {
		err = config.Load(&payments)
	} else if s.Payments, err = StartStandIns(o.Now, o.LocalURL); err == nil {
		payments = s.Payments.config()
	}
	if err != nil {
		return err
	}
	checkout, err := stripepay.New(stripepay.Config{
		Key: payments.StripeKey, Price: payments.StripePrice, FormerPrices: payments.StripeFormer, WebhookSecrets: payments.StripeSecrets, URL: payments.StripeURL,
	})
	if err != nil {
		return fmt.Errorf("set up card payments: %w", err)
	}
	wallet, chain, err := openChain(payments)
	if err != nil {
		return err
	}
	s.Pro = &pro.Service{
		Keys: store.Customers{Table: o.Table, Changed: s.refused.Forget}, Outbox: store.Outbox{Table: o.Table, Name: "pro", Delay: o.JobDelay},
		Checkout: checkout, Chain: chain, Wallet: wallet, Sender: carrier,
		Limiter: limit.New(o.Table, o.Now), Refused: s.refused, Pepper: o.Pepper, BaseURL: o.BaseURL,
		Random: rand.Reader, Now: o.Now, Log: o.Log,
		JobsAtOnce: jobsAtOnce, Operator: pro.Operator(operator),
	}
	return nil
}

// openChain makes the chain and says where payments go.
func openChain(payments config.Pay) (pro.Wallet, pay.Chain, error) {
	chain, err := solanapay.New(solanapay.Config{Nodes: payments.SolanaNodes, Wallet: payments.SolanaWallet, Mint: payments.SolanaMint})
	if err != nil {
		return pro.Wallet{}, nil, fmt.Errorf("set up payments in USDC: %w", err)
	}
	account, err := solanapay.TokenAccount(payments.SolanaWallet, payments.SolanaMint)
	if err != nil {
		return pro.Wallet{}, nil, err
	}
	units, err := pay.ParseUnits(payments.USDC)
	if err != nil {
		return pro.Wallet{}, nil, fmt.Errorf("VERDETTO_PRICE_USDC: %w", err)
	}
	return pro.Wallet{Owner: payments.SolanaWallet, TokenAccount: account, Mint: payments.SolanaMint, Network: payments.SolanaNetwork, Units: units}, chain, nil
}
