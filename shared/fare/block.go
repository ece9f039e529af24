package fare

import (
	"errors"
	"fmt"
	"slices"

	"verdetto/shared/fare/packed"
)

// Cycle numbers the weeks, Monday to Sunday, in which observations were found.
type Cycle int32

// 1970-01-01 was a Thursday, three days after a Monday.
func CycleOf(d Day) Cycle {
	n := int32(d) + 3
	c := n / 7
	if n%7 < 0 {
		c--
	}
	return Cycle(c)
}

func (c Cycle) First() Day { return Day(int32(c)*7 - 3) }

// BlockSize is the maximum number of observations in a block. TestBlockFits compares full blocks
// with DynamoDB's limit of 400 KB per item.
const BlockSize = 24_576

// Part numbers the blocks of the same cycle, from 0.
type Block struct {
	Cycle Cycle
	Part  int
	Data  []byte
}

// The result of Blocks does not depend on the order of observations.
func Blocks(observations []Observation) []Block {
	sorted := Set(slices.Clone(observations))
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

// The first byte of a block states the format. Earlier versions of the program wrote euroFormat, for
// one-way fares in euro.
const (
	flightFormat = 3
	packFormat   = 2
	euroFormat   = 1
)

const (
	dayOnlyFlag  = 1
	stopsShift   = 1
	stopsMask    = 3
	currencyFrom = 3
)

func pack(sorted []Observation) []byte {
	if slices.ContainsFunc(sorted, func(o Observation) bool { return o.Flight.Known() }) {
		return packFlights(sorted)
	}
	currencies, nights := contents(sorted)
	w := packed.NewWriter(packFormat, 16+7*len(sorted))
	w.Uint(uint64(len(currencies)))
	for _, c := range currencies {
		w.Uint(c.Pack())
	}
	w.Uint(packed.Bit(nights))
	w.Uint(uint64(len(sorted)))
	var found int64
	prices := make([]Cents, len(currencies))
	for _, o := range sorted {
		at := slices.Index(currencies, o.Currency)
		w.Int(o.Found-found, int64(o.Depart-o.FoundDay()), int64(o.Price-prices[at]))
		w.Uint(o.flags(at))
		if nights {
			w.Uint(uint64(o.Nights))
		}
		found, prices[at] = o.Found, o.Price
	}
	return w
}

func contents(observations []Observation) (currencies []Currency, nights bool) {
	for _, o := range observations {
		if !slices.Contains(currencies, o.Currency) {
			currencies = append(currencies, o.Currency)
		}
		nights = nights || o.Nights != 0
	}
	return currencies, nights
}

func (o Observation) flags(at int) uint64 {
	return uint64(at)<<currencyFrom | uint64(o.Stops)<<stopsShift | packed.Bit(o.DayOnly)*dayOnlyFlag
}

// Unpack appends a block's observations to dst, or returns dst unchanged and an error.
func Unpack(dst []Observation, data []byte) (all []Observation, err error) {
	switch {
	case len(data) > 0 && data[0] == euroFormat:
		all, err = unpackEuro(dst, data)
	case len(data) > 0 && data[0] == flightFormat:
		all, err = unpackFlights(dst, data)
	default:
		all, err = unpack(dst, data)
	}
	if err != nil {
		return dst, fmt.Errorf("unpack observations: %w", err)
	}
	return all, nil
}

func unpack(dst []Observation, data []byte) ([]Observation, error) {
	r := packed.NewReader(data, packFormat)
	currencies := make([]Currency, r.Len())
	for i := range currencies {
		currencies[i] = ReadCurrency(&r)
	}
	nights := r.Uint() != 0
	count := r.Len()
	all := slices.Grow(dst, count)
	var found int64
	prices := make([]Cents, len(currencies))
	for range count {
		found += r.Int()
		o := Observation{Found: found, Depart: dayOfUnix(found) + leadOf(&r)}
		price := Cents(r.Int())
		flags := r.Uint()
		at := flags >> currencyFrom
		if at >= uint64(len(currencies)) {
			r.Fail(errUnlisted)
			break
		}
		prices[at] += price
		o.Price, o.Currency = prices[at], currencies[at]
		o.Stops, o.DayOnly = Stops(flags>>stopsShift&stopsMask), flags&dayOnlyFlag != 0
		if nights {
			o.Nights = int16(r.UintTo(MaxNights))
		}
		all = append(all, o)
	}
	return all, r.Err()
}

var errUnlisted = errors.New("a currency that is not listed")

func unpackEuro(dst []Observation, data []byte) ([]Observation, error) {
	r := packed.NewReader(data, euroFormat)
	count := r.Len()
	all := slices.Grow(dst, count)
	var found, price int64
	for range count {
		found += r.Int()
		lead := leadOf(&r)
		price += r.Int()
		all = append(all, Observation{Found: found, Depart: dayOfUnix(found) + lead, Price: Cents(price)})
	}
	return all, r.Err()
}

// leadOf accepts -1: west of UTC, the day of departure can be the day before the UTC day of Found.
func leadOf(r *packed.Reader) Day {
	lead := r.Int()
	if lead < -1 || lead > MaxLead {
		r.Fail(fmt.Errorf("lead time of %d days", lead))
		return 0
	}
	return Day(lead)
}
