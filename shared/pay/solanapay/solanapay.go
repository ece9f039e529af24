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
		client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
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
	ctx, cancel := context.WithTimeout(ctx, pay.Timeout)
	defer cancel()
	var worst error
	for i, n := range c.nodes {
		payment, err := c.ask(ctx, n, len(c.nodes)-i, signature)
		if err == nil {
			return payment, nil
		}
		err = fmt.Errorf("ask node %d about %s: %w", i+1, signature, err)
		if errors.Is(err, pay.ErrFailedTransaction) || errors.Is(err, context.Canceled) {
			return pay.Payment{}, err
		}
		if worst == nil || informative(err) > informative(worst) {
			worst = err
		}
	}
	return pay.Payment{}, worst
}

// Find implements pay.Chain. A node that knows of none may lag behind: the next one is asked.
func (c *Chain) Find(ctx context.Context, reference pay.Reference) ([]pay.Signature, error) {
	ctx, cancel := context.WithTimeout(ctx, pay.Timeout)
	defer cancel()
	answered, worst := false, error(nil)
	for i, n := range c.nodes {
		found, err := c.find(ctx, n, len(c.nodes)-i, reference)
		switch {
		case errors.Is(err, context.Canceled):
			return nil, fmt.Errorf("find payment: %w", err)
		case err != nil:
			worst = fmt.Errorf("find payment: ask node %d: %w", i+1, err)
		case len(found) > 0:
			slices.Reverse(found)
			return found, nil
		default:
			answered = true
		}
	}
	if answered {
		return nil, nil
	}
	return nil, worst
}

func (c *Chain) find(ctx context.Context, n *node, share int, reference pay.Reference) ([]pay.Signature, error) {
	ctx, cancel := withShare(ctx, share)
	defer cancel()
	return n.naming(ctx, reference.String(), pay.MaxFound)
}

// informative ranks what nodes say about a transaction that none could judge: one
// that saw it knows more than one that did not, and that one more than one that
// is down.
func informative(err error) int {
	for rank, sentinel := range []error{pay.ErrUnavailable, pay.ErrNotFound, pay.ErrUnreadable, pay.ErrNotFinal} {
		if errors.Is(err, sentinel) {
			return rank
		}
	}
	return -1
}

// ask asks one node, which has its share of the time that is left.
func (c *Chain) ask(ctx context.Context, n *node, share int, signature pay.Signature) (pay.Payment, error) {
	ctx, cancel := withShare(ctx, share)
	defer cancel()
	for range 2 {
		body, err := n.transaction(ctx, signature)
		if err != nil {
			return pay.Payment{}, err
		}
		if body != nil {
			return c.rule.read(body, signature)
		}
		s, err := n.status(ctx, signature)
		if err != nil {
			return pay.Payment{}, err
		}
		switch {
		case s == nil:
			return pay.Payment{}, pay.ErrNotFound
		case !s.final():
			return pay.Payment{}, pay.ErrNotFinal
		}
		// It became final between the two questions, or the node keeps no history.
	}
	return pay.Payment{}, fmt.Errorf("%w: the node knows that it is final, but not what it did", pay.ErrUnreadable)
}
