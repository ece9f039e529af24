package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// Slots are places, a number in each window, that payments reserve before they are
// sent. Each is an item that is created in the write that takes the payment and deleted
// in the write that records its end, so there are never more than Most. A payment
// whose end is never recorded keeps its slots until the window ends.
type Slots struct {
	Of   string // whose they are: stable, a part of the key
	Name string // of the kind: stable, a part of the key
	Most int
	Per  time.Duration
	Fees bool // held only while the payment may cost a fee, or once it has; otherwise until it has bought something
}

// Full is the error where all slots of a kind are taken.
type Full struct {
	Slots
	IsOpen bool     // one of them was taken a moment ago: that payment may still be open
	Old    []string // some payments that took theirs before that: what became of them may free it
}

func (f *Full) Error() string { return fmt.Sprintf("all %d slots %s are taken", f.Most, f.Name) }

// ErrOpen: another payment of the payer is open.
var ErrOpen = errors.New("another payment of the payer is open")

// errContended: others took the same slots each time.
var errContended = fmt.Errorf("%w: too many reserve slots at once", ErrUnavailable)

const (
	// OpenFor is how long a payment of which nobody knows what became of it keeps its payer from making another.
	OpenFor = 2 * time.Minute
	// maxOld is how many payments are named that may free their slots.
	maxOld = 3
	// reserveTries is how often slots are chosen anew where others took them first.
	reserveTries = 20
)

func slotsKey(of, sort string) Key { return Key{"FEES#" + of, sort} }

func openKey(payer string) Key { return slotsKey("payer-"+payer, "OPEN") }

// slotData says when a slot was taken, and by which payment.
type slotData struct {
	At   time.Time `json:"at"`
	Name string    `json:"name,omitempty"`
}

// free chooses one of the slots that are not among the items of their partition.
func (s Slots) free(items []Item, at time.Time, name string) (Op, error) {
	from := at.UTC().Truncate(s.Per)
	prefix := s.Name + "#" + from.Format(time.RFC3339) + "#"
	taken, full := map[string]bool{}, &Full{Slots: s}
	for _, i := range items {
		if !strings.HasPrefix(i.Sort, prefix) {
			continue
		}
		taken[i.Sort] = true
		var by slotData
		if err := json.Unmarshal(i.Data, &by); err != nil {
			return Op{}, fmt.Errorf("read slot: %w", err)
		}
		if at.Sub(by.At) < OpenFor {
			full.IsOpen = true
		} else if by.Name != "" {
			full.Old = append(full.Old, by.Name)
		}
	}
	var left []string
	for n := range s.Most {
		if sort := fmt.Sprintf("%s%03d", prefix, n); !taken[sort] {
			left = append(left, sort)
		}
	}
	if len(left) == 0 {
		rand.Shuffle(len(full.Old), func(i, j int) { full.Old[i], full.Old[j] = full.Old[j], full.Old[i] })
		full.Old = full.Old[:min(maxOld, len(full.Old))]
		return Op{}, full
	}
	// Others choose at the same moment: the first one would be everybody's.
	key := slotsKey(s.Of, left[rand.IntN(len(left))])
	data, err := json.Marshal(slotData{at.UTC(), name})
	return over(Item{Key: key, Expires: from.Add(s.Per), Data: data}), wrap(err, "write slot")
}

// reserve chooses a slot of each kind, and returns the writes that take them.
func (s Payments) reserve(ctx context.Context, p *Payment, slots []Slots) ([]Op, error) {
	p.Fees, p.Tries = nil, nil
	open := Item{Key: openKey(p.Payer), Expires: p.At.Add(OpenFor).Truncate(time.Second), Data: []byte(p.Name)}
	ops := []Op{{Mode: Create, Item: open}}
	known := map[string][]Item{}
	for _, of := range slots {
		if _, read := known[of.Of]; !read {
			items, err := s.Table.Query(ctx, Range{Partition: slotsKey(of.Of, "").Partition, Read: Strong})
			if err != nil {
				return nil, fmt.Errorf("read slots: %w", err)
			}
			for _, i := range items {
				if i.Key == open.Key {
					return nil, ErrOpen
				}
			}
			known[of.Of] = items
		}
		slot, err := of.free(known[of.Of], p.At, p.Name)
		if err != nil {
			return nil, err
		}
		ops = append(ops, slot)
		if of.Fees {
			p.Fees = append(p.Fees, slot.Item.Key)
		} else {
			p.Tries = append(p.Tries, slot.Item.Key)
		}
	}
	return ops, nil
}

// ending is what became of a payment, as far as its slots are concerned.
type ending int

const (
	settled ending = iota // all slots are free
	unsent                // it cost nothing: those for fees are free
	lost                  // it cost a fee: none is free
)

// release has a payment hold no slots, and returns the writes that free them. Nobody
// else frees them, since each of these writes replaces the payment too.
func (p *Payment) release(now time.Time, end ending) (ops []Op) {
	var freed []Key
	// Long before it expires nobody else can have made it.
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

// Count takes a slot for good, of what is no payment of its own. It fails with Full where there is none.
func (s Payments) Count(ctx context.Context, of Slots, at time.Time) error {
	for range reserveTries {
		items, err := s.Table.Query(ctx, Range{Partition: slotsKey(of.Of, "").Partition, Read: Strong})
		if err != nil {
			return fmt.Errorf("read slots: %w", err)
		}
		slot, err := of.free(items, at, "")
		if err != nil {
			return err
		}
		if err = s.Table.Write(ctx, slot); err == nil || !errors.Is(err, ErrExists) {
			return err
		}
	}
	return errContended
}
