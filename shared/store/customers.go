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

// Customers stores one item per customer: the hash of the current key and the end of the plan.
// Writing a new hash makes the old key invalid (keys: CUSTOMER, CASHED, SUBSCRIPTION).
type Customers struct {
	Table Table
	// Changed, if set, is called for each customer that a write has changed, or may have changed.
	Changed func(apikey.CustomerID)
}

// Customer is the stored state of a customer. It holds no address and no key.
type Customer struct {
	ID       apikey.CustomerID `json:"-"`
	Hash     []byte            `json:"hash,omitempty"` // of the current key; empty: no key
	IssuedAt time.Time         `json:"issued"`         // time of issue of the current key
	// The plan ends at the latest of the following three times.
	Until  time.Time            `json:"until"`           // granted by the operator
	Crypto time.Time            `json:"crypto"`          // paid in USDC
	Cards  map[string]time.Time `json:"cards,omitempty"` // end of paid time, by subscription
	// Claimed lists the keys of the items which record that a payment was used (see claimMark),
	// for payments claimed without proof. Each such item holds the customer's id. So a change of
	// the id must rewrite these items.
	Claimed []string `json:"claimed,omitempty"`
	// The following fields record recoveries of a lost key: see recovery.go. Pending is a new key
	// that is being mailed; the API refuses it until Activate.
	Pending *KeyHash `json:"pending,omitempty"`
	// Former is the key that was valid before the first recovery that can still be undone.
	Former *KeyHash `json:"former,omitempty"`
	// Voided is the hash of the new key of the recovery that was undone last.
	Voided []byte `json:"voided,omitempty"`
	// Rotated is the former key of the last rotation.
	Rotated *KeyHash `json:"rotated,omitempty"`
	// GuardedUntil is the time until which a recovery needs confirmation by mail.
	GuardedUntil time.Time `json:"guardedUntil,omitzero"`
	// Guard is a setting of the customer: every recovery needs confirmation by mail.
	Guard   bool  `json:"guard,omitempty"`
	Version int64 `json:"-"`
}

// Plan returns the plan of the customer, including the grace period.
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

// Rest is one payment or grant that a plan rests on.
type Rest struct {
	Source string // card, usdc or operator
	Until  time.Time
}

// Sources returns the payments and grants behind the plan, the latest end first. For card
// subscriptions, the end includes the grace period.
func (c Customer) Sources() []Rest {
	all := []Rest{{"operator", c.Until}, {"usdc", c.Crypto}}
	for _, paid := range c.Cards {
		all = append(all, Rest{"card", paid.Add(apikey.Grace)})
	}
	all = slices.DeleteFunc(all, func(r Rest) bool { return r.Until.IsZero() })
	slices.SortFunc(all, func(a, b Rest) int {
		return cmp.Or(b.Until.Compare(a.Until), strings.Compare(a.Source, b.Source))
	})
	return all
}

// HasKey reports whether a key is the current key of the customer.
func (c Customer) HasKey(k apikey.Key) bool {
	return len(c.Hash) == len(apikey.Hash{}) && k.Matches(apikey.Hash(c.Hash))
}

// HasLiveKey reports whether the customer has a key and the plan has not ended.
func (c Customer) HasLiveKey(now time.Time) bool { return len(c.Hash) > 0 && c.Plan().Live(now) }

// replaceKey makes a hash the current key. The previous keys cannot be restored.
func (c *Customer) replaceKey(hash apikey.Hash, now time.Time) {
	c.Hash, c.IssuedAt = hash[:], now.UTC().Truncate(time.Second)
	c.Former, c.Pending, c.Rotated = nil, nil, nil
}

func customerKey(id apikey.CustomerID) Key { return Key{"CUSTOMER#" + string(id), "KEY"} }

// Customer returns a customer, or ErrNotFound. The read is strong, so a replaced key is refused at
// once.
func (k Customers) Customer(ctx context.Context, id apikey.CustomerID) (Customer, error) {
	c, item, err := get[Customer](ctx, k.Table, customerKey(id), Strong)
	if err != nil {
		return Customer{}, fmt.Errorf("read customer: %w", err)
	}
	c.ID, c.Version = id, item.Version
	return c, nil
}

// Put writes a customer. It fails with ErrConflict if the stored version is not the version of c.
// Version 0 creates a new customer.
func (k Customers) Put(ctx context.Context, c Customer) error {
	err := write(ctx, k.Table, replace(c.item()), c)
	k.changed(c.ID)
	return wrap(err, "write customer")
}

func (k Customers) changed(id apikey.CustomerID) {
	if k.Changed != nil {
		k.Changed(id)
	}
}

// item returns the key and version for a write of the customer.
func (c Customer) item() Item { return Item{Key: customerKey(c.ID), Version: c.Version} }

// Change reads a customer, calls change and writes the result. It starts over after a conflict with
// another writer. A customer that does not exist yet has only its id.
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

// orNew reads a customer, or returns a new one with only its id.
func (k Customers) orNew(ctx context.Context, id apikey.CustomerID) (Customer, error) {
	c, err := k.Customer(ctx, id)
	if errors.Is(err, ErrNotFound) {
		return Customer{ID: id}, nil
	}
	return c, err
}

func subscriptionKey(subscription string) Key { return Key{"SUBSCRIPTION#" + subscription, "CUSTOMER"} }

// LinkSubscription records which customer owns a subscription. A later call for the same
// subscription changes nothing.
func (k Customers) LinkSubscription(ctx context.Context, subscription string, id apikey.CustomerID) error {
	err := k.Table.Write(ctx, replace(Item{Key: subscriptionKey(subscription), Data: []byte(id)}))
	return wrap(unless(err, ErrExists), "store subscription")
}

// SubscriptionOwner returns the owner of a subscription, or ErrNotFound.
func (k Customers) SubscriptionOwner(ctx context.Context, subscription string) (apikey.CustomerID, error) {
	item, err := k.Table.Get(ctx, subscriptionKey(subscription), Strong)
	return apikey.CustomerID(item.Data), wrap(err, "find owner of subscription")
}
