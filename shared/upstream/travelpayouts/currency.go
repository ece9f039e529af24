package travelpayouts

import (
	_ "embed"
	"slices"
	"strings"

	"verdetto/shared/fare"
)

// Each line of currencies.tsv has a currency whose rates the European Central Bank publishes, and
// the countries for whose fares the client asks in this currency.
//
//go:embed currencies.tsv
var byCurrency string

// CurrencyOfCountry returns EUR for a country (ISO 3166 alpha-2) that currencies.tsv lacks.
func CurrencyOfCountry(country string) string {
	for line := range strings.Lines(byCurrency) {
		if f := strings.Fields(line); slices.Contains(f[1:], country) {
			return f[0]
		}
	}
	return "EUR"
}

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
