package fare

import (
	"fmt"
	"slices"

	"verdetto/shared/varint"
)

// Cycle numbers the weeks, Monday to Sunday, in which observations were found.
// A route's history is stored as one block of bytes per cycle (more where a
// cycle holds over BlockSize observations).
type Cycle int32

// CycleOf is the cycle in which an observation of that day is stored.
func CycleOf(d Day) Cycle {
	// 1970-01-01 was a Thursday: three days after a Monday.
	n := int32(d) + 3
	c := n / 7
	if n%7 < 0 {
		c--
	}
	return Cycle(c)
}

// First is the Monday of the cycle.
func (c Cycle) First() Day { return Day(int32(c)*7 - 3) }

// BlockSize is how many observations one block holds at most; at under 8 bytes
// each a block stays well inside the 400 KB that a DynamoDB item may have.
const BlockSize = 32_768

// Block is a packed run of the observations of one cycle.
type Block struct {
	Cycle Cycle
	Part  int
	Data  []byte
}

// Blocks packs observations into blocks: by cycle, then in Compare order. The
// result depends on the set of observations only, not on their order, and
// repeated ones count once.
func Blocks(observations []Observation) []Block {
	sorted := slices.Clone(observations)
	slices.SortFunc(sorted, Observation.Compare)
	sorted = slices.CompactFunc(sorted, func(a, b Observation) bool { return a == b })
	var blocks []Block
	for len(sorted) > 0 {
		cycle, n := CycleOf(sorted[0].FoundDay()), 1
		for n < len(sorted) && n < BlockSize && CycleOf(sorted[n].FoundDay()) == cycle {
			n++
		}
		part := 0
		if k := len(blocks); k > 0 && blocks[k-1].Cycle == cycle {
			part = blocks[k-1].Part + 1
		}
		blocks = append(blocks, Block{cycle, part, pack(sorted[:n])})
		sorted = sorted[n:]
	}
	return blocks
}

// packFormat is the first byte of a block.
const packFormat = 1

// pack writes the count, and for each observation the seconds since the one
// before, the lead time in days, and the price's distance from the one before.
func pack(sorted []Observation) []byte {
	w := varint.NewWriter(packFormat, 8+6*len(sorted))
	w.Uint(uint64(len(sorted)))
	var found int64
	var price Cents
	for _, o := range sorted {
		w.Int(o.Found-found, int64(o.Depart-o.FoundDay()), int64(o.Price-price))
		found, price = o.Found, o.Price
	}
	return w
}

// Unpack appends a block's observations to dst. Of a malformed block it gives dst alone.
func Unpack(dst []Observation, data []byte) ([]Observation, error) {
	r := varint.NewReader(data, packFormat)
	count := r.Count(int64(r.Uint()))
	all := slices.Grow(dst, count)
	var found, price int64
	for range count {
		found += r.Int()
		lead := r.Int()
		price += r.Int()
		if lead < -1 || lead > MaxLead {
			r.Fail(fmt.Errorf("lead time of %d days", lead))
		}
		all = append(all, Observation{Found: found, Depart: dayOfUnix(found) + Day(lead), Price: Cents(price)})
	}
	if err := r.Err(); err != nil {
		return dst, fmt.Errorf("unpack observations: %w", err)
	}
	return all, nil
}
