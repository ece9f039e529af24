package verdict

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"verdetto/shared/fare"
	"verdetto/shared/fare/packed"
)

// The first byte of an encoded summary. A summary in which the flight of any live fare (found in
// the last 7 days) is known is in flightFormat. A summary with a Basis is in basisFormat. Earlier
// versions wrote summaries in euroFormat, which Decode still reads. Such a summary is in euro and
// its stops are unknown.
const (
	basisFormat   = 4
	flightFormat  = 3
	summaryFormat = 2
	euroFormat    = 1
)

// A byte states how the view of non-stop fares is stored.
const (
	stopsUnknown = iota // there is no view of non-stop fares
	allNonStop          // the view of non-stop fares equals the view of all fares
	someNonStop         // the view of non-stop fares follows
)

// Encode packs the summary. Prices of lows are stored as differences from the previous low. Days
// are stored as the number of days before AsOf. Three years of lows take about 4 KB.
func (s RouteSummary) Encode() []byte {
	format := byte(summaryFormat)
	if s.hasFlights() || s.NonStop != nil && s.NonStop.hasFlights() {
		format = flightFormat
	}
	if s.Basis != nil {
		format = basisFormat
	}
	w := packed.NewWriter(format, 96+4*len(s.Lows))
	w.Int(int64(s.AsOf), s.DeepRequest)
	w.Uint(s.Currency.Pack())
	w.Uint(math.Float64bits(s.PerEuro))
	s.encodeView(&w, s.View)
	switch {
	case s.NonStop == nil:
		w.Uint(stopsUnknown)
	case s.NonStop.equal(s.View):
		w.Uint(allNonStop)
	default:
		w.Uint(someNonStop)
		s.encodeView(&w, *s.NonStop)
	}
	encodeBasis(&w, s.Basis)
	return w
}

// encodeBasis writes nothing for nil: a format of its own says that there is a Basis.
func encodeBasis(w *packed.Writer, b *Basis) {
	if b != nil {
		w.Uint(math.Float64bits(b.Ratio))
		w.Uint(uint64(b.Departures))
	}
}

func decodeBasis(r *packed.Reader) *Basis {
	b := &Basis{math.Float64frombits(r.Uint()), int(r.Uint())}
	if !(b.Ratio > 0) || math.IsInf(b.Ratio, 0) {
		r.Fail(errors.New("a ratio that cannot be"))
	}
	return b
}

func (s RouteSummary) encodeView(w *packed.Writer, v View) {
	w.Int(v.Newest, int64(v.Observations))
	w.Int(int64(len(v.Live)))
	for _, l := range v.Live {
		w.Int(int64(l.Depart-s.AsOf), int64(l.Price), v.Newest-l.Found)
		w.Uint(uint64(l.Nights))
		w.Uint(bit(l.Flight.Known())<<4 | uint64(l.Stops)<<2 | bit(l.DayOnly)<<1 | bit(l.Quoted != fare.Money{}))
		encodeQuoted(w, l.Quoted)
		if l.Flight.Known() {
			l.Flight.Encode(w)
		}
	}
	encodeMonths(w, v.Months)
	encodeWindow(w, v.Window)
	w.Int(int64(len(v.Lows)))
	price := fare.Cents(0)
	for _, l := range v.Lows {
		w.Uint(uint64(l.Price-price)<<1 | bit(l.Quoted != fare.Money{}))
		w.Uint16(uint16(s.AsOf - l.Day)) // at most LowDays
		encodeQuoted(w, l.Quoted)
		price = l.Price
	}
}

func (v View) hasFlights() bool {
	return slices.ContainsFunc(v.Live, func(l Live) bool { return l.Flight.Known() })
}

func bit(yes bool) uint64 {
	if yes {
		return 1
	}
	return 0
}

// encodeQuoted writes the amount m as it was quoted. It writes nothing if m is zero.
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

// Decode parses the bytes that Encode returned, from this or an earlier version.
func Decode(data []byte) (RouteSummary, error) {
	decode := decodeQuoted
	if len(data) > 0 && data[0] == euroFormat {
		decode = decodeEuro
	}
	s, err := decode(data)
	if err != nil {
		return RouteSummary{}, fmt.Errorf("decode route summary: %w", err)
	}
	return s, nil
}

func decodeQuoted(data []byte) (RouteSummary, error) {
	format := byte(summaryFormat)
	if len(data) > 0 && (data[0] == flightFormat || data[0] == basisFormat) {
		format = data[0]
	}
	r := packed.NewReader(data, format)
	s := RouteSummary{AsOf: fare.Day(r.Int()), DeepRequest: r.Int(), Currency: decodeCurrency(&r),
		PerEuro: math.Float64frombits(r.Uint())}
	s.View = s.decodeView(&r)
	switch r.Uint() {
	case stopsUnknown:
	case allNonStop:
		v := s.View
		s.NonStop = &v
	default:
		v := s.decodeView(&r)
		s.NonStop = &v
	}
	if format == basisFormat {
		s.Basis = decodeBasis(&r)
	}
	return s, r.Err()
}

func (s RouteSummary) decodeView(r *packed.Reader) View {
	v := View{Newest: r.Int(), Observations: int(r.Int())}
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
	v.Lows = make([]Low, r.Count(r.Int()))
	price := fare.Cents(0)
	for i := range v.Lows {
		step := r.Uint()
		price += fare.Cents(step >> 1)
		v.Lows[i] = Low{Day: s.AsOf - fare.Day(r.Uint16()), Price: price, Quoted: decodeMoney(r, step)}
	}
	return v
}

func decodeCurrency(r *packed.Reader) fare.Currency {
	c, known := fare.UnpackCurrency(r.Uint())
	if !known {
		r.Fail(errors.New("a currency that is none"))
	}
	return c
}

// decodeMoney reads a quoted amount if the lowest bit of flags is set. Else it returns zero.
func decodeMoney(r *packed.Reader, flags uint64) fare.Money {
	if flags&1 == 0 {
		return fare.Money{}
	}
	return fare.Money{Currency: decodeCurrency(r), Amount: fare.Cents(r.Int())}
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

// decodeEuro parses a summary in euroFormat, the format of earlier versions.
func decodeEuro(data []byte) (RouteSummary, error) {
	r := packed.NewReader(data, euroFormat)
	s := RouteSummary{AsOf: fare.Day(r.Int()), PerEuro: 1}
	s.Newest, s.Observations = r.Int(), int(r.Int())
	s.Live = make([]Live, r.Count(r.Int()))
	for i := range s.Live {
		s.Live[i] = Live{Depart: s.AsOf + fare.Day(r.Int()), Price: fare.Cents(r.Int()), Found: s.Newest - r.Int()}
	}
	s.Months, s.Window = decodeMonths(&r), decodeWindow(&r)
	s.Lows = make([]Low, r.Count(r.Int()))
	price := fare.Cents(0)
	for i := range s.Lows {
		price += fare.Cents(r.Uint())
		s.Lows[i] = Low{Day: s.AsOf - fare.Day(r.Uint16()), Price: price}
	}
	return s, r.Err()
}
