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

// Issue mints a key for a customer and replaces the current one. It applies change, which may be
// nil, in the same write. The text of the key is not stored. If the outcome of the write is
// unknown, the text is lost; another Issue revokes the lost key.
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

// ErrIssued means that a key was already issued for this entitlement.
var ErrIssued = errors.New("a key was issued for this already")

// unknownTries is how often IssueOnce tries a write whose outcome is unknown.
const unknownTries = 4

// Once is a single-use entitlement to a key or a longer plan: a checkout or a payment.
type Once struct {
	What   string              // permanent name of the entitlement
	Keep   func(Customer) bool // given the stored customer: keep the current key, mint none
	Change func(*Customer)     // applies the entitlement to the plan; may be nil
	// Claim, if set, says how certain the owner is: a claim with proof overrides a claim without.
	// If nil, the mark is final.
	Claim *Claim
	// Job returns, for the customer as read, a job and its outbox; "" means no job. May be nil.
	Job func(Customer) (string, Job)
	// Note, if set, adds a note to the write. Its key is the minted key, or "" if none was minted.
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
	// mark names the key that was minted. So a try that finds a mark can recognise its own, written
	// by an earlier try whose answer was lost.
	mark Item
}

// IssueOnce is Issue for a single-use entitlement. It writes the mark, the customer and the job
// together, and fails with ErrIssued if the mark exists. If Keep returns true, the current key
// stays valid and text is empty.
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

// try writes the mark and applies the entitlement. If the write fails, it reads the mark to see
// whether the write took effect all the same. If the mark is of another caller, try takes it over
// or fails.
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

// use applies the entitlement to a customer and writes it with the job, the note and the writes in
// w.
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
	w.addRecord(replace(c.item()), c)
	err := w.commit(ctx, i.Table)
	i.changed(c.ID)
	return c, err
}
