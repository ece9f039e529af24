package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"verdetto/shared/apikey"
)

// Keys keeps one item a customer: the hash of the current key and the end of
// the plan. Writing a new hash is what revokes the old key.
//
//	CUSTOMER#<id>   KEY
type Keys struct{ Table Table }

// Customer is what is kept of one. It holds no address and no key.
type Customer struct {
	ID      apikey.CustomerID `json:"-"`
	Hash    []byte            `json:"hash,omitempty"` // of the current key; empty: none was issued
	Until   time.Time         `json:"until"`          // end of the plan, grace included
	Issued  time.Time         `json:"issued"`         // when the current key was
	Version int64             `json:"-"`
}

// Plan is the customer's plan.
func (c Customer) Plan() apikey.Plan { return apikey.Plan{Until: c.Until} }

// Holds tells whether a key is the customer's current one.
func (c Customer) Holds(k apikey.Key) bool {
	return len(c.Hash) == len(apikey.Hash{}) && k.Matches(apikey.Hash(c.Hash))
}

func customerKey(id apikey.CustomerID) Key { return Key{"CUSTOMER#" + string(id), "KEY"} }

// Customer reads a customer, strongly: a replaced key is refused on the very
// next read. ErrNotFound where there is none.
func (k Keys) Customer(ctx context.Context, id apikey.CustomerID) (Customer, error) {
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
func (k Keys) Put(ctx context.Context, c Customer) error {
	data, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("write customer: %w", err)
	}
	op := Op{Mode: Replace, Item: Item{Key: customerKey(c.ID), Version: c.Version, Data: data}}
	if c.Version == 0 {
		op.Mode = Create
	}
	if err := k.Table.Write(ctx, op); err != nil {
		return fmt.Errorf("write customer: %w", err)
	}
	return nil
}

// Change reads a customer, lets change alter it, and writes it; where another
// writer came between, it begins again. A customer that is not there yet is
// handed to change with nothing but its id.
func (k Keys) Change(ctx context.Context, id apikey.CustomerID, change func(*Customer) error) error {
	for {
		c, err := k.Customer(ctx, id)
		if errors.Is(err, ErrNotFound) {
			c, err = Customer{ID: id}, nil
		}
		if err == nil {
			err = change(&c)
		}
		if err == nil {
			err = k.Put(ctx, c)
		}
		if !errors.Is(err, ErrConflict) && !errors.Is(err, ErrExists) {
			return err
		}
	}
}

// Issue mints a key for a customer and puts it in the place of the one before,
// in one write with whatever change does; change may be nil. The key's text is
// given back this once and is nowhere kept. Where the write's outcome is
// unknown the text is lost: issuing again revokes what may have been written.
func (k Keys) Issue(ctx context.Context, random io.Reader, id apikey.CustomerID, now time.Time, change func(*Customer) error) (text string, err error) {
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
