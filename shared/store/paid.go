package store

import (
	"context"
	"encoding/json"
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
	Name    string    `json:"-"`
	Call    string    `json:"call"` // what was asked, as a hash
	Payer   string    `json:"payer"`
	Units   int64     `json:"units"`         // millionths of a USDC
	Fee     int64     `json:"fee,omitempty"` // what it costs us on the chain, in lamports
	At      time.Time `json:"at"`
	Until   uint64    `json:"until"`             // the height behind which its transaction can take effect no more
	Given   int       `json:"given,omitempty"`   // more than 0: it has bought its answer, or paid for one in the place of another payment
	Instead string    `json:"instead,omitempty"` // the payment that was used up in its place: its own transaction was never sent
	Nothing string    `json:"nothing,omitempty"` // why it bought nothing and never will: what its transaction has come to
	Fees    []Key     `json:"fees,omitempty"`    // the slots it holds while it may cost a fee; without any it must not be sent
	Tries   []Key     `json:"tries,omitempty"`   // those it holds until it has bought something

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

func (p Payment) op(mode Mode) (Op, error) {
	data, err := json.Marshal(p)
	return Op{Mode: mode, Item: Item{Key: paidKey(p.Name), Version: p.version, Data: data}}, err
}

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
	create, err := p.op(Create)
	if err != nil {
		return fmt.Errorf("write a payment: %w", err)
	}
	credit := Item{Key: creditKey(p.Payer, p.Name), Data: []byte(p.At.Format(time.RFC3339)), Expires: p.At.Add(creditKept).Truncate(time.Second)}
	return s.Table.Write(ctx, append(ops, create, Op{Mode: Set, Item: credit})...)
}

// Get gives a payment that was taken, or ErrNotFound.
func (s Payments) Get(ctx context.Context, name string) (Payment, error) {
	item, err := s.Table.Get(ctx, paidKey(name), Strong)
	p := Payment{Name: name, version: item.Version}
	if err == nil {
		err = json.Unmarshal(item.Data, &p)
	}
	if err != nil {
		return Payment{}, fmt.Errorf("read a payment: %w", err)
	}
	return p, nil
}

// Give records that a payment has bought an answer, and the answer, which is kept
// for a day: from then on it is no credit, and its slots are free. ErrConflict: somebody else gives it at the same time.
func (s Payments) Give(ctx context.Context, p Payment, answer []byte, now time.Time) error {
	p.Given = 1
	freed := p.release(now, settled)
	replace, err := p.op(Replace)
	if err != nil {
		return fmt.Errorf("write a payment: %w", err)
	}
	if err := s.Table.Write(ctx, append(freed, replace, keep(p, answer, now), spend(p))...); err != nil {
		return fmt.Errorf("give what was paid: %w", err)
	}
	return nil
}

// keep keeps the answer of a payment, spend ends its credit.
func keep(p Payment, answer []byte, now time.Time) Op {
	return Op{Mode: Set, Item: Item{Key: answerKey(p.Name), Data: answer, Expires: now.Add(AnswerKept).Truncate(time.Second)}}
}

func spend(p Payment) Op { return Op{Mode: Delete, Item: Item{Key: creditKey(p.Payer, p.Name)}} }

// Answer gives what a payment has bought, for a day after that, or ErrNotFound.
func (s Payments) Answer(ctx context.Context, name string) ([]byte, error) {
	item, err := s.Table.Get(ctx, answerKey(name), Strong)
	if err != nil {
		return nil, fmt.Errorf("read an answer that was paid: %w", err)
	}
	return item.Data, nil
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
	freed := append(fresh.release(now, settled), credit.release(now, settled)...)
	spent, err := credit.op(Replace)
	if err != nil {
		return fmt.Errorf("write a payment: %w", err)
	}
	kept, err := fresh.op(Replace)
	if err != nil {
		return fmt.Errorf("write a payment: %w", err)
	}
	if err := s.Table.Write(ctx, append(freed, spent, kept, keep(fresh, answer, now), spend(credit), spend(fresh))...); err != nil {
		return fmt.Errorf("use what is owed: %w", err)
	}
	return nil
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
	freed := p.release(now, end)
	replace, err := p.op(Replace)
	if err != nil {
		return fmt.Errorf("write a payment: %w", err)
	}
	if err := s.Table.Write(ctx, append(freed, replace, spend(p))...); err != nil {
		return fmt.Errorf("record that a payment failed: %w", err)
	}
	return nil
}

// Free has a payment hold no slots for fees any more, so that it is not sent again: it
// can cost none, or has taken effect. It stays a credit, since it may have been settled.
func (s Payments) Free(ctx context.Context, p Payment, now time.Time) error {
	freed := p.release(now, unsent)
	replace, err := p.op(Replace)
	if err != nil {
		return fmt.Errorf("write a payment: %w", err)
	}
	if err := s.Table.Write(ctx, append(freed, replace)...); err != nil {
		return fmt.Errorf("free the slots of a payment: %w", err)
	}
	return nil
}
