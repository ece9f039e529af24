package fare

import (
	"math"
	"slices"
)

// Rates holds the euro exchange rates of one day, as a central bank published them. PerEuro["USD"]
// is the price of one euro in US dollars.
type Rates struct {
	Date    Day
	PerEuro map[string]float64 // by upper-case ISO 4217 code; EUR may be absent
}

// Rate returns how many units of a currency one euro buys, and whether the rate is known.
func (r Rates) Rate(currency string) (float64, bool) {
	if currency == "EUR" {
		return 1, true
	}
	rate, ok := r.PerEuro[currency]
	return rate, ok && rate > 0
}

// Euro converts an amount to euro cents, rounding half away from zero. The amount is in whole units
// of the currency, such as dollars. Euro returns false if the rate is unknown.
func (r Rates) Euro(amount float64, currency string) (Cents, bool) {
	rate, ok := r.Rate(currency)
	if !ok {
		return 0, false
	}
	// A float64 counts cents exactly only up to 2^53. No fare is that expensive.
	return Cents(math.Round(min(amount/rate*100, 1<<53))), true
}

// FromEuro converts euro cents to hundredths of a currency, rounding half away from zero. FromEuro
// returns false if the rate is unknown.
func (r Rates) FromEuro(c Cents, currency string) (Cents, bool) {
	rate, ok := r.Rate(currency)
	if !ok {
		return 0, false
	}
	return Cents(math.Round(float64(c) * rate)), true
}

// Currencies returns the codes of all currencies with a known rate, in alphabetical order, EUR
// included.
func (r Rates) Currencies() []string {
	codes := []string{"EUR"}
	for c := range r.PerEuro {
		if c != "EUR" {
			codes = append(codes, c)
		}
	}
	slices.Sort(codes)
	return codes
}
