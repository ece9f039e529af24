package travelpayouts

import (
	_ "embed"
	"slices"
	"strings"

	"verdetto/shared/fare"
)

// Fares are stored as quoted, so the client asks for fares in the currency of the origin's country.
// The API converts a fare once, when it is found; another currency would add a second conversion.

// byCurrency has a line for each currency, with the countries for whose fares the client asks in it: those whose
// rates the European Central Bank publishes. For all other countries it asks in EUR, even if their
// currency is pegged to the euro.
//
//go:embed currencies.tsv
var byCurrency string

// CurrencyOfCountry returns the currency in which to ask for fares from a country (ISO 3166
// alpha-2): its own if there is a reference rate for it, else EUR.
func CurrencyOfCountry(country string) string {
	for line := range strings.Lines(byCurrency) {
		if f := strings.Fields(line); slices.Contains(f[1:], country) {
			return f[0]
		}
	}
	return "EUR"
}

// currency returns the currency in which to ask for fares from a city. It is also the currency of
// an answer that states none.
func (c *Client) currency(origin fare.City) string {
	if c.currencyOf == nil {
		return "EUR"
	}
	code := c.currencyOf(origin)
	if _, known := c.comparable.Rates(fare.DayOf(c.now())).Rate(code); !known {
		return "EUR" // fares that cannot be converted to EUR are not stored
	}
	return code
}
