package store

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
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
	By     apikey.CustomerID `json:"by"`   // empty: who claimed it was erased
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
func (k Customers) takeOver(ctx context.Context, id apikey.CustomerID, once Once, minted string, hash apikey.Hash, now time.Time, mark Item, data []byte) (Customer, error) {
	var held claimMark
	if once.Claim == nil || !once.Claim.Proven || json.Unmarshal(mark.Data, &held) != nil || held.Proven || held.By == id {
		return Customer{}, ErrIssued
	}
	mark.Data = data
	writes := []Op{{Mode: Replace, Item: mark}}
	if held.By != "" {
		back, err := k.takeBack(ctx, held.By, once)
		switch {
		case err == nil:
			writes = append(writes, back)
		case !errors.Is(err, ErrNotFound): // of who is not there nothing has to be taken
			return Customer{}, err
		}
	}
	c, err := k.orNew(ctx, id)
	if err != nil {
		return Customer{}, err
	}
	err = k.use(ctx, once, &c, minted, hash, now, writes...)
	if held.By != "" {
		k.changed(held.By)
	}
	return c, err
}

// takeBack is the write that undoes what a claim did for who made it.
func (k Customers) takeBack(ctx context.Context, id apikey.CustomerID, once Once) (Op, error) {
	before, err := k.Customer(ctx, id)
	if err != nil {
		return Op{}, err
	}
	once.Claim.TakeBack(&before)
	before.Claimed = slices.DeleteFunc(before.Claimed, func(what string) bool { return what == once.What })
	return put(before)
}

// reclaim gives the writes by which what one customer claimed without proof is
// another's; by nobody's, where that is "". A mark that is no claim of the
// customer's any more is left alone.
func (k Customers) reclaim(ctx context.Context, c Customer, by apikey.CustomerID) (writes []Op, err error) {
	for _, what := range c.Claimed {
		mark, err := k.Table.Get(ctx, Key{"CASHED#" + what, "MARK"}, Strong)
		if errors.Is(err, ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		var held claimMark
		if json.Unmarshal(mark.Data, &held) != nil || held.By != c.ID {
			continue
		}
		held.By = by
		if mark.Data, err = json.Marshal(held); err != nil {
			return nil, err
		}
		writes = append(writes, Op{Mode: Replace, Item: mark})
	}
	return writes, nil
}
