package verdict

import (
	"math"
	"slices"

	"verdetto/shared/fare"
)

// priced holds the same observations twice, in order of Found: as quoted, and in the summary's
// currency.
type priced struct{ quoted, ranked []fare.Observation }

// rank drops observations in a currency without a rate.
func (s *RouteSummary) rank(observations []fare.Observation, earlier RouteSummary, rates fare.Rates) priced {
	quotes := map[fare.Currency]int{}
	for i := 0; i < len(observations); {
		first, currency := i, observations[i].Currency
		for i < len(observations) && observations[i].Currency == currency {
			i++
		}
		quotes[currency] += i - first
	}
	perEuro := func(c fare.Currency) float64 {
		if rate, ok := rates.Rate(c.String()); ok {
			return rate
		}
		if c == earlier.Currency {
			return earlier.PerEuro
		}
		return 0
	}
	s.Currency, s.PerEuro = earlier.Currency, perEuro(earlier.Currency)
	most, lost := 0, 0
	for c, n := range quotes {
		rate := perEuro(c)
		if rate <= 0 {
			lost += n
		} else if n > most || n == most && c.Compare(s.Currency) < 0 {
			most, s.Currency, s.PerEuro = n, c, rate
		}
	}
	if most == len(observations) {
		return priced{observations, observations}
	}
	if lost > 0 {
		observations = slices.DeleteFunc(slices.Clone(observations),
			func(o fare.Observation) bool { return perEuro(o.Currency) <= 0 })
	}
	p := priced{observations, slices.Clone(observations)}
	for i := range p.ranked {
		if o := &p.ranked[i]; o.Currency != s.Currency {
			o.Price, o.Currency = convert(o.Price, perEuro(o.Currency), s.PerEuro), s.Currency
		}
	}
	return p
}

// InOneCurrency needs observations in order of Found, and drops those in a currency without a rate.
// euroCents is the value, in EUR cents, of one unit of the currency of ranked.
func InOneCurrency(observations []fare.Observation, rates fare.Rates) (ranked []fare.Observation, euroCents float64) {
	var s RouteSummary
	p := s.rank(observations, RouteSummary{}, rates)
	return p.ranked, 100 / s.PerEuro
}

func convert(c fare.Cents, from, to float64) fare.Cents {
	return fare.Cents(math.Round(float64(c) / from * to))
}

func (p priced) withoutStops() priced {
	if !slices.ContainsFunc(p.quoted, func(o fare.Observation) bool { return o.Stops != fare.NonStop }) {
		return p
	}
	var n priced
	for i, o := range p.quoted {
		if o.Stops == fare.NonStop {
			n.quoted, n.ranked = append(n.quoted, o), append(n.ranked, p.ranked[i])
		}
	}
	return n
}

func (p priced) foreign(at int) fare.Money {
	q := p.quoted[at]
	if q.Currency == p.ranked[at].Currency {
		return fare.Money{}
	}
	return fare.Money{Amount: q.Price, Currency: q.Currency}
}

func (p priced) live(at int) Live {
	o := p.ranked[at]
	return Live{
		Depart: o.Depart, Price: o.Price, Found: o.Found, Quoted: p.foreign(at), Nights: o.Nights,
		Stops: o.Stops, DayOnly: o.DayOnly, Flight: o.Flight,
	}
}

func (s RouteSummary) convertLows(earlier RouteSummary, lows []Low, rates fare.Rates) []Low {
	if s.Currency == earlier.Currency && !slices.ContainsFunc(lows,
		func(l Low) bool { return l.Quoted != fare.Money{} }) {
		return lows
	}
	perEuro := func(c fare.Currency) (float64, bool) {
		switch rate, ok := rates.Rate(c.String()); {
		case ok:
			return rate, true
		case c == s.Currency:
			return s.PerEuro, s.PerEuro > 0
		case c == earlier.Currency:
			return earlier.PerEuro, earlier.PerEuro > 0
		default:
			return 0, false
		}
	}
	var converted []Low
	for _, l := range lows {
		quoted := l.Quoted
		if quoted == (fare.Money{}) {
			quoted = fare.Money{Amount: l.Price, Currency: earlier.Currency}
		}
		if quoted.Currency == s.Currency {
			converted = append(converted, Low{Day: l.Day, Price: quoted.Amount})
		} else if rate, ok := perEuro(quoted.Currency); ok {
			converted = append(converted, Low{l.Day, convert(quoted.Amount, rate, s.PerEuro), quoted})
		}
	}
	return converted
}

func (s RouteSummary) Euro(c fare.Cents) fare.Cents {
	if s.Currency == fare.EUR {
		return c
	}
	if s.PerEuro <= 0 {
		return 0
	}
	return convert(c, s.PerEuro, 1)
}

func (s RouteSummary) Quote(l Live) fare.Money {
	if l.Quoted != (fare.Money{}) {
		return l.Quoted
	}
	return fare.Money{Amount: l.Price, Currency: s.Currency}
}

func (s RouteSummary) FromEuro(c fare.Cents) fare.Cents {
	if s.Currency == fare.EUR {
		return c
	}
	return convert(c, 1, s.PerEuro)
}
