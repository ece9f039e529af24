package verdict

import (
	"math"
	"slices"

	"verdetto/shared/fare"
)

// priced are observations in order of Found, as they were quoted and, place by
// place, as they are ranked: with their prices in the summary's currency.
type priced struct{ quoted, ranked []fare.Observation }

// rank chooses the currency of the summary and brings observations to it. Where
// all are quoted in one, nothing is converted. What is quoted in a currency
// without a rate can be neither compared nor shown, and is left out.
func (s *RouteSummary) rank(observations []fare.Observation, earlier RouteSummary, rates fare.Rates) priced {
	quotes := map[fare.Currency]int{}
	for _, o := range observations {
		quotes[o.Currency]++
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

// InOneCurrency brings observations, in order of Found, to the currency in which
// most are quoted, at one set of rates; one unit of it is worth so many euro cents.
// What cannot be converted is left out.
func InOneCurrency(observations []fare.Observation, rates fare.Rates) (ranked []fare.Observation, euroCents float64) {
	var s RouteSummary
	p := s.rank(observations, RouteSummary{}, rates)
	return p.ranked, 100 / s.PerEuro
}

// convert brings an amount from one currency to another, each given by how many units one euro buys.
func convert(c fare.Cents, from, to float64) fare.Cents {
	return fare.Cents(math.Round(float64(c) / from * to))
}

// withoutStops are the fares without stops.
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

// foreign is what was quoted, where that was in another currency than the summary's.
func (p priced) foreign(at int) fare.Money {
	q := p.quoted[at]
	if q.Currency == p.ranked[at].Currency {
		return fare.Money{}
	}
	return fare.Money{Amount: q.Price, Currency: q.Currency}
}

// live is a fare as it is ranked.
func (p priced) live(at int) Live {
	o := p.ranked[at]
	return Live{
		Depart: o.Depart, Price: o.Price, Found: o.Found, Quoted: p.foreign(at), Nights: o.Nights,
		Stops: o.Stops, DayOnly: o.DayOnly,
	}
}

// convertLows brings lows of an earlier summary to the currency and the rates of this one.
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

// Euro is an amount of the summary's currency in euro cents, at the rate of its day.
func (s RouteSummary) Euro(c fare.Cents) fare.Cents {
	if s.Currency == fare.EUR {
		return c
	}
	if s.PerEuro <= 0 {
		return 0 // there is no fare in such a summary
	}
	return convert(c, s.PerEuro, 1)
}

// Quote is what was quoted for a live fare.
func (s RouteSummary) Quote(l Live) fare.Money {
	if l.Quoted != (fare.Money{}) {
		return l.Quoted
	}
	return fare.Money{Amount: l.Price, Currency: s.Currency}
}

// FromEuro is an amount of euro in the summary's currency, at the rate of its day.
func (s RouteSummary) FromEuro(c fare.Cents) fare.Cents {
	if s.Currency == fare.EUR {
		return c
	}
	return convert(c, 1, s.PerEuro)
}
