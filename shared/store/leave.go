package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"verdetto/shared/apikey"
)

// How a customer goes: to another address, or altogether.

// Move gives a plan, and all that it rests on, to another customer, together with
// jobs; the customer who had it is no more, and neither is the key. ErrNotFound
// where that customer is not there, as after it was done. What the other one has
// already stays: days in USDC are added up. The plan comes back as the other one has it.
func (k Customers) Move(ctx context.Context, from, to apikey.CustomerID, now time.Time, jobs func(Customer) []LeftJob) (moved Customer, err error) {
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
		writes, err := k.reclaim(ctx, left, to)
		if err != nil {
			return err
		}
		for _, subscription := range slices.Sorted(maps.Keys(left.Cards)) {
			writes = append(writes, Op{Mode: Set, Item: Item{Key: subscriptionKey(subscription), Data: []byte(to)}})
		}
		for _, j := range work {
			op, err := j.Outbox.put(j.Job)
			if err != nil {
				return err
			}
			writes = append(writes, op)
		}
		op, err := put(moved)
		if err != nil {
			return err
		}
		writes = append(writes, op, Op{Mode: Remove, Item: Item{Key: customerKey(from), Version: left.Version}})
		return k.Table.Write(ctx, writes...)
	})
	if err != nil {
		return Customer{}, fmt.Errorf("move a plan: %w", err)
	}
	return moved, nil
}

// LeftJob is a job and the outbox that it is left in.
type LeftJob struct {
	Outbox Outbox
	Job    Job
}

// take adds to a plan what another one rests on.
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
	c.Guard = c.Guard || other.Guard
	if other.GuardedUntil.After(c.GuardedUntil) {
		c.GuardedUntil = other.GuardedUntil
	}
}

// Erase deletes a customer and all that names her: the plan, the key's hash, whose
// subscriptions are, jobs about her address in the outboxes. That
// payments were used stays, without by whom. Done again it finds nothing to do.
func (k Customers) Erase(ctx context.Context, id apikey.CustomerID, about func(Job) bool, outboxes ...Outbox) error {
	err := RetryConflicts(ctx, func() error {
		var writes []Op
		c, err := k.Customer(ctx, id)
		switch {
		case errors.Is(err, ErrNotFound):
		case err != nil:
			return err
		default:
			if writes, err = k.reclaim(ctx, c, ""); err != nil {
				return err
			}
			for _, subscription := range slices.Sorted(maps.Keys(c.Cards)) {
				writes = append(writes, Op{Mode: Delete, Item: Item{Key: subscriptionKey(subscription)}})
			}
		}
		for _, o := range outboxes {
			named, err := o.about(ctx, about)
			if err != nil {
				return err
			}
			writes = append(writes, named...)
		}
		if c.Version > 0 { // last: until all else is gone, doing it again finds the rest
			writes = append(writes, Op{Mode: Remove, Item: Item{Key: customerKey(id), Version: c.Version}})
		}
		for batch := range slices.Chunk(writes, MaxWrites) {
			if err := k.Table.Write(ctx, batch...); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("erase a customer: %w", err)
	}
	return nil
}
