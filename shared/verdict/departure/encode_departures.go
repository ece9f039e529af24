package departure

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"verdetto/shared/fare"
	"verdetto/shared/fare/packed"
)

type Departures map[fare.Day]*Past

func (d Departures) See(day fare.Day, q Quote) {
	at := day + fare.Day(q.Lead)
	if d[at] == nil {
		d[at] = new(Past)
	}
	d[at].See(day, q.Price)
}

// Encode omits departures before the given day, and departures not seen for more than 60 days. It also
// removes old prices from d.
func (d Departures) Encode(day fare.Day) []byte {
	var live []fare.Day
	var base, unit fare.Cents // all prices differ from base by multiples of unit
	for _, at := range slices.Sorted(maps.Keys(d)) {
		if last, price, ok := d[at].Last(); !ok || at < day || last < day-lowDays {
			continue
		} else if len(live) == 0 {
			base = price
		}
		d[at].forget(day)
		live = append(live, at)
		for _, low := range d[at].lows {
			unit = fare.GCD(unit, low.price-base)
		}
	}
	unit = max(1, unit)
	w := packed.NewWriter(departuresFormat, 16+16*len(live))
	w.Int(int64(day))
	w.Uint(uint64(base))
	w.Uint(uint64(unit))
	w.Uint(uint64(len(live)))
	before, price := day, base
	for _, at := range live {
		p := d[at]
		newest := len(p.lows) - 1
		w.Uint(uint64(at-before)*lastDays + uint64(day-p.lows[newest].day))
		w.Uint(uint64(newest*(maxMoves+1) + len(p.moves)))
		w.Int(int64((p.lows[newest].price - price) / unit))
		for i := newest; i > 0; i-- { // each low is older and cheaper than the next
			w.Uint(uint64(p.lows[i].day - p.lows[i-1].day))
			w.Uint(uint64((p.lows[i].price - p.lows[i-1].price) / unit))
		}
		until := day
		for _, m := range p.moves {
			w.Uint(uint64(m - until))
			until = m
		}
		before, price = at, p.lows[newest].price
	}
	return w
}

const lastDays = lowDays + 1

func DecodeDepartures(data []byte) (Departures, error) {
	h := readHistories(data)
	d := make(Departures, h.left)
	pasts := make([]Past, h.left)
	lows, moves := make([]dayPrice, 0, h.left), []fare.Day(nil)
	for i := 0; h.left > 0; i++ {
		low, move := len(lows), len(moves)
		lows, moves = h.next(lows, moves)
		if pasts[i].lows = lows[low:len(lows):len(lows)]; len(moves) > move {
			pasts[i].moves = moves[move:len(moves):len(moves)]
		}
		d[h.at] = &pasts[i]
	}
	return d, h.ErrIn("departures")
}

func find(data []byte, depart fare.Day) *Past {
	h := readHistories(data)
	var p Past
	for h.left > 0 && (h.first || h.at < depart) {
		p.lows, p.moves = h.next(p.lows[:0], p.moves[:0])
	}
	if h.at != depart || len(p.lows) == 0 {
		return nil
	}
	return &p
}

type histories struct {
	packed.Reader
	left        int
	first       bool
	day         fare.Day
	at          fare.Day
	price, unit fare.Cents
}

func readHistories(data []byte) histories {
	r := packed.NewReader(data, departuresFormat)
	day, base, unit := readDay(&r), fare.Cents(min(r.Uint(), maxPrice)), fare.Cents(min(r.Uint(), maxPrice))
	n := r.Len()
	return histories{Reader: r, left: n, first: true, day: day, at: day, price: base, unit: unit}
}

