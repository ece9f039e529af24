package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"verdetto/shared/apikey"
)

// Customers stores one item a customer: the hash of the current key and the end
// of the plan. Writing a new hash is what revokes the old key (keys: CUSTOMER,
// CASHED, SUBSCRIPTION).
type Customers struct {
	Table Table
	// Changed, where set, is told of every customer that was, or may have been, written.
	Changed func(apikey.CustomerID)
}

// Customer is what is stored of one. It holds no address and no key.
type Customer struct {
	ID     apikey.CustomerID `json:"-"`
	Hash   []byte            `json:"hash,omitempty"` // of the current key; empty: none was issued
	Issued time.Time         `json:"issued"`         // when the current key was
	// What the plan rests on: it lasts as long as the longest of these.
	Until  time.Time            `json:"until"`           // given by the operator
	Crypto time.Time            `json:"crypto"`          // paid in USDC
	Cards  map[string]time.Time `json:"cards,omitempty"` // by subscription: the end of what was paid for
	// Claimed names payments that were claimed without a memo that binds them, by
	// their marks: those name the customer, and follow her where she goes.
	Claimed []string `json:"claimed,omitempty"`
	// What recoveries of the key leave: see recovery.go.
	// a fresh key that is being mailed; it is refused until Activate
	Pending      *KeyHash  `json:"pending,omitempty"`
	Former       *KeyHash  `json:"former,omitempty"`      // the key before the first recovery that can be undone
	Voided       []byte    `json:"voided,omitempty"`      // hash of the fresh key that was undone last
	Rotated      *KeyHash  `json:"rotated,omitempty"`     // the key that was rotated away last
	GuardedUntil time.Time `json:"guardedUntil,omitzero"` // until then a recovery has to be confirmed by mail
	Guard        bool      `json:"guard,omitempty"`       // and at all times, as the owner has set
	Version      int64     `json:"-"`
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

// Rest is one of the things that a plan rests on.
type Rest struct {
	By    string // card, usdc or operator
	Until time.Time
}

// RestsOn is what the plan rests on, the latest end first; by card grace included.
func (c Customer) RestsOn() []Rest {
	all := []Rest{{"operator", c.Until}, {"usdc", c.Crypto}}
	for _, paid := range c.Cards {
		all = append(all, Rest{"card", paid.Add(apikey.Grace)})
	}
	all = slices.DeleteFunc(all, func(r Rest) bool { return r.Until.IsZero() })
	slices.SortFunc(all, func(a, b Rest) int {
		return cmp.Or(b.Until.Compare(a.Until), strings.Compare(a.By, b.By))
	})
	return all
}

// Holds tells whether a key is the customer's current one.
func (c Customer) Holds(k apikey.Key) bool {
	return len(c.Hash) == len(apikey.Hash{}) && k.Matches(apikey.Hash(c.Hash))
}

// HasLiveKey tells whether a key was issued whose plan holds at a moment.
func (c Customer) HasLiveKey(now time.Time) bool { return len(c.Hash) > 0 && c.Plan().Live(now) }

// replaceKey puts a key's hash in the place of the one before, for good.
func (c *Customer) replaceKey(hash apikey.Hash, now time.Time) {
	c.Hash, c.Issued = hash[:], now.UTC().Truncate(time.Second)
	c.Former, c.Pending, c.Rotated = nil, nil, nil
}

func customerKey(id apikey.CustomerID) Key { return Key{"CUSTOMER#" + string(id), "KEY"} }

// Customer reads a customer, strongly: a replaced key is refused on the very
// next read. ErrNotFound where there is none.
func (k Customers) Customer(ctx context.Context, id apikey.CustomerID) (Customer, error) {
	c, item, err := get[Customer](ctx, k.Table, customerKey(id), Strong)
	if err != nil {
		return Customer{}, fmt.Errorf("read customer: %w", err)
	}
	c.ID, c.Version = id, item.Version
	return c, nil
}

// Put writes a customer over the version it was read at; 0 is a new one.
func (k Customers) Put(ctx context.Context, c Customer) error {
	err := write(ctx, k.Table, over(c.item()), c)
	k.changed(c.ID)
	return wrap(err, "write customer")
}

func (k Customers) changed(id apikey.CustomerID) {
	if k.Changed != nil {
		k.Changed(id)
	}
}

// item is where the customer is stored, at the version that was read.
func (c Customer) item() Item { return Item{Key: customerKey(c.ID), Version: c.Version} }

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

func subscriptionKey(subscription string) Key { return Key{"SUBSCRIPTION#" + subscription, "CUSTOMER"} }

// LinkSubscription records whose a subscription is. The first to say so is right.
func (k Customers) LinkSubscription(ctx context.Context, subscription string, id apikey.CustomerID) error {
	err := k.Table.Write(ctx, over(Item{Key: subscriptionKey(subscription), Data: []byte(id)}))
	return wrap(unless(err, ErrExists), "store subscription")
}

// SubscriptionOwner gives whose a subscription is, or ErrNotFound.
func (k Customers) SubscriptionOwner(ctx context.Context, subscription string) (apikey.CustomerID, error) {
	item, err := k.Table.Get(ctx, subscriptionKey(subscription), Strong)
	return apikey.CustomerID(item.Data), wrap(err, "find owner of subscription")
}
