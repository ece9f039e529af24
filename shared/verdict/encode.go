package verdict

import (
	"fmt"

	"verdetto/shared/fare"
	"verdetto/shared/varint"
)

// summaryFormat is the first byte of an encoded summary. A reader that meets
// another one says so; the next refresh writes the summary anew.
const summaryFormat = 1

// Encode packs the summary: prices of lows as distances from the one before,
// days as distances back from AsOf. Three years of lows fit in about 4 KB.
func (s RouteSummary) Encode() []byte {
	w := varint.NewWriter(summaryFormat, 64+4*len(s.Lows))
	w.Int(int64(s.AsOf), s.Newest, int64(s.Observations))
	w.Int(int64(len(s.Live)))
	for _, l := range s.Live {
		w.Int(int64(l.Depart-s.AsOf), int64(l.Price), s.Newest-l.Found)
	}
	w.Int(int64(len(s.Months)))
	for _, m := range s.Months {
		w.Int(int64(m.Month), int64(m.Median), int64(m.Minimum), int64(m.Sample))
	}
	if b := s.Window; b == nil {
		w.Int(0)
	} else {
		w.Int(1, int64(b.From), int64(b.To), int64(b.Median), int64(b.Sample), int64(b.Saving))
	}
	w.Int(int64(len(s.Lows)))
	price := fare.Cents(0)
	for _, l := range s.Lows {
		w.Uint(uint64(l.Price - price))
		w.Uint16(uint16(s.AsOf - l.Day)) // at most LowDays
		price = l.Price
	}
	return w
}

// Decode unpacks what Encode packed.
func Decode(data []byte) (RouteSummary, error) {
	r := varint.NewReader(data, summaryFormat)
	s := RouteSummary{AsOf: fare.Day(r.Int()), Newest: r.Int(), Observations: int(r.Int())}
	s.Live = make([]Live, r.Count(r.Int()))
	for i := range s.Live {
		s.Live[i] = Live{s.AsOf + fare.Day(r.Int()), fare.Cents(r.Int()), s.Newest - r.Int()}
	}
	s.Months = make([]Month, r.Count(r.Int()))
	for i := range s.Months {
		s.Months[i] = Month{int(r.Int()), fare.Cents(r.Int()), fare.Cents(r.Int()), int(r.Int())}
	}
	if r.Count(r.Int()) == 1 {
		s.Window = &Window{int(r.Int()), int(r.Int()), fare.Cents(r.Int()), int(r.Int()), fare.Cents(r.Int())}
	}
	s.Lows = make([]Low, r.Count(r.Int()))
	price := fare.Cents(0)
	for i := range s.Lows {
		price += fare.Cents(r.Uint())
		s.Lows[i] = Low{s.AsOf - fare.Day(r.Uint16()), price}
	}
	if err := r.Err(); err != nil {
		return RouteSummary{}, fmt.Errorf("decode route summary: %w", err)
	}
	return s, nil
}