func (h *histories) next(lows []dayPrice, moves []fare.Day) ([]dayPrice, []fare.Day) {
	days := h.Uint()
	gap, ago := days/lastDays, days%lastDays
	if !h.first && gap == 0 || gap > maxDays {
		return h.refuse(lows, moves)
	}
	h.first = false
	h.left--
	h.at += fare.Day(gap)
	counts := h.Uint()
	changes, older := int(counts%(maxMoves+1)), h.Count(int64(min(counts/(maxMoves+1), math.MaxInt32)))
	h.price += h.unit * fare.Cents(clamp(h.Int()))
	begin := len(lows)
	lows = slices.Grow(lows, older+1)[:begin+older+1]
	low := dayPrice{h.day - fare.Day(ago), h.price}
	lows[begin+older] = low
	for j := older - 1; j >= 0; j-- {
		earlier := dayPrice{low.day - fare.Day(min(h.Uint(), maxDays)), low.price - h.unit*fare.Cents(min(h.Uint(), maxPrice))}
		if earlier.day >= low.day || earlier.price >= low.price {
			return h.refuse(lows, moves)
		}
		low, lows[begin+j] = earlier, earlier
	}
	if low.price <= 0 || h.price > maxPrice {
		return h.refuse(lows, moves)
	}
	until := h.day
	for range changes {
		until += fare.Day(min(h.Uint(), maxDays))
		moves = append(moves, until)
	}
	return lows, moves
}

func (h *histories) refuse(lows []dayPrice, moves []fare.Day) ([]dayPrice, []fare.Day) {
	h.Fail(packed.ErrRange)
	h.left = 0
	return lows, moves
}

const (
	maxPrice = 1 << 40
	maxDays  = 1 << 12
)

func clamp(v int64) int64 { return max(-maxPrice, min(maxPrice, v)) }

func (qs Questions) Encode() []byte {
	sorted := slices.Clone(qs)
	slices.SortStableFunc(sorted, func(a, b question) int {
		return cmp.Or(cmp.Compare(a.day, b.day), cmp.Compare(a.depart, b.depart))
	})
	w := packed.NewWriter(questionsFormat, 16+10*len(qs))
	w.Uint(uint64(len(sorted)))
	var before question
	for _, q := range sorted {
		w.Int(int64(q.day-before.day), int64(q.depart-before.depart), int64(q.price-before.price))
		w.Uint16(q.cells.pack())
		flags := uint64(0)
		for h := range horizons {
			for _, set := range []bool{q.known[h], q.fell[h], q.learned[h]} {
				flags = 2*flags + packed.Bit(set)
			}
		}
		w.Uint(flags)
		before = q
	}
	return w
}

func DecodeQuestions(data []byte) (Questions, error) {
	r := packed.NewReader(data, questionsFormat)
	n := r.Len()
	qs := make(Questions, 0, n)
	var q question
	for range n {
		q.day += readDay(&r)
		q.depart += readDay(&r)
		q.price += fare.Cents(clamp(r.Int()))
		cells, ok := unpackCells(int(r.Uint16()))
		flags := r.Uint()
		if !ok || flags >= 1<<(3*int(horizons)) || q.price <= 0 || q.price > maxPrice || q.depart < q.day {
			r.Fail(packed.ErrRange)
			break
		}
		q.cells = cells
		for h := horizons - 1; h >= 0; h-- {
			for _, set := range []*bool{&q.learned[h], &q.fell[h], &q.known[h]} {
				*set = flags%2 == 1
				flags /= 2
			}
		}
		qs = append(qs, q)
	}
	return qs, r.ErrIn("questions")
}

func (c Cells) pack() uint16 {
	v := ((uint16(c[0])*levelCells+uint16(c[1])-levelFirst)*changeCells+uint16(c[2])-changeFirst)*lowCells + uint16(c[3]) - lowFirst
	return v*besideCells + uint16(c[4]) - besideFirst
}

func unpackCells(v int) (c Cells, ok bool) {
	c[4], v = uint8(v%besideCells)+besideFirst, v/besideCells
	c[3], v = uint8(v%lowCells)+lowFirst, v/lowCells
	c[2], v = uint8(v%changeCells)+changeFirst, v/changeCells
	c[1], v = uint8(v%levelCells)+levelFirst, v/levelCells
	c[0] = uint8(v)
	return c, v < leadCells
}
