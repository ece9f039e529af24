package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// In a window of length Per, at most Most slots are reserved at once.
type Slots struct {
	Subject string // part of the key, so Subject must not change
	Name    string // part of the key, so Name must not change
	Most    int
	Per     time.Duration
	Fees    bool // true for Payment.Fees, false for Payment.Tries
}

type Full struct {
	Slots
	IsOpen bool     // a slot was reserved less than OpenFor ago
	Old    []string // names of older payments, whose outcomes can free slots
}

func (f *Full) Error() string { return fmt.Sprintf("all %d slots %s are taken", f.Most, f.Name) }

var ErrOpen = errors.New("another payment of the payer is open")

var errContended = fmt.Errorf("%w: too many reserve slots at once", ErrUnavailable)

const (
	// OpenFor is how long a payment without an outcome blocks other payments of the same payer.
	OpenFor      = 2 * time.Minute
	maxOld       = 3
	reserveTries = 20
)

func slotsKey(subject, sort string) Key { return Key{"FEES#" + subject, sort} }

func openKey(payer string) Key { return slotsKey("payer-"+payer, "OPEN") }

type slotData struct {
	At   time.Time `json:"at"`
	Name string    `json:"name,omitempty"`
}

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
	// Concurrent callers would otherwise all choose the first free slot.
	key := slotsKey(s.Subject, left[rand.IntN(len(left))])
	data, err := json.Marshal(slotData{at.UTC(), name})
	return replace(Item{Key: key, Expires: from.Add(s.Per), Data: data}), wrap(err, "write slot")
}
