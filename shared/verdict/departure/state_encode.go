package departure

import (
	"fmt"
	"math"
	"slices"

	"verdetto/shared/fare"
	"verdetto/shared/fare/packed"
)

const (
	stateFormat = 4
	cycleFormat = 3
)

// MaxState is the maximum length in bytes. With its key and attribute names, the stored item then
// takes at most 8 KB, which DynamoDB reads with one eventually consistent read unit.
const MaxState = 8<<10 - 200

// Encode packs a state into at most MaxState bytes. 300 departures fit with their full history. A
// larger state loses details: first each departure keeps fewer of its low prices, then the latest
// departures are dropped.
func (s *State) Encode() []byte {
	data := s.encode(s.Pasts, s.Live)
	for lows := 4; len(data) > MaxState && lows > 0; lows /= 2 {
		data = s.encode(s.Pasts.thinned(lows, math.MaxInt32), s.Live)
	}
	last := s.AsOf + fare.MaxLead
	for ; len(data) > MaxState && last > s.AsOf; last -= 30 {
		i, _ := s.find(last)
		data = s.encode(s.Pasts.thinned(1, last), s.Live[:i])
	}
	return data
}

// thinned returns the departures that leave before a day. Each keeps its newest low prices, at most
// lows of them, and the cheapest older one.
func (d Departures) thinned(lows int, before fare.Day) Departures {
	var few Departures
	for i := range d {
		if d[i].depart >= before {
			break
		}
		p := d[i].clone()
		if n := len(p.lows); n > lows+1 { // lows are sorted, the lowest first
			p.lows = slices.Delete(p.lows, 1, n-lows)
		}
		few = append(few, *p)
	}
	return few
}

func (s *State) encode(pasts Departures, live []Live) []byte {
	w := packed.NewWriter(stateFormat, 1<<10)
	w.Int(int64(s.AsOf))
	w.Uint(s.Currency.Pack())
	w.Uint(math.Float64bits(s.PerEuro))
	w.Uint(uint64(s.Stops))
	w.Bytes(s.Facts)
	w.Bytes(s.Route.Encode())
	s.Minima.encode(&w)
	w.Bytes(pasts.Encode(s.AsOf))
	encodeLive(&w, s.AsOf, live)
	return w
}

// The flags of a live fare, below the stops and the nights.
const (
	foreignFlag = 1
	dayOnlyFlag = 2
	stopsShift  = 2
	nightsShift = 4
)

func (l Live) flags() uint64 {
	flags := uint64(l.Nights)<<nightsShift | uint64(l.Stops)<<stopsShift
	if l.DayOnly {
		flags |= dayOnlyFlag
	}
	if l.Quoted != (fare.Money{}) {
		flags |= foreignFlag
	}
	return flags
}

// encodeLive packs live fares into about 7 bytes each. Prices are differences in multiples of their
// greatest common divisor; a legend holds the flights.
func encodeLive(w *packed.Writer, asOf fare.Day, live []Live) {
	var base, unit fare.Cents
	for i, l := range live {
		if i == 0 {
			base = l.Price
		}
		unit = gcd(unit, l.Price-base)
	}
	unit = max(1, unit)
	w.Uint(uint64(len(live)))
	w.Uint(uint64(base))
	w.Uint(uint64(unit))
	legend := fare.NewLegend(len(live), func(i int) (uint64, fare.Flight) { return live[i].flags(), live[i].Flight })
	legend.Encode(w)
	end := (asOf + 1).Time().Unix()
	before, price := asOf, base
	for _, l := range live {
		w.Uint(uint64(l.Depart - before))
		w.Int(int64((l.Price - price) / unit))
		legend.Put(w, l.flags(), l.Flight)
		if l.DayOnly {
			w.Uint(uint64(asOf - l.FoundDay()))
		} else {
			w.Uint(uint64(end - l.Found))
		}
		if l.flags()&foreignFlag != 0 {
			w.Uint(l.Quoted.Currency.Pack())
			w.Uint(uint64(l.Quoted.Amount))
		}
		before, price = l.Depart, l.Price
	}
}

