package store

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"verdetto/shared/apikey"
)

// Claim says how certain it is that a customer owns a payment that can be used once (see Once).
// Only the payer has proof; other customers may merely know that the payment exists.
type Claim struct {
	Proven   bool
	TakeBack func(*Customer) // undoes Change for an earlier claimer who had no proof
}

// claimMark records that a payment was used. For a payment without a Claim, the stored item is only
// the hash of the key, as in earlier versions.
type claimMark struct {
	Hash    []byte            `json:"hash"` // of the key that was created for the claim
	Claimer apikey.CustomerID `json:"by"`   // empty: the data of the claimer were erased
	Proven  bool              `json:"proven"`
}

func markKey(what string) Key { return Key{"CASHED#" + what, "MARK"} }

func (o Once) mark(id apikey.CustomerID, hash apikey.Hash) ([]byte, error) {
	if o.Claim == nil {
		return hash[:], nil
	}
	return json.Marshal(claimMark{hash[:], id, o.Claim.Proven})
}

// takeOver moves a payment from a customer without proof to the customer with proof: one write
// changes the record of use and both plans. In all other cases it fails with ErrIssued.
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
		case !errors.Is(err, ErrNotFound): // the claimer was erased, so there is no plan to shorten
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

// reclaim adds writes that transfer the payments that c claimed without proof to another customer,
// or to nobody if by is empty. It skips payments that another customer has taken over.
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
