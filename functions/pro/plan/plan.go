// Package plan configures a service to sell the paid plan by Stripe and in USDC.
package plan

import (
	"fmt"

	"verdetto/functions/pro"
	"verdetto/shared/pay"
	"verdetto/shared/pay/solanapay"
	"verdetto/shared/pay/stripepay"
	"verdetto/shared/runtime/config"
)

func Sell(s *pro.Service, payment config.Pay) error {
	if payment.StripeKey != "" {
		if err := byCard(s, payment.Card); err != nil {
			return fmt.Errorf("set up card payments: %w", err)
		}
	}
	if payment.SolanaWallet == "" {
		return nil
	}
	if err := inUSDC(s, payment.USDC); err != nil {
		return fmt.Errorf("set up payments in USDC: %w", err)
	}
	return nil
}

func byCard(s *pro.Service, payment config.Card) (err error) {
	s.Checkout, err = stripepay.New(stripepay.Config{
		Key: payment.StripeKey, Price: payment.StripePrice, FormerPrices: payment.StripeFormer,
		WebhookSecrets: payment.StripeSecrets, URL: payment.StripeURL,
	})
	return err
}

func inUSDC(s *pro.Service, payment config.USDC) (err error) {
	s.Chain, err = solanapay.New(solanapay.Config{Nodes: payment.SolanaNodes, Wallet: payment.SolanaWallet,
		Mint: payment.SolanaMint})
	if err != nil {
		return err
	}
	account, err := solanapay.TokenAccount(payment.SolanaWallet, payment.SolanaMint)
	if err != nil {
		return err
	}
	units, err := pay.ParseUnits(payment.PriceUSDC)
	if err != nil {
		return fmt.Errorf("VERDETTO_PRICE_USDC: %w", err)
	}
	s.Wallet = pro.Wallet{Owner: payment.SolanaWallet, TokenAccount: account, Mint: payment.SolanaMint,
		Network: payment.SolanaNetwork, Units: units}
	return nil
}
