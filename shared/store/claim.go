package store

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

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

func markKey(what string) Key { return Key{"CASHED#" + what, "MARK"} }

// mark is what marks it as used.
func (o Once) mark(id apikey.CustomerID, hash apikey.Hash) ([]byte, error) {
	if o.Claim == nil {
		return hash[:], nil
	}
	return json.Marshal(claimMark{hash[:], id, o.Claim.Proven})
}

// takeOver moves what was claimed without proof by somebody else to who has
// proof: the mark, and what it bought, in one write. ErrIssued in every other case.
func (i issue) takeOver(ctx context.Context, mark Item) (Customer, error) {
	var held claimMark
	if i.once.Claim == nil || !i.once.Claim.Proven || json.Unmarshal(mark.Data, &held) != nil || held.Proven ||
		held.By == i.id {
		return Customer{}, ErrIssued
	}
	mark.Data = i.mark.Data
	w := writes{ops: []Op{over(mark)}}
	if held.By != "" {
		before, err := i.Customer(ctx, held.By)
		switch {
		case err == nil:
			i.once.Claim.TakeBack(&before)
			before.Claimed = slices.DeleteFunc(before.Claimed, func(what string) bool { return what == i.once.What })
			w.put(over(before.item()), before)
		case !errors.Is(err, ErrNotFound): // of who is not there nothing has to be taken
			return Customer{}, err
		}
		defer i.changed(held.By)
	}
	c, err := i.orNew(ctx, i.id)
	if err != nil {
		return Customer{}, err
	}
	return i.use(ctx, c, w)
}

// reclaim adds the writes by which what one customer claimed without proof is
// another's; by nobody's, where that is "". A mark that is no claim of the
// customer's any more is left alone.
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
		if json.Unmarshal(mark.Data, &held) == nil && held.By == c.ID {
			held.By = by
			w.put(over(mark), held)
		}
	}
	return nil
}
