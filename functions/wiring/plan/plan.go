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

// Sell sets the service's card processor, its chain and the wallet that receives USDC.
func Sell(s *pro.Service, payment config.Pay) (err error) {
	s.Checkout, err = stripepay.New(stripepay.Config{
		Key: payment.StripeKey, Price: payment.StripePrice, FormerPrices: payment.StripeFormer,
		WebhookSecrets: payment.StripeSecrets, URL: payment.StripeURL,
	})
	if err != nil {
		return fmt.Errorf("set up card payments: %w", err)
	}
	s.Chain, err = solanapay.New(solanapay.Config{Nodes: payment.SolanaNodes, Wallet: payment.SolanaWallet,
		Mint: payment.SolanaMint})
	if err != nil {
		return fmt.Errorf("set up payments in USDC: %w", err)
	}
	account, err := solanapay.TokenAccount(payment.SolanaWallet, payment.SolanaMint)
	if err != nil {
		return err
	}
	units, err := pay.ParseUnits(payment.USDC)
	if err != nil {
		return fmt.Errorf("VERDETTO_PRICE_USDC: %w", err)
	}
	s.Wallet = pro.Wallet{Owner: payment.SolanaWallet, TokenAccount: account, Mint: payment.SolanaMint,
		Network: payment.SolanaNetwork, Units: units}
	return nil
}
