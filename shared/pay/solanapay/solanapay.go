// Package solanapay is pay.Chain and pay.Settler over the JSON-RPC of Solana nodes.
//
// A payment is judged by what the network recorded of its token balances, before
// and after, and by nothing that a sender can make up: not by instructions, whose
// meaning depends on programs, and not by logs. So transfers made by other
// programs, look-up tables, look-alike coins and money that goes out again in the
// same transaction all come out right. What a node leaves unsaid is never guessed.
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

// Config says which payments count and who is asked about them.
type Config struct {
	// Nodes are addresses of JSON-RPC endpoints, asked in order until one gives a
	// verdict. They may hold secrets and are never part of an error.
	Nodes  []string
	Wallet string // the owner of the receiving token accounts
	Mint   string
	Client *http.Client // nil: one of its own
	// Poll is how long Settle waits between two questions; 0 is half a second.
	Poll time.Duration
}

// Chain asks nodes about payments to one wallet.
type Chain struct {
	nodes []*node
	rule  rule
	poll  time.Duration
}

var _ pay.Chain = (*Chain)(nil)

// New checks the configuration; it asks nobody.
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
		chain.nodes = append(chain.nodes, &node{address, client})
	}
	return chain, nil
}

// Payment implements pay.Chain.
func (c *Chain) Payment(ctx context.Context, signature pay.Signature) (pay.Payment, error) {
	payment, err := ask(ctx, c, func(ctx context.Context, n *node) (pay.Payment, error) {
		return c.judge(ctx, n, signature)
	}, pay.ErrFailedTransaction)
	if err != nil {
		return pay.Payment{}, fmt.Errorf("read transaction %s: %w", signature, err)
	}
	return payment, nil
}

// Find implements pay.Chain. A node that knows of none may lag behind: the next one is asked.
func (c *Chain) Find(ctx context.Context, reference pay.Reference) ([]pay.Signature, error) {
	answered := false
	found, err := ask(ctx, c, func(ctx context.Context, n *node) ([]pay.Signature, error) {
		found, err := n.naming(ctx, reference.String(), pay.MaxFound)
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

// judge asks one node what a transaction moved.
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
		// It became final between the two questions, or the node keeps no history.
	}
	return pay.Payment{}, fmt.Errorf("%w: the node knows that it is final, but not what it did", pay.ErrUnreadable)
}

// ask puts a question to the nodes in order, until one answers it or fails with final. Each has its
// share of the time that is left. Otherwise the error is that of the node that knows most.
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
		err = fmt.Errorf("ask node %d: %w", i+1, err)
		if errors.Is(err, context.Canceled) || final != nil && errors.Is(err, final) {
			return none, err
		}
		if worst == nil || knowledge(err) > knowledge(worst) {
			worst = err
		}
	}
	return none, worst
}

// knowledge ranks what nodes say about a transaction that none could judge: a node that
// saw it knows more than one that did not, and that one more than one that is down.
func knowledge(err error) int {
	return slices.IndexFunc([]error{pay.ErrUnavailable, pay.ErrNotFound, pay.ErrUnreadable, pay.ErrNotFinal},
		func(known error) bool {
			return errors.Is(err, known)
		})
}
