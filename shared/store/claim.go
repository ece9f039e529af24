package store

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"verdetto/shared/apikey"
)

// Claim describes how a single-use entitlement was claimed: see Once.
type Claim struct {
	Proven   bool            // the claimer proved to be the payer
	TakeBack func(*Customer) // undoes Change for an earlier claimer without proof
}

// claimMark is the content of the mark of a claim. The mark of a final entitlement holds only the
// hash, as in earlier versions.
type claimMark struct {
	Hash    []byte            `json:"hash"` // of the key that was minted for the claim
	Claimer apikey.CustomerID `json:"by"`   // empty: the claimer was erased
	Proven  bool              `json:"proven"`
}

func markKey(what string) Key { return Key{"CASHED#" + what, "MARK"} }

// mark returns the content of the mark that the entitlement is used.
func (o Once) mark(id apikey.CustomerID, hash apikey.Hash) ([]byte, error) {
	if o.Claim == nil {
		return hash[:], nil
	}
	return json.Marshal(claimMark{hash[:], id, o.Claim.Proven})
}

// takeOver moves an entitlement, in one write, from a claimer without proof to the claimer with
// proof. It moves the mark and the purchase. In all other cases it fails with ErrIssued.
func (i issue) takeOver(ctx context.Context, mark Item) (Customer, error) {
	var held claimMark
	if i.once.Claim == nil || !i.once.Claim.Proven || json.Unmarshal(mark.Data, &held) != nil || held.Proven ||
		held.Claimer == i.id {
		return Customer{}, ErrIssued
	}
	mark.Data = i.mark.Data
	w := writes{ops: []Op{replace(mark)}}
	if held.Claimer != "" {
		before, err := i.Customer(ctx, held.Claimer)
		switch {
		case err == nil:
			i.once.Claim.TakeBack(&before)
			before.Claimed = slices.DeleteFunc(before.Claimed, func(what string) bool { return what == i.once.What })
			w.addRecord(replace(before.item()), before)
		case !errors.Is(err, ErrNotFound): // an erased claimer has nothing to give back
			return Customer{}, err
		}
		defer i.changed(held.Claimer)
	}
	c, err := i.orNew(ctx, i.id)
	if err != nil {
		return Customer{}, err
	}
	return i.use(ctx, c, w)
}

// reclaim adds the writes that transfer a customer's unproven claims to another customer. If by is
// empty, the claims keep no customer. It skips marks that no longer name the customer.
func (k Customers) reclaim(ctx context.Context, w *writes, c Customer, by apikey.CustomerID) error {
	for _, what := range c.Claimed {
		mark, err := k.Table.Get(ctx, markKey(what), Strong)
		if errors.Is(err, ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		var held claimMark
		if json.Unmarshal(mark.Data, &held) == nil && held.Claimer == c.ID {
			held.Claimer = by
			w.addRecord(replace(mark), held)
		}
	}
	return nil
}
