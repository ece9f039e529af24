package fare

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// maxPriceText is the maximum length in bytes of a typed price.
const maxPriceText = 48

// typedPrice matches a price as people write it: leading text, whole part with separators of
// thousands, one or two decimals (or a dash for none, as in 45,-), and trailing text.
var typedPrice = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([^0-9]*)([0-9][0-9.,'’\s\p{Zs}]*?)` +
		`(?:([.,])([0-9]{1,2}|[-–—]{1,2}))?([^0-9]*)$`)
})

// wholePart matches up to nine digits in one group, in groups of three, or as in India in groups of
// two before the last three.
var wholePart = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:[0-9]{1,9}|[1-9][0-9]?(?:,[0-9]{2}){1,2},[0-9]{3}|[1-9][0-9]{0,2}(?:\.[0-9]{3}){1,2}` +
		`|[1-9][0-9]{0,2}(?:,[0-9]{3}){1,2}|[1-9][0-9]{0,2}(?:['’\s\p{Zs}][0-9]{3}){1,2})$`)
})

// currencySigns maps a currency's sign or name to the codes that it can mean, the likeliest first.
var currencySigns = map[string][]string{
	"€": {"EUR"}, "EURO": {"EUR"}, "EUROS": {"EUR"}, "₹": {"INR"}, "₺": {"TRY"}, "₪": {"ILS"}, "₩": {"KRW"},
	"£": {"GBP"}, "POUND": {"GBP"}, "POUNDS": {"GBP"},
	"₱": {"PHP"}, "฿": {"THB"}, "R$": {"BRL"}, "ZŁ": {"PLN"}, "KČ": {"CZK"}, "FT": {"HUF"}, "LEI": {"RON"},
	"FR": {"CHF"}, "FR.": {"CHF"}, "SFR": {"CHF"}, "SFR.": {"CHF"}, "¥": {"JPY", "CNY"},
	"KR": {"SEK", "NOK", "DKK", "ISK"}, "KR.": {"DKK", "NOK", "SEK", "ISK"},
	"$": dollars, "DOLLAR": dollars, "DOLLARS": dollars, "US$": {"USD"}, "C$": {"CAD"}, "A$": {"AUD"},
	"HK$": {"HKD"}, "NZ$": {"NZD"}, "S$": {"SGD"}, "CA$": {"CAD"}, "AU$": {"AUD"}, "MX$": {"MXN"},
	"CN¥": {"CNY"}, "元": {"CNY"}, "RMB": {"CNY"}, "JP¥": {"JPY"}, "円": {"JPY"}, "YEN": {"JPY"}, "원": {"KRW"},
	"RS": {"INR"}, "RS.": {"INR"}, "RUPEES": {"INR"}, "RM": {"MYR"}, "RP": {"IDR"}, "TL": {"TRY"}, "DHS": {"AED"},
	"SR": {"SAR"}, "DÓLARES": dollars, "DOLLARI": dollars, "FRANKEN": {"CHF"}, "FRANCS": {"CHF"}, "STERLINE": {"GBP"},
}

// besides matches what people write around a price without changing it.
var besides = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:from|only|just|about|ab|nur|etwa|ca\.?|circa|solo|da|a partire da|dès|à partir de|desde|` +
		`a partir de|só|[~≈])[\s\p{Zs}]*|[\s\p{Zs}]*(?:p\.?p\.?|per person|each|total|[!?*;])$`)
})

var dollars = []string{"USD", "AUD", "CAD", "HKD", "MXN", "NZD", "SGD"}

// ParsePrice parses an amount as SplitPrice does. Without a currency in the text, the amount is in the
// currency in. A sign of several currencies, such as $, means in if in is one of them. Whether a
// fare can have that price is not checked; it may be zero.
func ParsePrice(text string, in Currency) (Money, bool) {
	amount, meant, ok := SplitPrice(text)
	if !ok || len(meant) == 0 || slices.Contains(meant, in.String()) {
		return Money{amount, in}, ok
	}
	currency, err := ParseCurrency(meant[0])
	return Money{amount, currency}, err == nil
}

// SplitPrice parses an amount as people type it, such as 45, 45,50, 1.234,50, 1,234.50, ₹1,00,000,
// from 45 €, $50 or 50 USD. It also returns the currencies that the text can mean, the likeliest
// first, or none if the text has only a number.
//
// One separator before exactly three digits separates thousands: 1.234 and 1,234 are 1234.
func SplitPrice(text string) (amount Cents, meant []string, ok bool) {
	if len(text) > maxPriceText {
		return 0, nil, false
	}
	m := typedPrice().FindStringSubmatch(strings.TrimSpace(besides().ReplaceAllString(strings.TrimSpace(text), "")))
	if m == nil || !wholePart().MatchString(m[2]) || m[3] != "" && strings.Contains(m[2], m[3]) {
		return 0, nil, false
	}
	digits := func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}
	cents, err := strconv.ParseInt(strings.Map(digits, m[2])+(strings.Map(digits, m[4]) + "00")[:2], 10, 64)
	if err != nil {
		return 0, nil, false
	}
	sign := strings.ToUpper(strings.TrimSpace(m[1]) + strings.TrimSpace(m[5]))
	if sign == "" || currencySigns[sign] != nil {
		return Cents(cents), currencySigns[sign], true
	}
	_, err = ParseCurrency(sign)
	return Cents(cents), []string{sign}, err == nil
}
