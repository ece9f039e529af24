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

// Issue mints a key for a customer and puts it in the place of the one before,
// in one write with whatever change does; change may be nil. The key's text is
// returned this once and is stored nowhere. Where the write's outcome is
// unknown the text is lost: issuing again revokes what may have been written.
func (k Customers) Issue(ctx context.Context, random io.Reader, id apikey.CustomerID, now time.Time, change func(*Customer) error) (text string, err error) {
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

// ErrIssued: a key was issued for this already.
var ErrIssued = errors.New("a key was issued for this already")

// unknownTries is how often IssueOnce tries where it cannot tell how a write ended.
const unknownTries = 4

// Once is something that entitles to a key, or to a longer plan, once, ever:
// a checkout, a payment.
type Once struct {
	What   string              // names it, for ever
	Keep   func(Customer) bool // of the customer as read: the current key stays, and none is minted
	Change func(*Customer)     // what it does to the plan; may be nil
	// Claim, where set, says how sure it is whose it was: a claim without proof
	// gives way to one with proof. Where not, the mark is final.
	Claim *Claim
	Job   func(Customer) (string, Job) // of the customer as read: work to leave in the named outbox, "" for none; may be nil
	// Note, where set, is left together with the rest: of the key that was minted, or of "" where none was.
	Note func(key string) (Note, error)
}

// IssueOnce is Issue for something that entitles to a key once: the mark that it
// was used, the customer and the job are written together or not at all.
// ErrIssued where the mark is there already. Where Keep says so, the current key
// stays valid and text is empty. The customer comes back as it is stored.
func (k Customers) IssueOnce(ctx context.Context, random io.Reader, id apikey.CustomerID, now time.Time, once Once) (text string, stored Customer, err error) {
	minted, hash, err := apikey.Mint(random, id)
	if err != nil {
		return "", Customer{}, fmt.Errorf("issue key: %w", err)
	}
	data, err := once.mark(id, hash)
	if err != nil {
		return "", Customer{}, fmt.Errorf("issue key: %w", err)
	}
	// The mark names the key that was minted for it: so a try that finds the mark
	// can tell whether it is its own, written by an earlier try whose answer was lost.
	mark := Item{Key: Key{"CASHED#" + once.What, "MARK"}, Data: data}
	err = retryWhile(ctx, issueOnceTries, func() error {
		c, err := k.orNew(ctx, id)
		if err == nil {
			err = k.use(ctx, once, &c, minted, hash, now, Op{Mode: Create, Item: mark})
		}
		if err != nil {
			c, err = k.outcome(ctx, id, once, minted, hash, now, mark, err)
		}
		stored = c
		return err
	})
	if err != nil {
		return "", Customer{}, fmt.Errorf("issue key: %w", err)
	}
	if bytes.Equal(stored.Hash, hash[:]) {
		text = minted
	}
	return text, stored, nil
}

func issueOnceTries(err error) int {
	switch {
	case isConflict(err):
		return maxTries
	case errors.Is(err, ErrUnavailable):
		return unknownTries
	}
	return 1
}

// use changes a customer as once says, and writes it with the job and what else there is, such as the mark.
func (k Customers) use(ctx context.Context, once Once, c *Customer, minted string, hash apikey.Hash, now time.Time, also ...Op) error {
	if once.Job != nil {
		if outbox, job := once.Job(*c); outbox != "" {
			op, err := Outbox{Table: k.Table, Name: outbox}.put(job)
			if err != nil {
				return err
			}
			also = append(also, op)
		}
	}
	if once.Keep(*c) {
		minted = ""
	} else {
		c.replaceKey(hash, now)
	}
	if once.Change != nil {
		once.Change(c)
	}
	if once.Claim != nil && !slices.Contains(c.Claimed, once.What) {
		c.Claimed = append(c.Claimed, once.What)
	}
	if once.Note != nil {
		note, err := once.Note(minted)
		if err != nil {
			return err
		}
		also = append(also, note.op())
	}
	op, err := put(*c)
	if err != nil {
		return err
	}
	err = k.Table.Write(ctx, append(also, op)...)
	k.changed(c.ID)
	return err
}

// outcome tells by its mark whether a write that ended with an error has taken
// effect, and gives the customer if so. If not, the error stands. A mark of
// somebody else's ends it, or gives way.
func (k Customers) outcome(ctx context.Context, id apikey.CustomerID, once Once, minted string, hash apikey.Hash, now time.Time, mark Item, fault error) (Customer, error) {
	item, err := k.Table.Get(ctx, mark.Key, Strong)
	switch {
	case errors.Is(err, ErrNotFound):
		return Customer{}, fault
	case err != nil:
		return Customer{}, err
	case !bytes.Equal(item.Data, mark.Data):
		return k.takeOver(ctx, id, once, minted, hash, now, item, mark.Data)
	}
	return k.Customer(ctx, id)
}
