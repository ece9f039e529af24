package fare

import (
	"math"
	"slices"
)

// Rates are euro reference rates of one publication day: PerEuro["USD"] is how many dollars one euro buys.
type Rates struct {
	Date    Day
	PerEuro map[string]float64 // upper-case ISO 4217; EUR itself need not be in it
}

// Rate says how many units of a currency one euro buys, and whether that is known.
func (r Rates) Rate(currency string) (float64, bool) {
	if currency == "EUR" {
		return 1, true
	}
	rate, ok := r.PerEuro[currency]
	return rate, ok && rate > 0
}

// Euro converts an amount in major units of a currency to euro cents, half away from zero.
func (r Rates) Euro(amount float64, currency string) (Cents, bool) {
	rate, ok := r.Rate(currency)
	if !ok {
		return 0, false
	}
	// Beyond 2^53 a float no longer counts cents; nothing that dear is a fare.
	return Cents(math.Round(min(amount/rate*100, 1<<53))), true
}

// From converts euro cents to hundredths of a currency, half away from zero.
func (r Rates) From(c Cents, currency string) (Cents, bool) {
	rate, ok := r.Rate(currency)
	if !ok {
		return 0, false
	}
	return Cents(math.Round(float64(c) * rate)), true
}

// Currencies lists the known codes in alphabetical order, EUR included.
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
