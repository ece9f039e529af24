package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A payment that took effect but bought no answer is a credit, which can pay for a later call of the payer.
type Payments struct{ Table Table }

type Payment struct {
	Name  string    `json:"-"` // signature of the payment's Solana transaction
	Call  string    `json:"call"`
	Payer string    `json:"payer"`
	Units int64     `json:"units"`         // millionths of a USDC
	Fee   int64     `json:"fee,omitempty"` // the service's fee on the chain, in lamports
	At    time.Time `json:"at"`
	Until uint64    `json:"until"` // last block height at which the transaction can take effect
	Given int       `json:"given,omitempty"`
	// Instead is the name of an older credit that paid for this call. The payment's own transaction was then never sent.
	Instead    string `json:"instead,omitempty"`
	FailReason string `json:"nothing,omitempty"` // why the payment can never buy an answer
	// Fees are the slots that stay reserved as long as sending can still cost a fee. A payment
	// without Fees must not be sent.
	Fees []Key `json:"fees,omitempty"`
	// Tries are the reserved slots that are not in Fees. A bought answer frees Tries.
	Tries []Key `json:"tries,omitempty"`

	version int64
}

var ErrOtherCall = errors.New("payment was taken for another call")

const (
	// creditLifetime is the time for which a payment without an answer can pay for a later call.
	creditLifetime = 30 * 24 * time.Hour
	// AnswerLifetime is the time for which a paid answer can be fetched again.
	AnswerLifetime = 24 * time.Hour
)

func paidKey(name string) Key          { return Key{"PAID#" + name, "CALL"} }
func answerKey(name string) Key        { return Key{"PAID#" + name, "ANSWER"} }
func creditKey(payer, name string) Key { return Key{"CREDIT#" + payer, name} }

func (p Payment) put(w *writes) {
	w.addRecord(replace(Item{Key: paidKey(p.Name), Version: p.version}), p)
}

// Take must be called before the payment's transaction is sent. If the payment is already recorded, fresh is false,
// or Take fails with ErrOtherCall.
func (s Payments) Take(ctx context.Context, p Payment, slots ...Slots) (taken Payment, fresh bool, err error) {
	for range reserveTries {
		fault := s.create(ctx, &p, slots)
		if fault == nil {
			p.version = 1
			return p, true, nil
		}
		if !errors.Is(fault, ErrExists) && !errors.Is(fault, ErrOpen) && !errors.As(fault, new(*Full)) {
			return Payment{}, false, fmt.Errorf("take a payment: %w", fault)
		}
		taken, err = s.Get(ctx, p.Name)
		switch {
		case err == nil && taken.Call != p.Call:
			return Payment{}, false, ErrOtherCall
		case !errors.Is(err, ErrNotFound):
			return taken, false, err
		case !errors.Is(fault, ErrExists):
			return Payment{}, false, fault
		}
	}
	return Payment{}, false, fmt.Errorf("take a payment: %w", errContended)
}

func (s Payments) create(ctx context.Context, p *Payment, slots []Slots) error {
	ops, err := s.reserve(ctx, p, slots)
	if err != nil {
		return err
	}
	w := writes{ops: ops}
	p.put(&w)
	until := p.At.Add(creditLifetime).Truncate(time.Second)
	w.add(set(Item{Key: creditKey(p.Payer, p.Name), Data: []byte(p.At.Format(time.RFC3339)), Expires: until}))
	return w.commit(ctx, s.Table)
}

func (s Payments) Get(ctx context.Context, name string) (Payment, error) {
	p, item, err := get[Payment](ctx, s.Table, paidKey(name), Strong)
	if err != nil {
		return Payment{}, fmt.Errorf("read a payment: %w", err)
	}
	p.Name, p.version = name, item.Version
	return p, nil
}

// After Give, the payment is no credit. Give fails with ErrConflict if another process has written the payment since
// the caller read p.
func (s Payments) Give(ctx context.Context, p Payment, answer []byte, now time.Time) error {
	p.Given = 1
	w := writes{ops: p.release(now, settled)}
	p.put(&w)
	w.add(keep(p, answer, now), spend(p))
	return wrap(w.commit(ctx, s.Table), "give what was paid")
}

func keep(p Payment, answer []byte, now time.Time) Op {
	return set(Item{Key: answerKey(p.Name), Data: answer, Expires: now.Add(AnswerLifetime).Truncate(time.Second)})
}

func spend(p Payment) Op { return remove(creditKey(p.Payer, p.Name)) }

// Answer returns ErrNotFound after AnswerLifetime, or if the payment bought no answer.
func (s Payments) Answer(ctx context.Context, name string) ([]byte, error) {
	item, err := s.Table.Get(ctx, answerKey(name), Strong)
	return item.Data, wrap(err, "read an answer that was paid")
}

