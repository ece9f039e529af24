package onemachine

import (
	"fmt"
	"net"
	"net/http"
	"time"

	"verdetto/shared/pay"
	"verdetto/shared/pay/playmoney"
	"verdetto/shared/runtime/config"
)

// StandInWallet receives simulated payments. Nobody has the private key of this wallet.
var StandInWallet = playmoney.Address("verdetto desk wallet")

type StandIns struct {
	Stripe             *playmoney.Stripe
	Node               *playmoney.Node
	StripeURL, NodeURL string
	servers            []*http.Server
}

func StartStandIns(now func() time.Time, localURL string) (*StandIns, error) {
	s := &StandIns{Stripe: playmoney.NewStripe(now), Node: playmoney.NewNode(now)}
	if localURL != "" {
		s.Stripe.Webhook = localURL + "/api/v1/pro/webhook"
	}
	for _, standIn := range []struct {
		handler http.Handler
		url     *string
	}{{s.Stripe, &s.StripeURL}, {s.Node, &s.NodeURL}} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			s.Close()
			return nil, fmt.Errorf("start a stand-in for payments: %w", err)
		}
		*standIn.url = "http://" + listener.Addr().String()
		server := &http.Server{Handler: standIn.handler, ReadHeaderTimeout: 10 * time.Second}
		s.servers = append(s.servers, server)
		go server.Serve(listener)
	}
	return s, nil
}

func (s *StandIns) config() config.Pay {
	return config.Pay{Card: config.Card{
		StripeKey: s.Stripe.Key, StripePrice: s.Stripe.Price, StripeSecrets: []string{s.Stripe.Secret},
		StripeURL: s.StripeURL,
	}, USDC: config.USDC{
		SolanaNodes: []string{s.NodeURL}, SolanaWallet: StandInWallet, SolanaMint: pay.DevnetUSDC, SolanaNetwork: "devnet",
		PriceUSDC: "12.99",
	}}
}

func (s *StandIns) Close() {
	for _, server := range s.servers {
		_ = server.Close()
	}
}
