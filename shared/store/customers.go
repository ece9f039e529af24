package store

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"verdetto/shared/apikey"
)

// Customers stores one item a customer: the hash of the current key and the end
// of the plan. Writing a new hash is what revokes the old key (keys: CUSTOMER,
// CASHED, SUBSCRIPTION, CHECKOUT).
type Customers struct{ Table Table }

// Customer is what is stored of one. It holds no address and no key.
type Customer struct {
	ID     apikey.CustomerID `json:"-"`
	Hash   []byte            `json:"hash,omitempty"` // of the current key; empty: none was issued
	Issued time.Time         `json:"issued"`         // when the current key was
	// What the plan rests on: it lasts as long as the longest of these.
	Until   time.Time            `json:"until"`           // given by the operator
	Crypto  time.Time            `json:"crypto"`          // paid in USDC
	Cards   map[string]time.Time `json:"cards,omitempty"` // by subscription: the end of what was paid for
	Version int64                `json:"-"`
}

// Plan is the customer's plan, grace included.
func (c Customer) Plan() apikey.Plan {
	until := c.Until
	if c.Crypto.After(until) {
		until = c.Crypto
	}
	for _, paid := range c.Cards {
		if end := paid.Add(apikey.Grace); end.After(until) {
			until = end
		}
	}
	return apikey.Plan{Until: until}
}

// Holds tells whether a key is the customer's current one.
func (c Customer) Holds(k apikey.Key) bool {
	return len(c.Hash) == len(apikey.Hash{}) && k.Matches(apikey.Hash(c.Hash))
}

func customerKey(id apikey.CustomerID) Key { return Key{"CUSTOMER#" + string(id), "KEY"} }

// Customer reads a customer, strongly: a replaced key is refused on the very
// next read. ErrNotFound where there is none.
func (k Customers) Customer(ctx context.Context, id apikey.CustomerID) (Customer, error) {
	item, err := k.Table.Get(ctx, customerKey(id), Strong)
	if err != nil {
		return Customer{}, fmt.Errorf("read customer: %w", err)
	}
	c := Customer{ID: id, Version: item.Version}
	if err := json.Unmarshal(item.Data, &c); err != nil {
		return Customer{}, fmt.Errorf("read customer: %w", err)
	}
	return c, nil
}

// Put writes a customer over the version it was read at; 0 is a new one.
func (k Customers) Put(ctx context.Context, c Customer) error {
	op, err := put(c)
	if err == nil {
		err = k.Table.Write(ctx, op)
	}
	if err != nil {
		return fmt.Errorf("write customer: %w", err)
	}
	return nil
}

func put(c Customer) (Op, error) {
	data, err := json.Marshal(c)
	op := Op{Mode: Replace, Item: Item{Key: customerKey(c.ID), Version: c.Version, Data: data}}
	if c.Version == 0 {
		op.Mode = Create
	}
	return op, err
}

// Change reads a customer, lets change alter it, and writes it; where another
// writer came between, it begins again. A customer that is not there yet is
// handed to change with nothing but its id.
func (k Customers) Change(ctx context.Context, id apikey.CustomerID, change func(*Customer) error) error {
	return RetryConflicts(ctx, func() error {
		c, err := k.orNew(ctx, id)
		if err == nil {
			err = change(&c)
		}
		if err == nil {
			err = k.Put(ctx, c)
		}
		return err
	})
}

// orNew reads a customer; one that is not there has nothing but its id.
func (k Customers) orNew(ctx context.Context, id apikey.CustomerID) (Customer, error) {
	c, err := k.Customer(ctx, id)
	if errors.Is(err, ErrNotFound) {
		return Customer{ID: id}, nil
	}
	return c, err
}

// Issue mints a key for a customer and puts it in the place of the one before,
// in one write with whatever change does; change may be nil. The key's text is
// returned this once and is stored nowhere. Where the write's outcome is
// unknown the text is lost: issuing again revokes what may have been written.
func (k Customers) Issue(ctx context.Context, random io.Reader, id apikey.CustomerID, now time.Time, change func(*Customer) error) (text string, err error) {
	err = k.Change(ctx, id, func(c *Customer) error {
		minted, hash, err := apikey.Mint(random, id)
		if err != nil {
			return err
		}
		text, c.Hash, c.Issued = minted, hash[:], now.UTC().Truncate(time.Second)
		if change == nil {
			return nil
		}
		return change(c)
	})
	if err != nil {
		return "", fmt.Errorf("issue key: %w", err)
	}
	return text, nil
}

