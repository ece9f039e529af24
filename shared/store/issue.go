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

// Issue mints a key for a customer and puts it in the place of the one before, in one write with
// what change does; change may be nil. The key's text is stored nowhere. Where the write's
// outcome is unknown the text is lost: issuing again revokes what may have been written.
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
	// Of the customer as read: work to leave in the named outbox, "" for none; may be nil
	Job func(Customer) (string, Job)
	// Note, where set, is left together with the rest: of the key that was minted, or of "" where none was.
	Note func(key string) (Note, error)
}

// issue is one call of IssueOnce.
type issue struct {
	Customers
	id     apikey.CustomerID
	once   Once
	minted string
	hash   apikey.Hash // of the minted key
	now    time.Time
	// mark names the key that was minted for it. So a try that finds the mark
	// can tell whether it is its own, written by an earlier try whose answer was lost.
	mark Item
}

// IssueOnce is Issue for something that entitles to a key once: the mark that it was used, the
// customer and the job are written together. ErrIssued where the mark is there already. Where
// Keep says so, the current key stays valid and text is empty.
func (k Customers) IssueOnce(
	ctx context.Context, random io.Reader, id apikey.CustomerID, now time.Time, once Once,
) (text string, stored Customer, err error) {
	i := issue{Customers: k, id: id, once: once, now: now, mark: Item{Key: markKey(once.What)}}
	i.minted, i.hash, err = apikey.Mint(random, id)
	if err == nil {
		i.mark.Data, err = once.mark(id, i.hash)
	}
	if err == nil {
		err = retryWhile(ctx, issueOnceTries, func() (err error) {
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

func issueOnceTries(err error) int {
	switch {
	case isConflict(err):
		return maxTries
	case errors.Is(err, ErrUnavailable):
		return unknownTries
	}
	return 1
}

// try writes the mark and what it entitles to. Where that fails, the mark says whether it
// has taken effect all the same. The mark of another caller ends it, or gives way.
func (i issue) try(ctx context.Context) (Customer, error) {
	c, fault := i.orNew(ctx, i.id)
	if fault == nil {
		c, fault = i.use(ctx, c, writes{ops: []Op{over(i.mark)}})
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

// use changes a customer as once says, and writes it with the job and what else there is, such as the mark.
func (i issue) use(ctx context.Context, c Customer, w writes) (Customer, error) {
	if i.once.Job != nil {
		if outbox, job := i.once.Job(c); outbox != "" {
			w.leave(Outbox{Table: i.Table, Name: outbox}, job)
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
	w.put(over(c.item()), c)
	err := w.to(ctx, i.Table)
	i.changed(c.ID)
	return c, err
}
