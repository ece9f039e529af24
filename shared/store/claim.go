package store

import (
	"context"
	"encoding/json"
	"time"

	"verdetto/shared/apikey"
)

// Claim is how something that entitles once was claimed: see Once.
type Claim struct {
	Proven   bool            // by who paid
	TakeBack func(*Customer) // undoes what Change did for the claimer before, to whom it did not belong
}

// claimMark is what the mark of a claim holds. Marks of what is final hold the
// hash alone, as those of earlier versions do.
type claimMark struct {
	Hash   []byte            `json:"hash"` // of the key that was minted for it
	By     apikey.CustomerID `json:"by"`
	Proven bool              `json:"proven"`
}

// mark is what marks it as used.
func (o Once) mark(id apikey.CustomerID, hash apikey.Hash) ([]byte, error) {
	if o.Claim == nil {
		return hash[:], nil
	}
	return json.Marshal(claimMark{hash[:], id, o.Claim.Proven})
}

// takeOver moves what was claimed without proof by somebody else to who has
// proof: the mark, and what it bought, in one write. ErrIssued in every other case.
func (k Customers) takeOver(ctx context.Context, id apikey.CustomerID, once Once, hash apikey.Hash, now time.Time, mark Item, data []byte) (Customer, error) {
	var held claimMark
	if once.Claim == nil || !once.Claim.Proven || json.Unmarshal(mark.Data, &held) != nil || held.Proven || held.By == id || held.By == "" {
		return Customer{}, ErrIssued
	}
	before, err := k.Customer(ctx, held.By)
	if err != nil {
		return Customer{}, err
	}
	once.Claim.TakeBack(&before)
	back, err := put(before)
	if err != nil {
		return Customer{}, err
	}
	c, err := k.orNew(ctx, id)
	if err != nil {
		return Customer{}, err
	}
	mark.Data = data
	err = k.use(ctx, once, &c, hash, now, Op{Mode: Replace, Item: mark}, back)
	k.changed(held.By)
	return c, err
}
