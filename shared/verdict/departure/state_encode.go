package departure

import (
	"fmt"
	"math"
	"slices"

	"verdetto/shared/fare"
	"verdetto/shared/fare/packed"
)

const (
	stateFormat = 5
	cycleFormat = 3
)

// With key and attribute names, an item of MaxState bytes takes at most 8 KB, which DynamoDB reads
// with one eventually consistent read unit.
const MaxState = 8<<10 - 200

// If a state exceeds MaxState bytes, Encode drops first old prices, then the latest departures.
func (s *State) Encode() []byte {
	pasts := s.departures()
	data := s.encode(pasts, s.Live)
	for lows := 4; len(data) > MaxState && lows > 0; lows /= 2 {
		data = s.encode(pasts.thinned(lows, math.MaxInt32), s.Live)
	}
	last := s.AsOf + fare.MaxLead
	for ; len(data) > MaxState && last > s.AsOf; last -= 30 {
		i, _ := s.find(last)
		data = s.encode(pasts.thinned(1, last), s.Live[:i])
	}
	return data
}

// thinned returns the departures before a day, each with its cheapest low and its newest lows.
func (d Departures) thinned(lows int, before fare.Day) Departures {
	few := Departures{}
	for at, past := range d {
		if at >= before {
			continue
		}
		p := past.clone()
		if n := len(p.lows); n > lows+1 {
			p.lows = slices.Delete(p.lows, 1, n-lows)
		}
		few[at] = p
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
	return w.Seal()
}

const (
	foreignFlag = 1
	dayOnlyFlag = 2
	stopsShift  = 2
	nightsShift = 4
)

func (l Live) flags() uint64 {
	return packed.Bit(l.Quoted != fare.Money{})*foreignFlag | packed.Bit(l.DayOnly)*dayOnlyFlag |
		uint64(l.Stops)<<stopsShift | uint64(l.Nights)<<nightsShift
}

func encodeLive(w *packed.Writer, asOf fare.Day, live []Live) {
	var base, unit fare.Cents
	for i, l := range live {
		if i == 0 {
			base = l.Price
		}
		unit = fare.GCD(unit, l.Price-base)
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

// DecodeState leaves the histories packed until Unpack or an answer needs them.
func DecodeState(data []byte) (*State, error) {
	r := packed.NewSealedReader(data, stateFormat)
	s := &State{AsOf: readDay(&r), Currency: fare.ReadCurrency(&r), PerEuro: math.Float64frombits(r.Uint())}
	s.Stops = StopsKnown(r.UintTo(uint64(OnlyNonStop)))
	if math.IsNaN(s.PerEuro) || math.IsInf(s.PerEuro, 0) || s.PerEuro < 0 {
		r.Fail(packed.ErrRange)
	}
	s.Facts = slices.Clone(r.Bytes())
	route := r.Bytes()
	s.Minima.decode(&r)
	s.packed = r.Bytes()
	s.Live = decodeLive(&r, s.AsOf)
	err := r.Err()
	var decoded *Route
	if err == nil {
		decoded, err = DecodeRoute(route)
	}
	if err != nil {
		return nil, fmt.Errorf("decode sheet: %w", err)
	}
	s.Route = *decoded
	for i := range s.Minima {
		s.Minima[i].noCurve = decoded.noCurve
	}
	return s, nil
}

func decodeLive(r *packed.Reader, asOf fare.Day) []Live {
	n := r.Len()
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
			l.Quoted.Currency = fare.ReadCurrency(r)
			l.Quoted.Amount = fare.Cents(min(r.Uint(), maxPrice))
		}
		if i > 0 && gap == 0 || price <= 0 || price > maxPrice {
			r.Fail(packed.ErrRange)
			return nil
		}
		live = append(live, l)
	}
	return live
}

type Cycle struct {
	Day    fare.Day
	Pooled *Pooled
	// Warmed is the day of a store's first refresh, if that refresh computed this Cycle from the
	// stored observations, and 0 once fares of later days were added.
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