// Credits may return payments whose transaction took no effect, so the caller must look up the outcome on the chain.
func (s Payments) Credits(ctx context.Context, payer string, before time.Time) (credits []Payment, err error) {
	items, err := s.Table.Query(ctx, Range{Partition: "CREDIT#" + payer, Limit: maxCredits, Read: Strong})
	if err != nil {
		return nil, fmt.Errorf("read what is owed: %w", err)
	}
	for _, i := range items {
		if at, err := time.Parse(time.RFC3339, string(i.Data)); err != nil || !at.Before(before) {
			continue
		}
		p, err := s.Get(ctx, i.Sort)
		if err != nil {
			return nil, err
		}
		credits = append(credits, p)
	}
	return credits, nil
}

const maxCredits = 3

// Use pays for the call of fresh with an older credit, whose transaction took effect. The caller must never send the
// transaction of fresh.
func (s Payments) Use(ctx context.Context, credit, fresh Payment, answer []byte, now time.Time) error {
	fresh.Given, fresh.Instead, credit.Given = 1, credit.Name, 1
	w := writes{ops: append(fresh.release(now, settled), credit.release(now, settled)...)}
	credit.put(&w)
	fresh.put(&w)
	w.add(keep(fresh, answer, now), spend(credit), spend(fresh))
	return wrap(w.commit(ctx, s.Table), "use what is owed")
}

// Fail may be called only if the transaction moved no money and never will. If cost is true, the transaction cost a
// fee, so the fee slots stay reserved until the window ends.
func (s Payments) Fail(ctx context.Context, p Payment, why string, cost bool, now time.Time) error {
	p.FailReason = why
	end := unsent
	if cost {
		end = lost
	}
	w := writes{ops: append(p.release(now, end), spend(p))}
	p.put(&w)
	return wrap(w.commit(ctx, s.Table), "record that a payment failed")
}

// After FreeFees, the caller must not send the payment again. The payment stays a credit, because the transaction may
// have moved the money.
func (s Payments) FreeFees(ctx context.Context, p Payment, now time.Time) error {
	w := writes{ops: p.release(now, unsent)}
	p.put(&w)
	return wrap(w.commit(ctx, s.Table), "free the slots of a payment")
}

func (s Payments) reserve(ctx context.Context, p *Payment, slots []Slots) ([]Op, error) {
	p.Fees, p.Tries = nil, nil
	open := Item{Key: openKey(p.Payer), Expires: p.At.Add(OpenFor).Truncate(time.Second), Data: []byte(p.Name)}
	ops := []Op{{Mode: Create, Item: open}}
	known := map[string][]Item{}
	for _, kind := range slots {
		if _, read := known[kind.Subject]; !read {
			items, err := s.Table.Query(ctx, Range{Partition: slotsKey(kind.Subject, "").Partition, Read: Strong})
			if err != nil {
				return nil, fmt.Errorf("read slots: %w", err)
			}
			for _, i := range items {
				if i.Key == open.Key {
					return nil, ErrOpen
				}
			}
			known[kind.Subject] = items
		}
		slot, err := kind.free(known[kind.Subject], p.At, p.Name)
		if err != nil {
			return nil, err
		}
		ops = append(ops, slot)
		if kind.Fees {
			p.Fees = append(p.Fees, slot.Item.Key)
		} else {
			p.Tries = append(p.Tries, slot.Item.Key)
		}
	}
	return ops, nil
}

type ending int

const (
	settled ending = iota // an answer was bought: all slots become free
	unsent                // no fee was lost: the fee slots become free
	lost                  // a fee was lost: all slots stay reserved
)

// The caller must write the payment in the same transaction: otherwise a later call could delete a slot that another
// payment has reserved meanwhile.
func (p *Payment) release(now time.Time, end ending) (ops []Op) {
	var freed []Key
	// After OpenFor, the mark of the open payment may belong to the payer's next payment.
	if len(p.Fees) > 0 && now.Sub(p.At) < OpenFor/2 {
		freed = append(freed, openKey(p.Payer))
	}
	if end != lost {
		freed = append(freed, p.Fees...)
	}
	if end == settled {
		freed = append(freed, p.Tries...)
	}
	for _, key := range freed {
		ops = append(ops, remove(key))
	}
	p.Fees, p.Tries = nil, nil
	return ops
}

// Count reserves a slot of kind that belongs to no payment. The slot stays reserved until the window of
// length kind.Per ends.
func (s Payments) Count(ctx context.Context, kind Slots, at time.Time) error {
	for range reserveTries {
		items, err := s.Table.Query(ctx, Range{Partition: slotsKey(kind.Subject, "").Partition, Read: Strong})
		if err != nil {
			return fmt.Errorf("read slots: %w", err)
		}
		slot, err := kind.free(items, at, "")
		if err != nil {
			return err
		}
		if err = s.Table.Write(ctx, slot); err == nil || !errors.Is(err, ErrExists) {
			return err
		}
	}
	return errContended
}
