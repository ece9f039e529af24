package fare

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// Cycle numbers the weeks, Monday to Sunday, in which observations were found.
// A route's history is kept as one block of bytes per cycle (more where a cycle
// holds over BlockSize observations).
type Cycle int32

// CycleOf is the cycle in which an observation of that day is kept.
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

const packFormat = 1

// pack writes a format byte, the count, and for each observation the seconds
// since the one before, the lead time in days, and the price's distance from
// the one before, all as varints.
func pack(sorted []Observation) []byte {
	b := make([]byte, 0, 8+6*len(sorted))
	b = append(b, packFormat)
	b = binary.AppendUvarint(b, uint64(len(sorted)))
	var found int64
	var price Cents
	for _, o := range sorted {
		b = binary.AppendVarint(b, o.Found-found)
		b = binary.AppendVarint(b, int64(o.Depart-o.FoundDay()))
		b = binary.AppendVarint(b, int64(o.Price-price))
		found, price = o.Found, o.Price
	}
	return b
}

var errShort = errors.New("cut short")

// Unpack appends a block's observations to dst.
func Unpack(dst []Observation, data []byte) ([]Observation, error) {
	if len(data) == 0 {
		return dst, fmt.Errorf("unpack observations: %w", errShort)
	}
	if data[0] != packFormat {
		return dst, fmt.Errorf("unpack observations: format %d is not known", data[0])
	}
	data = data[1:]
	count, n := binary.Uvarint(data)
	if n <= 0 || count > uint64(len(data)) {
		return dst, fmt.Errorf("unpack observations: count: %w", errShort)
	}
	data = data[n:]
	dst = slices.Grow(dst, int(count))
	var found, price int64
	for range count {
		var delta [3]int64
		for i := range delta {
			v, n := binary.Varint(data)
			if n <= 0 {
				return dst, fmt.Errorf("unpack observations: %w", errShort)
			}
			delta[i], data = v, data[n:]
		}
		if delta[1] < -1 || delta[1] > MaxLead {
			return dst, fmt.Errorf("unpack observations: lead time of %d days", delta[1])
		}
		found += delta[0]
		price += delta[2]
		dst = append(dst, Observation{
			Found:  found,
			Depart: dayOfUnix(found) + Day(delta[1]),
			Price:  Cents(price),
		})
	}
	if len(data) > 0 {
		return dst, fmt.Errorf("unpack observations: %d bytes too many", len(data))
	}
	return dst, nil
}
