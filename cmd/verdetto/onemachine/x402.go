package onemachine

import (
	"fmt"

	"verdetto/functions/x402"
	"verdetto/shared/answer"
	"verdetto/shared/pay/solanapay"
	"verdetto/shared/pay/x402pay"
	"verdetto/shared/published"
	"verdetto/shared/runtime/config"
	"verdetto/shared/store"
	"verdetto/shared/web/limit"
)

// perCall is how answers are paid one by one, configured as the Lambda function
// is: always over the real chain, whatever Pro is paid with.
func perCall() (payment config.PerCall, sold bool, err error) {
	if err := config.Load(&payment); err != nil {
		return config.PerCall{}, false, err
	}
	sold, err = payment.Sold()
	return payment, sold, err
}

// openPerCall makes what sells answers one by one.
func (o Options) openPerCall(payment config.PerCall, sold bool, reader *answer.Reader, limiter *limit.Limiter) (*x402.Service, error) {
	service := &x402.Service{
		Answers: &published.Answers{Reader: reader}, Payments: store.Payments{Table: o.Table},
		Limiter: limiter, BaseURL: o.BaseURL, Now: o.Now, Log: o.Log,
	}
	if !sold {
		return service, nil
	}
	var err error
	key, _ := config.SolanaKey(payment.FeeKey) // which was checked as it was read
	if service.Seller, err = x402pay.New(x402pay.Config{Network: x402pay.NetworkOf(payment.Network), Mint: payment.Mint, Wallet: payment.Wallet, FeeKey: key}); err != nil {
		return nil, fmt.Errorf("set up answers that are paid one by one: %w", err)
	}
	if service.Chain, err = solanapay.New(solanapay.Config{Nodes: payment.Nodes, Wallet: payment.Wallet, Mint: payment.Mint}); err != nil {
		return nil, fmt.Errorf("set up answers that are paid one by one: %w", err)
	}
	return service, nil
}
