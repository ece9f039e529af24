package fare

import (
	"math"
	"slices"
)

// Rates holds the euro reference rates of one day. PerEuro["USD"] is the price of one euro in US
// dollars.
type Rates struct {
	Date    Day
	PerEuro map[string]float64

	// Ended has currencies whose rates are no longer published, with the last known day of a rate. The
	// fixed rate of a currency that the euro replaced stays in PerEuro.
	Ended map[string]Day
}

func (r Rates) Rate(currency string) (float64, bool) {
	if currency == "EUR" {
		return 1, true
	}
	rate, ok := r.PerEuro[currency]
	return rate, ok && rate > 0
}

// Euro expects amount in units such as dollars, not in cents.
func (r Rates) Euro(amount float64, currency string) (Cents, bool) {
	rate, ok := r.Rate(currency)
	if !ok {
		return 0, false
	}
	// A float64 counts cents exactly up to 2^53; no fare is that expensive.
	return Cents(math.Round(min(amount/rate*100, 1<<53))), true
}

func (r Rates) FromEuro(c Cents, currency string) (Cents, bool) {
	rate, ok := r.Rate(currency)
	if !ok {
		return 0, false
	}
	return Cents(math.Round(float64(c) * rate)), true
}

func (r Rates) Currencies() []string {
	codes := []string{"EUR"}
	for c := range r.PerEuro {
		if _, ended := r.Ended[c]; c != "EUR" && !ended {
			codes = append(codes, c)
		}
	}
	slices.Sort(codes)
	return codes
}
