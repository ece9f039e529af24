package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"verdetto/shared/apikey"
)

// Issue creates a new key for a customer and makes the previous key invalid. The same write applies
// change to the customer, unless change is nil. The text of the key is not stored: if the outcome
// of the write is unknown, the text is lost, and another Issue must replace the key.
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

// ErrIssued means that a key was already issued for this checkout or payment.
var ErrIssued = errors.New("a key was issued for this already")

// unknownTries is the maximum number of tries of IssueOnce and Rotate if the outcome of a write is unknown.
const unknownTries = 4

// Once is a checkout or payment that can be used once, for a new key or a longer plan.
type Once struct {
	What   string              // unique, permanent name of the checkout or payment
	Keep   func(Customer) bool // whether the customer keeps the current key
	Change func(*Customer)     // applies the payment to the plan; may be nil
	// Subscription, if set, is a card subscription that belongs to the customer, unless it has an owner.
	Subscription string
	// Claim, if set, says how certain the owner is: proof overrides a claim without proof. If nil,
	// the first use is final.
	Claim *Claim
	// Job, if set, returns a job to add and the name of its outbox; an empty name means no job.
	Job func(Customer) (string, Job)
	// Note, if set, returns a note to store in the same write. key is the text of the new key, or
	// "" if the customer keeps the current key.
	Note func(key string) (Note, error)
}

type issue struct {
	Customers
	id     apikey.CustomerID
	once   Once
	minted string
	hash   apikey.Hash // of the created key
	now    time.Time
	// mark records that the payment was used, with the hash of the created key. If a try got no
	// answer, the next try recognises the hash.
	mark Item
}

// IssueOnce is like Issue, for a checkout or payment that can be used once. One write stores the
// record of use, the customer, the owner of the subscription, the job and the note. It fails with ErrIssued if the record of use
// exists. If once.Keep returns true, the current key stays valid and text is empty.
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

// try uses the payment. If the write fails, it reads the stored record of use, because the write
// may still have taken effect. If the record is another caller's, it takes the payment over or
// fails.
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
