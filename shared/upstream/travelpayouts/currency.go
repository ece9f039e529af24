package travelpayouts

import (
	"slices"
	"strings"

	"verdetto/shared/fare"
)

// Fares are stored as quoted, so the client asks for fares in the currency of the origin's country.
// The API converts a fare once, when it is found; another currency would add a second conversion.

// byCurrency lists countries by the currency in which the client asks for their fares: those whose
// rates the European Central Bank publishes. For all other countries it asks in EUR, even if their
// currency is pegged to the euro.
var byCurrency = map[string]string{
	"AUD": "AU CC CX KI NF NR TV",
	"BRL": "BR",
	"CAD": "CA",
	"CHF": "CH LI",
	"CNY": "CN",
	"CZK": "CZ",
	"DKK": "DK FO GL",
	"GBP": "GB GG GI IM JE",
	"HKD": "HK",
	"HUF": "HU",
	"IDR": "ID",
	"ILS": "IL",
	"INR": "IN",
	"ISK": "IS",
	"JPY": "JP",
	"KRW": "KR",
	"MXN": "MX",
	"MYR": "MY",
	"NOK": "NO SJ",
	"NZD": "CK NU NZ",
	"PHP": "PH",
	"PLN": "PL",
	"RON": "RO",
	"SEK": "SE",
	"SGD": "SG",
	"THB": "TH",
	"TRY": "TR",
	"USD": "AS BQ EC FM GU MH MP PA PR PW SV TC TL UM US VG VI",
	"ZAR": "LS NA SZ ZA",
}

// CurrencyOfCountry returns the currency in which to ask for fares from a country (ISO 3166
// alpha-2): its own if there is a reference rate for it, else EUR.
func CurrencyOfCountry(country string) string {
	for currency, countries := range byCurrency {
		if slices.Contains(strings.Fields(countries), country) {
			return currency
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
