package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"verdetto/shared/apikey"
)

// Move moves a plan to another customer, and deletes the first customer, whose key becomes invalid. Move fails with
// ErrNotFound if the first customer does not exist, for example after an earlier Move.
func (k Customers) Move(
	ctx context.Context, from, to apikey.CustomerID, now time.Time, jobs func(Customer) []LeftJob,
) (moved Customer, err error) {
	err = RetryConflicts(ctx, func() error {
		left, err := k.Customer(ctx, from)
		if err != nil {
			return err
		}
		moved, err = k.orNew(ctx, to)
		if err != nil {
			return err
		}
		work := jobs(moved)
		moved.take(left, now)
		var w writes
		if err := k.reclaim(ctx, &w, left, to); err != nil {
			return err
		}
		for _, subscription := range slices.Sorted(maps.Keys(left.Cards)) {
			w.add(set(Item{Key: subscriptionKey(subscription), Data: []byte(to)}))
		}
		for _, j := range work {
			w.addJobs(j.Outbox, j.Job)
		}
		w.addRecord(replace(moved.item()), moved)
		w.add(Op{Mode: Remove, Item: left.item()})
		err = w.commit(ctx, k.Table)
		k.changed(to)
		return err
	})
	if err != nil {
		return Customer{}, fmt.Errorf("move a plan: %w", err)
	}
	return moved, nil
}

type LeftJob struct {
	Outbox Outbox
	Job    Job
}

func (c *Customer) take(other Customer, now time.Time) {
	if other.Until.After(c.Until) {
		c.Until = other.Until
	}
	if rest := other.Crypto.Sub(now); rest > 0 {
		if c.Crypto.Before(now) {
			c.Crypto = other.Crypto
		} else {
			c.Crypto = c.Crypto.Add(rest)
		}
	}
	for subscription, until := range other.Cards {
		if c.Cards == nil {
			c.Cards = map[string]time.Time{}
		}
		c.Cards[subscription] = until
	}
	for _, what := range other.Claimed {
		if !slices.Contains(c.Claimed, what) {
			c.Claimed = append(c.Claimed, what)
		}
	}
	if other.GuardedUntil.After(c.GuardedUntil) {
		c.GuardedUntil = other.GuardedUntil
	}
}

// Erase is idempotent. The records of used payments stay, without the customer's id.
func (k Customers) Erase(ctx context.Context, id apikey.CustomerID, about func(Job) bool, outboxes ...Outbox) error {
	err := RetryConflicts(ctx, func() error {
		var w writes
		c, err := k.orNew(ctx, id)
		if err == nil {
			err = k.reclaim(ctx, &w, c, "")
		}
		if err != nil {
			return err
		}
		for _, subscription := range slices.Sorted(maps.Keys(c.Cards)) {
			w.add(remove(subscriptionKey(subscription)))
		}
		for _, o := range outboxes {
			named, err := o.about(ctx, about)
			if err != nil {
				return err
			}
			w.add(named...)
		}
		if c.Version > 0 { // last, so that a retry after a failure still finds c.Cards and c.Claimed
			w.add(Op{Mode: Remove, Item: c.item()})
		}
		return w.inTurn(ctx, k.Table)
	})
	return wrap(err, "erase a customer")
}