// ErrIssued: a key was issued for this already.
var ErrIssued = errors.New("a key was issued for this already")

// unknownTries is how often IssueOnce tries where it cannot tell how a write ended.
const unknownTries = 4

// IssueOnce is Issue for something that entitles to a key once, ever, such as a
// payment: the mark that it was used and the customer are written together or
// not at all. ErrIssued where the mark is there already. Where keep says so of
// the customer as read, the current key stays valid and text is empty. The
// customer comes back as it is stored.
func (k Customers) IssueOnce(ctx context.Context, random io.Reader, id apikey.CustomerID, now time.Time, what string, keep func(Customer) bool, change func(*Customer)) (text string, stored Customer, err error) {
	minted, hash, err := apikey.Mint(random, id)
	if err != nil {
		return "", Customer{}, fmt.Errorf("issue key: %w", err)
	}
	// The mark names the key that was minted for it: so a try that finds the mark
	// can tell whether it is its own, written by an earlier try whose answer was lost.
	mark := Item{Key: Key{"CASHED#" + what, "MARK"}, Data: hash[:]}
	err = retry(ctx, issueOnceTries, func() error {
		c, err := k.orNew(ctx, id)
		if err == nil {
			if !keep(c) {
				c.Hash, c.Issued = hash[:], now.UTC().Truncate(time.Second)
			}
			change(&c)
			err = k.putMarked(ctx, c, mark)
		}
		if err != nil {
			c, err = k.outcome(ctx, id, mark, err)
		}
		stored = c
		return err
	})
	if err != nil {
		return "", Customer{}, fmt.Errorf("issue key: %w", err)
	}
	if bytes.Equal(stored.Hash, hash[:]) {
		text = minted
	}
	return text, stored, nil
}

func issueOnceTries(err error) int {
	switch {
	case isConflict(err):
		return maxTries
	case errors.Is(err, ErrUnavailable):
		return unknownTries
	}
	return 1
}

func (k Customers) putMarked(ctx context.Context, c Customer, mark Item) error {
	op, err := put(c)
	if err != nil {
		return err
	}
	return k.Table.Write(ctx, Op{Mode: Create, Item: mark}, op)
}

// outcome tells by its mark whether a write that ended with an error has taken
// effect, and gives the customer if so. If not, the error stands.
func (k Customers) outcome(ctx context.Context, id apikey.CustomerID, mark Item, fault error) (Customer, error) {
	item, err := k.Table.Get(ctx, mark.Key, Strong)
	switch {
	case errors.Is(err, ErrNotFound):
		return Customer{}, fault
	case err != nil:
		return Customer{}, err
	case !bytes.Equal(item.Data, mark.Data):
		return Customer{}, ErrIssued
	}
	return k.Customer(ctx, id)
}

// CheckoutKey gives the idempotency key of a checkout that a caller began for a
// customer: the same one until a moment that the first call sets. It is the
// caller's own: whoever has a checkout can ask for its key.
func (k Customers) CheckoutKey(ctx context.Context, id apikey.CustomerID, caller string, until time.Time) (string, error) {
	key := Key{"CHECKOUT#" + string(id), "BY#" + caller}
	text, err := createOrGet(ctx, k.Table, Item{Key: key, Data: []byte(rand.Text()), Expires: until})
	if err != nil {
		return "", fmt.Errorf("store checkout: %w", err)
	}
	return string(text), nil
}

func subscriptionKey(subscription string) Key { return Key{"SUBSCRIPTION#" + subscription, "CUSTOMER"} }

// LinkSubscription records whose a subscription is. The first to say so is right.
func (k Customers) LinkSubscription(ctx context.Context, subscription string, id apikey.CustomerID) error {
	err := k.Table.Write(ctx, Op{Mode: Create, Item: Item{Key: subscriptionKey(subscription), Data: []byte(id)}})
	if err != nil && !errors.Is(err, ErrExists) {
		return fmt.Errorf("store subscription: %w", err)
	}
	return nil
}

// SubscriptionOwner gives whose a subscription is, or ErrNotFound.
func (k Customers) SubscriptionOwner(ctx context.Context, subscription string) (apikey.CustomerID, error) {
	item, err := k.Table.Get(ctx, subscriptionKey(subscription), Strong)
	if err != nil {
		return "", fmt.Errorf("find owner of subscription: %w", err)
	}
	return apikey.CustomerID(item.Data), nil
}
