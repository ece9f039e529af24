package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Payments stores which answer each payment for a single answer was taken for, and
// for a day that answer (keys: PAID), and which of a payer's payments have not been
// answered yet (CREDIT): those are good for the payer's next call. What payments that
// come to nothing may cost is bounded by Slots.
type Payments struct{ Table Table }

// Payment is one that was taken for a call. Its name is the transaction's signature.
type Payment struct {
	Name  string    `json:"-"`
	Call  string    `json:"call"` // what was asked, as a hash
	Payer string    `json:"payer"`
	Units int64     `json:"units"`         // millionths of a USDC
	Fee   int64     `json:"fee,omitempty"` // what it costs us on the chain, in lamports
	At    time.Time `json:"at"`
	Until uint64    `json:"until"` // the height behind which its transaction can take effect no more
	// More than 0: it has bought its answer, or paid for one in the place of another payment
	Given int `json:"given,omitempty"`
	// The payment that was used up in its place: its own transaction was never sent
	Instead string `json:"instead,omitempty"`
	Nothing string `json:"nothing,omitempty"` // why it bought nothing and never will: what its transaction has come to
	// The slots it holds while it may cost a fee; without any it must not be sent
	Fees  []Key `json:"fees,omitempty"`
	Tries []Key `json:"tries,omitempty"` // those it holds until it has bought something

	version int64
}

// ErrOtherCall: the payment was taken for something else.
var ErrOtherCall = errors.New("payment was taken for another call")

const (
	// creditKept is how long a payment that was not answered is good for.
	creditKept = 30 * 24 * time.Hour
	// AnswerKept is how long an answer that was paid for can be had again.
	AnswerKept = 24 * time.Hour
)

func paidKey(name string) Key          { return Key{"PAID#" + name, "CALL"} }
func answerKey(name string) Key        { return Key{"PAID#" + name, "ANSWER"} }
func creditKey(payer, name string) Key { return Key{"CREDIT#" + payer, name} }

// put adds the write of a payment over the version that was read.
func (p Payment) put(w *writes) { w.put(over(Item{Key: paidKey(p.Name), Version: p.version}), p) }

// Take records that a payment is for a call, before it is settled, and reserves a
// slot of each kind. A payment that was taken already comes back as it stands, with
// fresh false, or as ErrOtherCall. Otherwise it fails with ErrOpen while the payer has
// another open payment, and with Full where all slots of a kind are taken.
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

// create writes a payment that was not taken yet, with the slots it holds.
func (s Payments) create(ctx context.Context, p *Payment, slots []Slots) error {
	ops, err := s.reserve(ctx, p, slots)
	if err != nil {
		return err
	}
	w := writes{ops: ops}
	p.put(&w)
	until := p.At.Add(creditKept).Truncate(time.Second)
	w.add(set(Item{Key: creditKey(p.Payer, p.Name), Data: []byte(p.At.Format(time.RFC3339)), Expires: until}))
	return w.to(ctx, s.Table)
}

// Get gives a payment that was taken, or ErrNotFound.
func (s Payments) Get(ctx context.Context, name string) (Payment, error) {
	p, item, err := get[Payment](ctx, s.Table, paidKey(name), Strong)
	if err != nil {
		return Payment{}, fmt.Errorf("read a payment: %w", err)
	}
	p.Name, p.version = name, item.Version
	return p, nil
}

// Give records that a payment has bought an answer, and the answer, which is kept for a day: from
// then on it is no credit, and its slots are free. ErrConflict: somebody else gives it at the same
// time.
func (s Payments) Give(ctx context.Context, p Payment, answer []byte, now time.Time) error {
	p.Given = 1
	w := writes{ops: p.release(now, settled)}
	p.put(&w)
	w.add(keep(p, answer, now), spend(p))
	return wrap(w.to(ctx, s.Table), "give what was paid")
}

// keep keeps the answer of a payment, spend ends its credit.
func keep(p Payment, answer []byte, now time.Time) Op {
	return set(Item{Key: answerKey(p.Name), Data: answer, Expires: now.Add(AnswerKept).Truncate(time.Second)})
}

func spend(p Payment) Op { return remove(creditKey(p.Payer, p.Name)) }

// Answer gives what a payment has bought, for a day after that, or ErrNotFound.
func (s Payments) Answer(ctx context.Context, name string) ([]byte, error) {
	item, err := s.Table.Get(ctx, answerKey(name), Strong)
	return item.Data, wrap(err, "read an answer that was paid")
}

// Credits gives payments of a payer that were taken before a moment and not
// answered, a few of them. What became of their transactions is not known here.
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

// maxCredits is how many payments are looked at for one call.
const maxCredits = 3

// Use answers the call of a fresh payment with one that was not answered, whose
// transaction has taken effect: both are used up by it, and that of the fresh one is
// never sent. ErrConflict: somebody else was faster.
func (s Payments) Use(ctx context.Context, credit, fresh Payment, answer []byte, now time.Time) error {
	fresh.Given, fresh.Instead, credit.Given = 1, credit.Name, 1
	w := writes{ops: append(fresh.release(now, settled), credit.release(now, settled)...)}
	credit.put(&w)
	fresh.put(&w)
	w.add(keep(fresh, answer, now), spend(credit), spend(fresh))
	return wrap(w.to(ctx, s.Table), "use what is owed")
}

// Fail records that the transaction of a payment moved nothing and never will, and
// ends its credit. What cost a fee keeps its slots until their window ends.
// ErrConflict: somebody else has recorded what became of it.
func (s Payments) Fail(ctx context.Context, p Payment, why string, cost bool, now time.Time) error {
	p.Nothing = why
	end := unsent
	if cost {
		end = lost
	}
	w := writes{ops: append(p.release(now, end), spend(p))}
	p.put(&w)
	return wrap(w.to(ctx, s.Table), "record that a payment failed")
}

// Free has a payment hold no slots for fees any more, so that it is not sent again: it
// can cost none, or has taken effect. It stays a credit, since it may have been settled.
func (s Payments) Free(ctx context.Context, p Payment, now time.Time) error {
	w := writes{ops: p.release(now, unsent)}
	p.put(&w)
	return wrap(w.to(ctx, s.Table), "free the slots of a payment")
}
