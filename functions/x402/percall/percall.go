// Package percall configures a service to sell single answers by x402.
package percall

import (
	"fmt"

	"verdetto/functions/x402"
	"verdetto/shared/pay/solanapay"
	"verdetto/shared/pay/x402pay"
	"verdetto/shared/runtime/config"
)

// Sell returns false if the settings configure no sale of single answers.
func Sell(s *x402.Service, payment config.PerCall) (sold bool, err error) {
	if sold, err = payment.Sold(); err != nil || !sold {
		return false, err
	}
	key, _ := config.SolanaKey(payment.FeeKey) // config validated the key on load
	s.Seller, err = x402pay.New(x402pay.Config{Network: x402pay.NetworkOf(payment.Network), Mint: payment.Mint,
		Wallet: payment.Wallet, FeeKey: key})
	if err == nil {
		s.Chain, err = solanapay.New(solanapay.Config{Nodes: payment.Nodes, Wallet: payment.Wallet, Mint: payment.Mint})
	}
	if err != nil {
		return false, fmt.Errorf("set up answers that are paid one by one: %w", err)
	}
	return true, nil
}
