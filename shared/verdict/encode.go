package verdict

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"verdetto/shared/fare"
	"verdetto/shared/fare/packed"
)

// The lows outlive their observations, so the part of an encoded summary up to the lows cannot be
// computed again. Do not change lowsFormat.
const (
	lowsFormat    = 5
	summaryFormat = 1
)

const (
	stopsUnknown = iota
	allNonStop
	someNonStop
)

func (s RouteSummary) Encode() []byte {
	w := packed.NewWriter(lowsFormat, 96+4*len(s.Lows))
	w.Int(int64(s.AsOf), s.DeepRequest)
	w.Uint(s.Currency.Pack())
	w.Uint(math.Float64bits(s.PerEuro))
	s.encodeLows(&w, s.Lows)
	separate := false
	switch {
	case s.NonStop == nil:
		w.Uint(stopsUnknown)
	case s.NonStop.equal(s.View):
		w.Uint(allNonStop)
	default:
		separate = true
		w.Uint(someNonStop)
		s.encodeLows(&w, s.NonStop.Lows)
	}
	w.Uint(summaryFormat)
	s.encodeView(&w, s.View)
	if separate {
		s.encodeView(&w, *s.NonStop)
	}
	w.Uint(packed.Bit(s.Basis != nil))
	encodeBasis(&w, s.Basis)
	return w
}

func encodeBasis(w *packed.Writer, b *Basis) {
	if b != nil {
		w.Uint(math.Float64bits(b.Ratio))
		w.Uint(uint64(b.Departures))
	}
}

func decodeBasis(r *packed.Reader) *Basis {
	b := &Basis{math.Float64frombits(r.Uint()), int(r.Uint())}
	if !(b.Ratio > 0) || math.IsInf(b.Ratio, 0) {
		r.Fail(packed.ErrRange)
	}
	return b
}

func (s RouteSummary) encodeView(w *packed.Writer, v View) {
	w.Int(v.Newest, int64(v.Observations))
	w.Int(int64(len(v.Live)))
	for _, l := range v.Live {
		w.Int(int64(l.Depart-s.AsOf), int64(l.Price), v.Newest-l.Found)
		w.Uint(uint64(l.Nights))
		w.Uint(packed.Bit(l.Flight.Known())<<4 | uint64(l.Stops)<<2 | packed.Bit(l.DayOnly)<<1 | packed.Bit(l.Quoted != fare.Money{}))
		encodeQuoted(w, l.Quoted)
		if l.Flight.Known() {
			l.Flight.Encode(w)
		}
	}
	encodeMonths(w, v.Months)
	encodeWindow(w, v.Window)
}

func (s RouteSummary) encodeLows(w *packed.Writer, lows []Low) {
	w.Int(int64(len(lows)))
	price := fare.Cents(0)
	for _, l := range lows {
		w.Uint(uint64(l.Price-price)<<1 | packed.Bit(l.Quoted != fare.Money{}))
		w.Uint16(uint16(s.AsOf - l.Day))
		encodeQuoted(w, l.Quoted)
		price = l.Price
	}
}

func encodeQuoted(w *packed.Writer, m fare.Money) {
	if m != (fare.Money{}) {
		w.Uint(m.Currency.Pack())
		w.Int(int64(m.Amount))
	}
}

func encodeMonths(w *packed.Writer, months []Month) {
	w.Int(int64(len(months)))
	for _, m := range months {
		w.Int(int64(m.Month), int64(m.Median), int64(m.Minimum), int64(m.Sample))
	}
}

func encodeWindow(w *packed.Writer, b *Window) {
	if b == nil {
		w.Int(0)
		return
	}
	w.Int(1, int64(b.From), int64(b.To), int64(b.Median), int64(b.Sample), int64(b.Saving))
}

func (v View) equal(u View) bool {
	same := func(a, b *Window) bool { return a == b || a != nil && b != nil && *a == *b }
	return v.Newest == u.Newest && v.Observations == u.Observations && slices.Equal(v.Lows, u.Lows) &&
		slices.Equal(v.Live, u.Live) && slices.Equal(v.Months, u.Months) && same(v.Window, u.Window)
}

// Decode returns packed.ErrVersion for data of another format. If only the part after the lows has
// another format, the summary still has its lows, and AsOf is 0.
func Decode(data []byte) (RouteSummary, error) {
	r := packed.NewReader(data, lowsFormat)
	s := RouteSummary{AsOf: fare.Day(r.Int()), DeepRequest: r.Int(), Currency: fare.ReadCurrency(&r),
		PerEuro: math.Float64frombits(r.Uint())}
	s.Lows = s.decodeLows(&r)
	stops := r.Uint()
	if stops >= someNonStop {
		s.NonStop = &View{Lows: s.decodeLows(&r)}
	}
	format := r.Uint()
	if format != summaryFormat {
		r.Fail(fmt.Errorf("format %d %w", format, packed.ErrVersion))
	}
	s.decodeView(&r, &s.View)
	switch {
	case s.NonStop != nil:
		s.decodeView(&r, s.NonStop)
	case stops == allNonStop:
		v := s.View
		s.NonStop = &v
	}
	if r.Uint() != 0 {
		s.Basis = decodeBasis(&r)
	}
	err := r.Err()
	switch {
	case err == nil:
		return s, nil
	case errors.Is(err, packed.ErrVersion):
		s.AsOf = 0
	default:
		s = RouteSummary{}
	}
	return s, fmt.Errorf("decode route summary: %w", err)
}

func (s RouteSummary) decodeView(r *packed.Reader, v *View) {
	v.Newest, v.Observations = r.Int(), int(r.Int())
	v.Live = make([]Live, r.Count(r.Int()))
	for i := range v.Live {
		l := Live{Depart: s.AsOf + fare.Day(r.Int()), Price: fare.Cents(r.Int()), Found: v.Newest - r.Int(),
			Nights: int16(r.Uint())}
		flags := r.Uint()
		l.Stops, l.DayOnly, l.Quoted = fare.Stops(flags>>2&3), flags&2 != 0, decodeMoney(r, flags)
		if flags>>4&1 == 1 {
			l.Flight = fare.DecodeFlight(r)
		}
		v.Live[i] = l
	}
	v.Months, v.Window = decodeMonths(r), decodeWindow(r)
}

func (s RouteSummary) decodeLows(r *packed.Reader) []Low {
	lows := make([]Low, r.Count(r.Int()))
	price := fare.Cents(0)
	for i := range lows {
		step := r.Uint()
		price += fare.Cents(step >> 1)
		lows[i] = Low{Day: s.AsOf - fare.Day(r.Uint16()), Price: price, Quoted: decodeMoney(r, step)}
	}
	return lows
}

func decodeMoney(r *packed.Reader, flags uint64) fare.Money {
	if flags&1 == 0 {
		return fare.Money{}
	}
	return fare.Money{Currency: fare.ReadCurrency(r), Amount: fare.Cents(r.Int())}
}

func decodeMonths(r *packed.Reader) []Month {
	months := make([]Month, r.Count(r.Int()))
	for i := range months {
		months[i] = Month{int(r.Int()), fare.Cents(r.Int()), fare.Cents(r.Int()), int(r.Int())}
	}
	return months
}

func decodeWindow(r *packed.Reader) *Window {
	if r.Count(r.Int()) != 1 {
		return nil
	}
	return &Window{int(r.Int()), int(r.Int()), fare.Cents(r.Int()), int(r.Int()), fare.Cents(r.Int())}
}
