package travelpayouts

import (
	"slices"
	"strings"

	"verdetto/shared/fare"
)

// Fares are kept as they were quoted, so they are asked for in the money of the
// market they were found in: that of the origin's country. The API converts a fare
// once, when it is found; another currency would add a second rate and rounding.

// byCurrency lists the countries where fares are quoted in a currency other than
// the euro that the European Central Bank publishes a rate of. Others are asked
// in euro, those with a currency tied to it among them.
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

// CurrencyOfCountry is the currency in which to ask for fares from a country
// (ISO 3166 alpha-2): its own where there is a reference rate, else EUR.
func CurrencyOfCountry(country string) string {
	for currency, countries := range byCurrency {
		if slices.Contains(strings.Fields(countries), country) {
			return currency
		}
	}
	return "EUR"
}

// currency is what fares from a city are asked in, and what an answer without a word about it is in.
func (c *Client) currency(origin fare.City) string {
	if c.currencyOf == nil {
		return "EUR"
	}
	code := c.currencyOf(origin)
	if _, known := c.comparable.Rates(fare.DayOf(c.now())).Rate(code); !known {
		return "EUR" // fares that cannot be shown in euro are not kept
	}
	return code
}
