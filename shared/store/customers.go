package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"verdetto/shared/apikey"
)

type Customers struct {
	Table Table
	// Changed, if set, is called after each write that may have made a key of the customer valid, even if the outcome
	// of the write is unknown.
	Changed func(apikey.CustomerID)
}

// Customer holds no mail address, and only hashes of keys.
type Customer struct {
	ID       apikey.CustomerID    `json:"-"`
	Hash     []byte               `json:"hash,omitempty"`
	IssuedAt time.Time            `json:"issued"`
	Until    time.Time            `json:"until"`           // end of the time granted by the operator
	Crypto   time.Time            `json:"crypto"`          // end of the time paid in USDC
	Cards    map[string]time.Time `json:"cards,omitempty"` // end of the paid time, by card subscription
	// Claimed lists the payments that the customer used with a Claim.
	Claimed []string `json:"claimed,omitempty"`
	// Pending is the hash of a new key, which the API refuses until Activate makes that key current.
	Pending *KeyHash `json:"pending,omitempty"`
	// Former is the hash of the key that Undo restores.
	Former *KeyHash `json:"former,omitempty"`
	// Voided is the hash of the key that the last undone recovery created.
	Voided []byte `json:"voided,omitempty"`
	// Rotated is the hash of the key that the last rotation replaced.
	Rotated *KeyHash `json:"rotated,omitempty"`
	// GuardedUntil is the time until which a recovery of a lost key needs a confirmation by mail.
	GuardedUntil time.Time `json:"guardedUntil,omitzero"`
	Version      int64     `json:"-"`
}

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

type Rest struct {
	Source string
	Until  time.Time
}

// Sources is sorted by end, the latest first. The end of a card subscription includes the grace period.
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

func (c Customer) HasKey(k apikey.Key) bool {
	return len(c.Hash) == len(apikey.Hash{}) && k.Matches(apikey.Hash(c.Hash))
}

func (c Customer) HasLiveKey(now time.Time) bool { return len(c.Hash) > 0 && c.Plan().Live(now) }

// replaceKey also makes former, pending and rotated keys invalid.
func (c *Customer) replaceKey(hash apikey.Hash, now time.Time) {
	c.Hash, c.IssuedAt = hash[:], now.UTC().Truncate(time.Second)
	c.Former, c.Pending, c.Rotated = nil, nil, nil
}

func customerKey(id apikey.CustomerID) Key { return Key{"CUSTOMER#" + string(id), "KEY"} }

func (k Customers) Customer(ctx context.Context, id apikey.CustomerID) (Customer, error) {
	c, item, err := get[Customer](ctx, k.Table, customerKey(id), Strong)
	if err != nil {
		return Customer{}, fmt.Errorf("read customer: %w", err)
	}
	c.ID, c.Version = id, item.Version
	return c, nil
}

// Put fails if the stored version is not c.Version; 0 creates a customer.
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

func (c Customer) item() Item { return Item{Key: customerKey(c.ID), Version: c.Version} }

// Change may call change several times. A new customer has only ID set.
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

func (k Customers) orNew(ctx context.Context, id apikey.CustomerID) (Customer, error) {
	c, err := k.Customer(ctx, id)
	if errors.Is(err, ErrNotFound) {
		return Customer{ID: id}, nil
	}
	return c, err
}

func subscriptionKey(subscription string) Key { return Key{"SUBSCRIPTION#" + subscription, "CUSTOMER"} }

// LinkSubscription has no effect on a subscription that has an owner.
func (k Customers) LinkSubscription(ctx context.Context, subscription string, id apikey.CustomerID) error {
	err := k.Table.Write(ctx, replace(Item{Key: subscriptionKey(subscription), Data: []byte(id)}))
	return wrap(unless(err, ErrExists), "store subscription")
}

func (k Customers) SubscriptionOwner(ctx context.Context, subscription string) (apikey.CustomerID, error) {
	item, err := k.Table.Get(ctx, subscriptionKey(subscription), Strong)
	return apikey.CustomerID(item.Data), wrap(err, "find owner of subscription")
}

type KeyHash struct {
	Hash []byte    `json:"hash"`
	At   time.Time `json:"at"`
}

func (k *KeyHash) is(hash []byte) bool { return k != nil && bytes.Equal(k.Hash, hash) }
