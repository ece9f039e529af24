package verdict

import (
	"encoding/binary"
	"errors"
	"fmt"

	"verdetto/shared/fare"
)

// sheetFormat is the first byte of an encoded sheet. A reader that meets another
// another one says so; the next refresh writes the sheet anew.
const sheetFormat = 1

// Encode packs the sheet: varints, prices of lows as distances from the one
// before, days as distances back from AsOf. Three years of lows fit in about 4 KB.
func (s RouteSummary) Encode() []byte {
	b := make([]byte, 0, 64+4*len(s.Lows))
	b = append(b, sheetFormat)
	put := func(values ...int64) {
		for _, v := range values {
			b = binary.AppendVarint(b, v)
		}
	}
	put(int64(s.AsOf), s.Newest, int64(s.Observations))
	put(int64(len(s.Live)))
	for _, l := range s.Live {
		put(int64(l.Depart-s.AsOf), int64(l.Price), s.Newest-l.Found)
	}
	put(int64(len(s.Months)))
	for _, m := range s.Months {
		put(int64(m.Month), int64(m.Median), int64(m.Minimum), int64(m.Sample))
	}
	if w := s.Window; w == nil {
		put(0)
	} else {
		put(1, int64(w.From), int64(w.To), int64(w.Median), int64(w.Sample), int64(w.Saving))
	}
	put(int64(len(s.Lows)))
	price := fare.Cents(0)
	for _, l := range s.Lows {
		b = binary.AppendUvarint(b, uint64(l.Price-price))
		b = binary.LittleEndian.AppendUint16(b, uint16(s.AsOf-l.Day)) // at most LowDays
		price = l.Price
	}
	return b
}

var errCut = errors.New("cut short")

// reader takes varints off the front of a sheet and remembers the first fault.
type reader struct {
	data []byte
	err  error
}

func (r *reader) take(v int64, n int) int64 {
	if n <= 0 {
		r.data, r.err = nil, errCut
		return 0
	}
	r.data = r.data[n:]
	return v
}

func (r *reader) int() int64 { v, n := binary.Varint(r.data); return r.take(v, n) }

// low reads the price, as its distance from the one before, and the day, as its distance back.
func (r *reader) low() (price uint64, ago uint16) {
	n := 1
	if len(r.data) > 0 && r.data[0] < 0x80 { // nearly always
		price = uint64(r.data[0])
	} else {
		price, n = binary.Uvarint(r.data)
	}
	if n <= 0 || len(r.data) < n+2 {
		r.data, r.err = nil, errCut
		return 0, 0
	}
	ago = binary.LittleEndian.Uint16(r.data[n:])
	r.data = r.data[n+2:]
	return price, ago
}

// count reads a length and refuses one that the rest cannot hold.
func (r *reader) count() int {
	n := r.int()
	if n < 0 || n > int64(len(r.data)) {
		r.data, r.err = nil, errCut
		return 0
	}
	return int(n)
}

// Decode unpacks what Encode packed.
func Decode(data []byte) (RouteSummary, error) {
	if len(data) == 0 {
		return RouteSummary{}, fmt.Errorf("decode sheet: %w", errCut)
	}
	if data[0] != sheetFormat {
		return RouteSummary{}, fmt.Errorf("decode sheet: format %d is not known", data[0])
	}
	r := &reader{data: data[1:]}
	s := RouteSummary{AsOf: fare.Day(r.int()), Newest: r.int(), Observations: int(r.int())}
	s.Live = make([]Live, r.count())
	for i := range s.Live {
		s.Live[i] = Live{s.AsOf + fare.Day(r.int()), fare.Cents(r.int()), s.Newest - r.int()}
	}
	s.Months = make([]Month, r.count())
	for i := range s.Months {
		s.Months[i] = Month{int(r.int()), fare.Cents(r.int()), fare.Cents(r.int()), int(r.int())}
	}
	if r.count() == 1 {
		s.Window = &Window{int(r.int()), int(r.int()), fare.Cents(r.int()), int(r.int()), fare.Cents(r.int())}
	}
	s.Lows = make([]Low, r.count())
	price := fare.Cents(0)
	for i := range s.Lows {
		more, ago := r.low()
		price += fare.Cents(more)
		s.Lows[i] = Low{s.AsOf - fare.Day(ago), price}
	}
	if r.err == nil && len(r.data) > 0 {
		r.err = fmt.Errorf("%d bytes too many", len(r.data))
	}
	if r.err != nil {
		return RouteSummary{}, fmt.Errorf("decode sheet: %w", r.err)
	}
	return s, nil
}
