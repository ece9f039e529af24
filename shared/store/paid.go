package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Payments stores which answer each payment for a single answer was taken for
// (keys: PAID), and which of a payer's payments have not been answered yet
// (CREDIT): those are good for the payer's next call.
type Payments struct{ Table Table }

// Payment is one that was taken for a call. Its name is the transaction's signature.
type Payment struct {
	Name    string    `json:"-"`
	Call    string    `json:"call"` // what was asked, as a hash
	Payer   string    `json:"payer"`
	Units   int64     `json:"units"` // millionths of a USDC
	At      time.Time `json:"at"`
	Until   uint64    `json:"until"`             // the height behind which its transaction can take effect no more
	Given   int       `json:"given,omitempty"`   // how often its answer was given
	Instead string    `json:"instead,omitempty"` // the payment that was used up in its place: its own transaction was never sent

	version int64
}

// ErrOtherCall: the payment was taken for something else.
var ErrOtherCall = errors.New("payment was taken for another call")

// creditKept is how long a payment that was not answered is good for.
const creditKept = 30 * 24 * time.Hour

func paidKey(name string) Key          { return Key{"PAID#" + name, "CALL"} }
func creditKey(payer, name string) Key { return Key{"CREDIT#" + payer, name} }

func (p Payment) op(mode Mode) (Op, error) {
	data, err := json.Marshal(p)
	return Op{Mode: mode, Item: Item{Key: paidKey(p.Name), Version: p.version, Data: data}}, err
}

// Take records that a payment is for a call, before it is settled. A payment that
// was taken already comes back as it stands, with fresh false, or as ErrOtherCall.
func (s Payments) Take(ctx context.Context, p Payment) (taken Payment, fresh bool, err error) {
	create, err := p.op(Create)
	if err != nil {
		return Payment{}, false, fmt.Errorf("write a payment: %w", err)
	}
	credit := Item{Key: creditKey(p.Payer, p.Name), Data: []byte(p.At.Format(time.RFC3339)), Expires: p.At.Add(creditKept).Truncate(time.Second)}
	err = s.Table.Write(ctx, create, Op{Mode: Set, Item: credit})
	if err == nil {
		p.version = 1
		return p, true, nil
	}
	if !errors.Is(err, ErrExists) {
		return Payment{}, false, fmt.Errorf("take a payment: %w", err)
	}
	taken, err = s.Get(ctx, p.Name)
	if err == nil && taken.Call != p.Call {
		return Payment{}, false, ErrOtherCall
	}
	return taken, false, err
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

// Give records that the answer of a payment is given, once more: from then on it
// is no credit. ErrConflict: somebody else gives it at the same time.
func (s Payments) Give(ctx context.Context, p Payment) error {
	p.Given++
	replace, err := p.op(Replace)
	if err != nil {
		return fmt.Errorf("write a payment: %w", err)
	}
	ops := []Op{replace}
	if p.Given == 1 {
		ops = append(ops, Op{Mode: Delete, Item: Item{Key: creditKey(p.Payer, p.Name)}})
	}
	if err := s.Table.Write(ctx, ops...); err != nil {
		return fmt.Errorf("give what was paid: %w", err)
	}
	return nil
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
func (s Payments) Use(ctx context.Context, credit, fresh Payment) error {
	fresh.Given, fresh.Instead, credit.Given = 1, credit.Name, Answered
	spent, err := credit.op(Replace)
	if err != nil {
		return fmt.Errorf("write a payment: %w", err)
	}
	kept, err := fresh.op(Replace)
	if err != nil {
		return fmt.Errorf("write a payment: %w", err)
	}
	ops := []Op{spent, kept}
	for _, p := range []Payment{credit, fresh} {
		ops = append(ops, Op{Mode: Delete, Item: Item{Key: creditKey(p.Payer, p.Name)}})
	}
	if err := s.Table.Write(ctx, ops...); err != nil {
		return fmt.Errorf("use what is owed: %w", err)
	}
	return nil
}

// Answered is how often the answer of a payment is given at most.
const Answered = 3

// Void ends the credit of a payment whose transaction moved nothing and never will.
func (s Payments) Void(ctx context.Context, p Payment) error {
	if err := s.Table.Write(ctx, Op{Mode: Delete, Item: Item{Key: creditKey(p.Payer, p.Name)}}); err != nil {
		return fmt.Errorf("void a payment: %w", err)
	}
	return nil
}