func DecodeState(data []byte) (*State, error) {
	r := packed.NewReader(data, stateFormat)
	s := &State{AsOf: readDay(&r), Currency: readCurrency(&r), PerEuro: math.Float64frombits(r.Uint())}
	stops := r.Uint()
	if stops > uint64(OnlyNonStop) || math.IsNaN(s.PerEuro) || math.IsInf(s.PerEuro, 0) || s.PerEuro < 0 {
		r.Fail(errRange)
	}
	s.Stops = StopsKnown(stops)
	s.Facts = slices.Clone(r.Bytes())
	route := r.Bytes()
	s.Minima.decode(&r)
	pasts := r.Bytes()
	s.Live = decodeLive(&r, s.AsOf)
	err := r.Err()
	if err == nil {
		var decoded *Route
		if decoded, err = DecodeRoute(route); err == nil {
			s.Route = *decoded
			for i := range s.Minima {
				s.Minima[i].noCurve = decoded.noCurve
			}
			s.Pasts, err = DecodeDepartures(pasts)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("decode sheet: %w", err)
	}
	return s, nil
}

// Round gives s what DecodeState returns for s.Encode(), without encoding it if it is certain to be
// short enough. It changes slices of s in place.
func (s *State) Round() error {
	if s.maxLength() > MaxState {
		stored, err := DecodeState(s.Encode())
		if err == nil {
			*s = *stored
		}
		return err
	}
	s.Airlines = ""
	ok := s.Route.round()
	for i := range s.Minima {
		m := s.Minima.route(Span(i))
		if m.count == 0 {
			*m = Route{single: true}
		}
		m.noCurve = s.Route.noCurve
		ok = m.round() && ok
	}
	s.Pasts = s.Pasts.since(s.AsOf)
	for i := range s.Pasts {
		s.Pasts[i].forget(s.AsOf)
	}
	for i := range s.Live {
		if l := &s.Live[i]; l.DayOnly {
			l.Found = l.FoundDay().Time().Unix()
		}
	}
	if !ok {
		return fmt.Errorf("round sheet: %w", errRange)
	}
	return nil
}

// maxLength returns a length that s.Encode does not exceed. Prices and weights take at most 6 bytes.
func (s *State) maxLength() int {
	const bar, past, low, move, live = 7, 11, 8, 2, 80
	n := 500 + len(s.Facts) + live*len(s.Live)
	for _, bars := range s.Route.residuals {
		n += bar * len(bars)
	}
	for i := range s.Minima {
		n += bar * len(s.Minima[i].residuals[0])
	}
	for _, p := range s.Pasts {
		n += past + low*len(p.lows) + move*len(p.moves)
	}
	return n
}

// round returns false if a number cannot be stored.
func (r *Route) round() bool {
	sum := 0.
	round := func(all ...*float64) {
		for _, v := range all {
			*v = float64(float32(*v))
			sum += *v - *v // NaN unless it is finite
		}
	}
	round(&r.level.sum, &r.level.weight)
	for h := range r.terms {
		t := &r.terms[h]
		round(&t.value, &t.information, &t.cases)
	}
	for g, bars := range r.residuals {
		for i := range bars {
			bars[i].mass = math.Round(bars[i].mass/massUnit) * massUnit
		}
		r.residuals[g] = slices.DeleteFunc(bars, func(b bar) bool { return b.mass == 0 })
	}
	return sum == 0
}

func readCurrency(r *packed.Reader) fare.Currency {
	c, known := fare.UnpackCurrency(r.Uint())
	if !known {
		r.Fail(errRange)
	}
	return c
}

func decodeLive(r *packed.Reader, asOf fare.Day) []Live {
	n := r.Count(int64(min(r.Uint(), math.MaxInt32)))
	price, unit := fare.Cents(min(r.Uint(), maxPrice)), fare.Cents(min(r.Uint(), maxPrice))
	legend := fare.DecodeLegend(r)
	live := make([]Live, 0, n)
	end := (asOf + 1).Time().Unix()
	at := asOf
	for i := range n {
		gap := r.Uint()
		at += fare.Day(min(gap, maxDays))
		price += unit * fare.Cents(clamp(r.Int()))
		flags, flight := legend.Get(r)
		l := Live{Depart: at, Price: price, Nights: int16(min(flags>>nightsShift, fare.MaxNights)),
			Stops: fare.Stops(flags >> stopsShift & 3), DayOnly: flags&dayOnlyFlag != 0, Flight: flight}
		if ago := int64(min(r.Uint(), math.MaxInt32)); l.DayOnly {
			l.Found = (asOf - fare.Day(min(ago, maxDays))).Time().Unix()
		} else {
			l.Found = end - ago
		}
		if flags&foreignFlag != 0 {
			l.Quoted.Currency = readCurrency(r)
			l.Quoted.Amount = fare.Cents(min(r.Uint(), maxPrice))
		}
		if i > 0 && gap == 0 || price <= 0 || price > maxPrice {
			r.Fail(errRange)
			return nil
		}
		live = append(live, l)
	}
	return live
}

// Cycle holds the pooled statistics after all refreshes of one day.
type Cycle struct {
	Day    fare.Day
	Pooled *Pooled
	// Warmed is the day of the first refresh of a store, if that refresh computed this Cycle from
	// all stored observations, and 0 once fares of later days were added.
	Warmed fare.Day
}

func (c Cycle) Encode() []byte {
	w := packed.NewWriter(cycleFormat, 1700)
	w.Int(int64(c.Day), int64(c.Warmed))
	w.Bytes(c.Pooled.Encode())
	w.Bytes(c.Pooled.Experience.encode())
	return w
}

func DecodeCycle(data []byte) (c Cycle, err error) {
	r := packed.NewReader(data, cycleFormat)
	c.Day, c.Warmed = readDay(&r), readDay(&r)
	pooled, learned := r.Bytes(), r.Bytes()
	if err = r.Err(); err == nil {
		if c.Pooled, err = DecodePooled(pooled); err == nil {
			c.Pooled.Experience, err = decodeExperience(learned)
		}
	}
	if err != nil {
		return Cycle{}, fmt.Errorf("decode cycle: %w", err)
	}
	return c, nil
}
