package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"verdetto/shared/apikey"
)

// Issue makes the previous key invalid. If Issue fails, a key whose text is lost may be stored; another Issue replaces
// that key.
func (k Customers) Issue(
	ctx context.Context, random io.Reader, id apikey.CustomerID, now time.Time, change func(*Customer) error,
) (text string, err error) {
	err = k.Change(ctx, id, func(c *Customer) error {
		minted, hash, err := apikey.Mint(random, id)
		if err != nil {
			return err
		}
		text = minted
		c.replaceKey(hash, now)
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

var ErrIssued = errors.New("a key was issued for this already")

const unknownTries = 4

type Once struct {
	What   string
	Keep   func(Customer) bool
	Change func(*Customer)
	// Subscription, if set, is a card subscription that becomes the customer's, unless the subscription has an owner.
	Subscription string
	// Claim, if set, lets a customer with proof take the payment over from a customer without proof.
	Claim *Claim
	Job   func(Customer) (string, Job)
	// Note, if set, returns a note to store in the same write. key is empty if the customer keeps the current key.
	Note func(key string) (Note, error)
}

type issue struct {
	Customers
	id     apikey.CustomerID
	once   Once
	minted string
	hash   apikey.Hash
	now    time.Time
	// mark records that the payment was used. A retry recognizes an earlier try by the hash in mark.
	mark Item
}

// IssueOnce fails with ErrIssued if the payment was used, unless once.Claim allows a takeover. text is empty if the
// customer keeps the current key.
func (k Customers) IssueOnce(
	ctx context.Context, random io.Reader, id apikey.CustomerID, now time.Time, once Once,
) (text string, stored Customer, err error) {
	i := issue{Customers: k, id: id, once: once, now: now, mark: Item{Key: markKey(once.What)}}
	i.minted, i.hash, err = apikey.Mint(random, id)
	if err == nil {
		i.mark.Data, err = once.mark(id, i.hash)
	}
	if err == nil {
		err = retryWhile(ctx, tries, func() (err error) {
			stored, err = i.try(ctx)
			return err
		})
	}
	if err != nil {
		return "", Customer{}, fmt.Errorf("issue key: %w", err)
	}
	if bytes.Equal(stored.Hash, i.hash[:]) {
		text = i.minted
	}
	return text, stored, nil
}

func tries(err error) int {
	switch {
	case isConflict(err):
		return maxTries
	case errors.Is(err, ErrUnavailable):
		return unknownTries
	}
	return 1
}

// If the write fails, try reads the stored mark, because the write may still have taken effect.
func (i issue) try(ctx context.Context) (Customer, error) {
	c, fault := i.orNew(ctx, i.id)
	if fault == nil {
		c, fault = i.use(ctx, c, writes{ops: []Op{replace(i.mark)}})
	}
	if fault == nil {
		return c, nil
	}
	mark, err := i.Table.Get(ctx, i.mark.Key, Strong)
	switch {
	case errors.Is(err, ErrNotFound):
		return Customer{}, fault
	case err != nil:
		return Customer{}, err
	case !bytes.Equal(mark.Data, i.mark.Data):
		return i.takeOver(ctx, mark)
	}
	return i.Customer(ctx, i.id)
}

func (i issue) use(ctx context.Context, c Customer, w writes) (Customer, error) {
	if i.once.Job != nil {
		if outbox, job := i.once.Job(c); outbox != "" {
			w.addJobs(Outbox{Table: i.Table, Name: outbox}, job)
		}
	}
	minted := i.minted
	if i.once.Keep(c) {
		minted = ""
	} else {
		c.replaceKey(i.hash, i.now)
	}
	if i.once.Change != nil {
		i.once.Change(&c)
	}
	if i.once.Claim != nil && !slices.Contains(c.Claimed, i.once.What) {
		c.Claimed = append(c.Claimed, i.once.What)
	}
	if i.once.Note != nil {
		note, err := i.once.Note(minted)
		if err != nil {
			return c, err
		}
		w.add(note.op())
	}
	if i.once.Subscription != "" {
		switch _, err := i.SubscriptionOwner(ctx, i.once.Subscription); {
		case errors.Is(err, ErrNotFound):
			w.add(replace(Item{Key: subscriptionKey(i.once.Subscription), Data: []byte(c.ID)}))
		case err != nil:
			return c, err
		}
	}
	w.addRecord(replace(c.item()), c)
	err := w.commit(ctx, i.Table)
	i.changed(c.ID)
	return c, err
}

// A customer who is not Proven may merely have seen the payment on the chain.
type Claim struct {
	Proven   bool
	TakeBack func(*Customer)
}

// claimMark is the stored mark of a payment with a Claim. The mark of a payment without a Claim is
// the hash of the key.
type claimMark struct {
	Hash    []byte            `json:"hash"`
	Claimer apikey.CustomerID `json:"by"`
	Proven  bool              `json:"proven"`
}

func markKey(what string) Key { return Key{"CASHED#" + what, "MARK"} }

func (o Once) mark(id apikey.CustomerID, hash apikey.Hash) ([]byte, error) {
	if o.Claim == nil {
		return hash[:], nil
	}
	return json.Marshal(claimMark{hash[:], id, o.Claim.Proven})
}

// takeOver moves a used payment from a customer without proof to a customer with proof, in one write.
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
		case !errors.Is(err, ErrNotFound):
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

// reclaim makes by the claimer of the payments that c has claimed. An empty by means that the payments then have no
// claimer. Payments that another customer has taken over are skipped.
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
