package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// Slots limits to Most how many payments of a window of time may be unfinished or have failed. Each
// payment reserves a slot: the write that records the payment stores the slot, and the write that
// records its outcome deletes it, unless the payment failed and, if Fees is set, lost a fee. Then
// the slot stays until the window ends.
type Slots struct {
	Subject string // whose payments are limited; part of the key, so it must not change
	Name    string // kind of slot; part of the key, so it must not change
	Most    int
	Per     time.Duration
	Fees    bool // a slot stays reserved only if the payment lost a fee, not whenever it bought no answer
}

type Full struct {
	Slots
	IsOpen bool     // a slot was reserved recently, so its payment may be unfinished
	Old    []string // some older payments; recording their outcomes may free slots
}

func (f *Full) Error() string { return fmt.Sprintf("all %d slots %s are taken", f.Most, f.Name) }

var ErrOpen = errors.New("another payment of the payer is open")

// errContended means that other callers reserved the chosen slot first at every try.
var errContended = fmt.Errorf("%w: too many reserve slots at once", ErrUnavailable)

const (
	// OpenFor is how long a payment without an outcome blocks other payments of its payer.
	OpenFor = 2 * time.Minute
	maxOld  = 3
	// reserveTries is how often slots are chosen if other callers reserve them first.
	reserveTries = 20
)

func slotsKey(subject, sort string) Key { return Key{"FEES#" + subject, sort} }

func openKey(payer string) Key { return slotsKey("payer-"+payer, "OPEN") }

type slotData struct {
	At   time.Time `json:"at"`
	Name string    `json:"name,omitempty"`
}

// free returns the write that reserves a random free slot, given the stored ones.
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
