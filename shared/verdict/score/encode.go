package score

import (
	"fmt"
	"math"

	"verdetto/shared/fare"
	"verdetto/shared/fare/packed"
)

const (
	countsFormat = 1
	roundsFormat = 2

	maxPrice = 1 << 40
	maxDay   = 1 << 24
)

func (c *Counts) Encode() []byte {
	w := packed.NewWriter(countsFormat, 256)
	zeros := uint64(0)
	c.each(func(n *int64) {
		if *n == 0 {
			zeros++
			return
		}
		w.Uint(zeros)
		w.Int(*n)
		zeros = 0
	})
	return w
}

var numbers = func() (n uint64) { new(Counts).each(func(*int64) { n++ }); return n }()

// DecodeCounts also accepts data of earlier versions, which stored fewer counts.
func DecodeCounts(data []byte) (*Counts, error) {
	r := packed.NewReader(data, countsFormat)
	var all []int64
	for r.More() {
		zeros := r.Uint()
		if uint64(len(all))+zeros >= numbers {
			r.Fail(packed.ErrRange)
			break
		}
		all = append(append(all, make([]int64, zeros)...), r.Int())
	}
	if err := r.Err(); err != nil {
		return nil, fmt.Errorf("decode counts: %w", err)
	}
	c := new(Counts)
	c.each(func(n *int64) {
		if len(all) > 0 {
			*n, all = all[0], all[1:]
		}
	})
	return c, nil
}

// Encode returns nil if there are no rounds.
func (r Rounds) Encode() []byte {
	if len(r) == 0 {
		return nil
	}
	w := packed.NewWriter(roundsFormat, 256)
	w.Uint(uint64(len(r)))
	for _, round := range r {
		w.Int(int64(round.Day))
		w.Uint(round.Rule)
		w.Uint(round.Currency.Pack())
		w.Uint(uint64(round.Settled))
		w.Uint(uint64(len(round.Departs))<<1 | packed.Bit(round.Route != nil))
		if s := round.Route; s != nil {
			w.Uint(uint64(s.Price))
			w.Uint(uint64(s.Age)<<2 | uint64(s.Level))
		}
		depart, price := round.Day, fare.Cents(0)
		for _, s := range round.Departs {
			w.Uint(uint64(s.Depart - depart))
			w.Int(int64(s.Price - price))
			percentile := s.Percentile
			if s.Fair {
				percentile |= fairFlag
			}
			w = append(w, s.Age<<2|s.Sure, percentile, s.Own[0], s.Own[1], s.Stated[0], s.Stated[1],
				s.Cheaper, s.Rival)
			depart, price = s.Depart, s.Price
		}
	}
	return w
}

const fairFlag = 128

// DecodeRounds returns no rounds, and no error, for data in another format.
func DecodeRounds(data []byte) (Rounds, error) {
	if len(data) == 0 || data[0] != roundsFormat {
		return nil, nil
	}
	r := packed.NewReader(data, roundsFormat)
	rounds := make(Rounds, r.Len())
	for i := range rounds {
		rounds[i] = decodeRound(&r)
	}
	return rounds, r.ErrIn("rounds")
}

func isStated(percent uint8) bool { return percent <= 5*(Bands-1) || percent == NotStated }

func decodeRound(r *packed.Reader) (round Round) {
	day := r.Int()
	if day < -maxDay || day > maxDay {
		r.Fail(packed.ErrRange)
	}
	round.Day, round.Rule, round.Currency = fare.Day(day), r.Uint(), fare.ReadCurrency(r)
	round.Settled = Settled(r.UintTo(uint64(FortnightSettled)))
	n := r.Uint()
	if n%2 == 1 {
		s := &RouteAnswer{Price: fare.Cents(r.UintTo(maxPrice))}
		age := r.UintTo(255<<2 | 3)
		s.Age, s.Level = uint8(age>>2), uint8(age&3)
		if s.Price == 0 {
			r.Fail(packed.ErrRange)
		}
		round.Route = s
	}
	depart, price := round.Day, fare.Cents(0)
	for range r.Count(int64(min(n/2, math.MaxInt32))) {
		depart += fare.Day(r.UintTo(maxDay))
		price += fare.Cents(max(-maxPrice, min(maxPrice, r.Int())))
		var b [8]uint8
		for i := range b {
			b[i] = r.Byte()
		}
		s := DepartureAnswer{
			Depart: depart, Price: price, Age: b[0] >> 2, Sure: b[0] & 3, Percentile: b[1] &^ fairFlag, Fair: b[1]&fairFlag != 0,
			Own: [Horizons]uint8{b[2], b[3]}, Stated: [Horizons]uint8{b[4], b[5]}, Cheaper: b[6], Rival: b[7],
		}
		if price <= 0 || price > maxPrice || depart > maxDay || s.Sure >= Sures || s.Percentile > 100 ||
			max(s.Own[0], s.Own[1]) >= ownUnit ||
			!isStated(s.Stated[0]) || !isStated(s.Stated[1]) || s.Cheaper > 100 || s.Rival > NoRival {
			r.Fail(packed.ErrRange)
			return round
		}
		round.Departs = append(round.Departs, s)
	}
	return round
}
