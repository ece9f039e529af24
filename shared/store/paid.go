package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Payments stores the payments for single answers: the call of each payment and, for 24 hours, the
// answer (keys: PAID). It also stores which payments of a payer are not answered yet (CREDIT): they
// pay for the next call. Slots limit the cost of payments that fail.
type Payments struct{ Table Table }

// Payment is a payment that was taken for a call. Its name is the signature of its transaction.
type Payment struct {
	Name  string    `json:"-"`
	Call  string    `json:"call"` // hash of the call
	Payer string    `json:"payer"`
	Units int64     `json:"units"`         // millionths of a USDC
	Fee   int64     `json:"fee,omitempty"` // our fee on the chain, in lamports
	At    time.Time `json:"at"`
	Until uint64    `json:"until"` // last block height at which the transaction can take effect
	// Given is over 0 if the payment bought its answer, or the answer to a later payment.
	Given int `json:"given,omitempty"`
	// Instead names the credit that was used up for it; its own transaction was never sent.
	Instead    string `json:"instead,omitempty"`
	FailReason string `json:"nothing,omitempty"` // why it can never buy anything
	// Fees are the slots held while the payment may cost a fee. Without them it must not be sent.
	Fees  []Key `json:"fees,omitempty"`
	Tries []Key `json:"tries,omitempty"` // slots held until it has bought something

	version int64
}

// ErrOtherCall means that the payment was taken for another call.
var ErrOtherCall = errors.New("payment was taken for another call")

const (
	// creditLifetime is how long an unanswered payment remains a credit.
	creditLifetime = 30 * 24 * time.Hour
	// AnswerLifetime is how long a paid answer can be fetched again.
	AnswerLifetime = 24 * time.Hour
)

func paidKey(name string) Key          { return Key{"PAID#" + name, "CALL"} }
func answerKey(name string) Key        { return Key{"PAID#" + name, "ANSWER"} }
func creditKey(payer, name string) Key { return Key{"CREDIT#" + payer, name} }

// put adds the write of a payment over the version that was read.
func (p Payment) put(w *writes) {
	w.addRecord(replace(Item{Key: paidKey(p.Name), Version: p.version}), p)
}

// Take records a payment for a call before it is settled, and reserves a slot of each kind. A
// payment that was taken before is returned with fresh false, or fails with ErrOtherCall. Take
// fails with ErrOpen if the payer has another open payment. It fails with Full if all slots of a
// kind are taken.
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

// create writes a new payment with its slots.
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

// Get returns a payment that was taken, or ErrNotFound.
func (s Payments) Get(ctx context.Context, name string) (Payment, error) {
	p, item, err := get[Payment](ctx, s.Table, paidKey(name), Strong)
	if err != nil {
		return Payment{}, fmt.Errorf("read a payment: %w", err)
	}
	p.Name, p.version = name, item.Version
	return p, nil
}

// Give records that a payment bought an answer, and stores the answer for 24 hours. It ends the
// credit and frees the slots. It fails with ErrConflict if another process gives the answer at the
// same time.
func (s Payments) Give(ctx context.Context, p Payment, answer []byte, now time.Time) error {
	p.Given = 1
	w := writes{ops: p.release(now, settled)}
	p.put(&w)
	w.add(keep(p, answer, now), spend(p))
	return wrap(w.commit(ctx, s.Table), "give what was paid")
}

// keep returns the write of the answer to a payment; spend returns the end of its credit.
func keep(p Payment, answer []byte, now time.Time) Op {
	return set(Item{Key: answerKey(p.Name), Data: answer, Expires: now.Add(AnswerLifetime).Truncate(time.Second)})
}

func spend(p Payment) Op { return remove(creditKey(p.Payer, p.Name)) }

// Answer returns the answer that a payment bought in the last 24 hours, or ErrNotFound.
func (s Payments) Answer(ctx context.Context, name string) ([]byte, error) {
	item, err := s.Table.Get(ctx, answerKey(name), Strong)
	return item.Data, wrap(err, "read an answer that was paid")
}

// Credits returns a few payments of a payer that were taken before a time and not answered. The
// outcomes of their transactions are not known here.
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

// maxCredits is how many credits are read for one call.
const maxCredits = 3

// Use answers the call of a fresh payment with a credit whose transaction took effect. Both are
// used up, and the transaction of the fresh payment is never sent. It fails with ErrConflict if
// another process was faster.
func (s Payments) Use(ctx context.Context, credit, fresh Payment, answer []byte, now time.Time) error {
	fresh.Given, fresh.Instead, credit.Given = 1, credit.Name, 1
	w := writes{ops: append(fresh.release(now, settled), credit.release(now, settled)...)}
	credit.put(&w)
	fresh.put(&w)
	w.add(keep(fresh, answer, now), spend(credit), spend(fresh))
	return wrap(w.commit(ctx, s.Table), "use what is owed")
}

// Fail records that the transaction of a payment moved nothing and never will, and ends its
// credit. A payment that cost a fee keeps its slots until their window ends. Fail returns
// ErrConflict if another process has recorded the outcome.
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

// FreeFees frees the fee slots of a payment that can cost no fee, or has taken effect. The payment
// is not sent again. It stays a credit, because it may have been settled.
func (s Payments) FreeFees(ctx context.Context, p Payment, now time.Time) error {
	w := writes{ops: p.release(now, unsent)}
	p.put(&w)
	return wrap(w.commit(ctx, s.Table), "free the slots of a payment")
}
