// Package solanapay implements pay.Chain and pay.Settler with the JSON-RPC of Solana nodes.
//
// A payment is judged by the token balances that the network recorded before and after the
// transaction, which senders cannot forge.
//
// Start reading at New. The file read.go judges a payment.
package solanapay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/gagliardetto/solana-go"

	"verdetto/shared/pay"
)

type Config struct {
	// Nodes are URLs of JSON-RPC endpoints, asked in order. A URL may contain a secret, so errors show
	// only the host.
	Nodes  []string
	Wallet string // owner of the receiving token accounts
	Mint   string
	Client *http.Client
	// Poll is the interval between two status calls in Settle; by default 500 ms.
	Poll time.Duration
}

type Chain struct {
	nodes []*node
	rule  rule
	poll  time.Duration
}

var _ pay.Chain = (*Chain)(nil)

func New(config Config) (*Chain, error) {
	for _, key := range []struct{ what, text string }{{"wallet", config.Wallet}, {"mint", config.Mint}} {
		if _, err := solana.PublicKeyFromBase58(key.text); err != nil {
			return nil, fmt.Errorf("read %s address %q: %w", key.what, key.text, err)
		}
	}
	if config.Wallet == config.Mint {
		return nil, errors.New("the wallet is the mint")
	}
	if len(config.Nodes) == 0 {
		return nil, errors.New("no node to ask")
	}
	client := config.Client
	if client == nil {
		client = &http.Client{CheckRedirect: func(*http.Request,
			[]*http.Request) error {
			return http.ErrUseLastResponse
		}}
	}
	chain := &Chain{rule: rule{wallet: config.Wallet, mint: config.Mint}, poll: cmp.Or(config.Poll, pollEvery)}
	for i, address := range config.Nodes {
		u, err := url.Parse(address)
		if err != nil || u.Host == "" || u.Scheme != "https" && (u.Scheme != "http" || u.Hostname() != "127.0.0.1") {
			return nil, fmt.Errorf("address of node %d is neither https nor on this machine", i+1)
		}
		chain.nodes = append(chain.nodes, &node{address, u.Host, client})
	}
	return chain, nil
}

func (c *Chain) Payment(ctx context.Context, signature pay.Signature) (pay.Payment, error) {
	payment, err := ask(ctx, c, func(ctx context.Context, n *node) (pay.Payment, error) {
		return c.judge(ctx, n, signature)
	}, pay.ErrFailedTransaction)
	if err != nil {
		return pay.Payment{}, fmt.Errorf("read transaction %s: %w", signature, err)
	}
	return payment, nil
}

// Find also asks the next node if a node knows no transaction, because that node may be behind the
// network.
func (c *Chain) Find(ctx context.Context, reference pay.Reference) ([]pay.Signature, error) {
	answered := false
	found, err := ask(ctx, c, func(ctx context.Context, n *node) ([]pay.Signature, error) {
		found, err := n.signaturesFor(ctx, reference.String(), pay.MaxFound)
		answered = answered || err == nil
		if err == nil && len(found) == 0 {
			err = pay.ErrNotFound
		}
		return found, err
	}, nil)
	if err != nil && (!answered || errors.Is(err, context.Canceled)) {
		return nil, fmt.Errorf("find payment: %w", err)
	}
	slices.Reverse(found)
	return found, nil
}

func (c *Chain) judge(ctx context.Context, n *node, signature pay.Signature) (pay.Payment, error) {
	for range 2 {
		body, err := n.transaction(ctx, signature)
		if err != nil {
			return pay.Payment{}, err
		}
		if body != nil {
			return c.rule.read(body, signature)
		}
		s, err := n.status(ctx, signature)
		switch {
		case err != nil:
			return pay.Payment{}, err
		case s == nil:
			return pay.Payment{}, pay.ErrNotFound
		case !s.final():
			return pay.Payment{}, pay.ErrNotFinal
		}
		// The transaction may have become final after the first question, so ask once more.
	}
	return pay.Payment{}, fmt.Errorf("%w: the node knows that it is final, but not what it did", pay.ErrUnreadable)
}

// ask tries the nodes in order until a node answers, a node fails with the error final, or ctx is canceled.
func ask[A any](ctx context.Context, c *Chain, question func(context.Context, *node) (A, error), final error) (none A,
	worst error) {
	ctx, cancel := context.WithTimeout(ctx, pay.Timeout)
	defer cancel()
	for i, n := range c.nodes {
		answer, err := func() (A, error) {
			deadline, _ := ctx.Deadline()
			ctx, cancel := context.WithTimeout(ctx, time.Until(deadline)/time.Duration(len(c.nodes)-i))
			defer cancel()
			return question(ctx, n)
		}()
		if err == nil {
			return answer, nil
		}
		err = fmt.Errorf("ask the Solana node at %s: %w", n.host, err)
		if errors.Is(err, context.Canceled) || final != nil && errors.Is(err, final) {
			return none, err
		}
		if worst == nil || knowledge(err) > knowledge(worst) {
			worst = err
		}
	}
	return none, worst
}

func knowledge(err error) int {
	return slices.IndexFunc([]error{pay.ErrUnavailable, pay.ErrNotFound, pay.ErrUnreadable, pay.ErrNotFinal},
		func(known error) bool {
			return errors.Is(err, known)
		})
}
