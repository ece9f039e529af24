package fare

import (
	"slices"

	"verdetto/shared/fare/packed"
)

// packFlights writes flags and flights as a Legend, and divides differences of prices by the common
// divisor of the differences in that currency.
func packFlights(sorted []Observation) []byte {
	currencies, nights := contents(sorted)
	prices, units := make([]Cents, len(currencies)), make([]Cents, len(currencies))
	for _, o := range slices.Backward(sorted) {
		prices[slices.Index(currencies, o.Currency)] = o.Price
	}
	for _, o := range sorted {
		at := slices.Index(currencies, o.Currency)
		units[at] = GCD(units[at], o.Price-prices[at])
	}
	w := packed.NewWriter(flightFormat, 256+6*len(sorted))
	w.Uint(uint64(len(currencies)))
	for i, c := range currencies {
		units[i] = max(1, units[i])
		w.Uint(c.Pack())
		w.Int(int64(prices[i]), int64(units[i]))
	}
	flags := func(o Observation) uint64 { return o.flags(slices.Index(currencies, o.Currency)) }
	legend := NewLegend(len(sorted), func(i int) (uint64, Flight) { return flags(sorted[i]), sorted[i].Flight })
	legend.Encode(&w)
	w.Uint(packed.Bit(nights))
	w.Uint(uint64(len(sorted)))
	var found int64
	for _, o := range sorted {
		at := slices.Index(currencies, o.Currency)
		w.Int(o.Found-found, int64(o.Depart-o.FoundDay()))
		legend.Put(&w, flags(o), o.Flight)
		w.Int(int64((o.Price - prices[at]) / units[at]))
		if nights {
			w.Uint(uint64(o.Nights))
		}
		found, prices[at] = o.Found, o.Price
	}
	return w
}

func unpackFlights(dst []Observation, data []byte) ([]Observation, error) {
	r := packed.NewReader(data, flightFormat)
	currencies := make([]Currency, r.Len())
	prices, units := make([]Cents, len(currencies)), make([]Cents, len(currencies))
	for i := range currencies {
		currencies[i] = ReadCurrency(&r)
		if prices[i], units[i] = Cents(r.Int()), Cents(r.Int()); units[i] <= 0 {
			r.Fail(packed.ErrRange)
		}
	}
	legend := DecodeLegend(&r)
	nights := r.Uint() != 0
	count := r.Len()
	all := slices.Grow(dst, count)
	var found int64
	for range count {
		found += r.Int()
		o := Observation{Found: found, Depart: dayOfUnix(found) + leadOf(&r)}
		var flags uint64
		flags, o.Flight = legend.Get(&r)
		at := flags >> currencyFrom
		if at >= uint64(len(currencies)) {
			r.Fail(errUnlisted)
			break
		}
		prices[at] += Cents(r.Int()) * units[at]
		o.Price, o.Currency = prices[at], currencies[at]
		o.Stops, o.DayOnly = Stops(flags>>stopsShift&stopsMask), flags&dayOnlyFlag != 0
		if nights {
			o.Nights = int16(r.UintTo(MaxNights))
		}
		all = append(all, o)
	}
	return all, r.Err()
}
