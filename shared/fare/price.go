package fare

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/text/currency"
	"golang.org/x/text/width"
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
	"NIS": {"ILS"}, "SHEKEL": {"ILS"}, "SHEKELS": {"ILS"}, "WON": {"KRW"}, "YUAN": {"CNY"}, "BAHT": {"THB"}, "LIRA": {"TRY"}, "ZL": {"PLN"},
	"ZŁOTYCH": {"PLN"}, "ZLOTY": {"PLN"}, "ZŁOTY": {"PLN"}, "ZLOTYS": {"PLN"}, "FORINT": {"HUF"}, "REAIS": {"BRL"}, "REAL": {"BRL"},
	"REALES": {"BRL"}, "DIRHAM": {"AED", "MAD"}, "DIRHAMS": {"AED", "MAD"}, "RIYALS": {"SAR", "QAR", "OMR"}, "RIYAL": {"SAR", "QAR", "OMR"},
	"PESOS": pesos, "PESO": pesos, "PESO$": pesos, "KORUN": {"CZK"}, "KRONOR": {"SEK"}, "KRONER": {"NOK", "DKK"}, "KSH": {"KES"},
	"NT$": {"TWD"}, "CLP$": {"CLP"}, "COP$": {"COP"}, "ARS$": {"ARS"}, "S/": {"PEN"}, "SOLES": {"PEN"}, "R": {"ZAR"}, "RAND": {"ZAR"},
	"₴": {"UAH"}, "₦": {"NGN"}, "₫": {"VND"}, "₽": {"RUB"}, "РУБ": {"RUB"}, "ГРН": {"UAH"}, "ЛВ": {"BGN"}, "ΕΥΡΏ": {"EUR"},
	"FRANCHI": {"CHF"}, "FRANCOS": {"CHF"}, "FRANC": {"CHF"}, "QUID": {"GBP"}, "PFUND": {"GBP"}, "LIBRAS": {"GBP"}, "LIVRES": {"GBP"},
	"STERLING": {"GBP"}, "U$S": {"USD"}, "U$": {"USD"}, "US DOLLARS": {"USD"}, "US-DOLLAR": {"USD"}, "E": {"EUR"}, "EUR.": {"EUR"},
	"SR": {"SAR"}, "DÓLARES": dollars, "DOLARES": dollars, "DOLLARI": dollars, "FRANKEN": {"CHF"}, "FRANCS": {"CHF"}, "STERLINE": {"GBP"},
}

// besides matches what people write around a price without changing it.
var besides = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:(?:from|only|just|about|around|approx\.?|max\.?|price:?|starting|at|as|low|for|schon|ab|nur|etwa|ca\.?|preis:?|circa|solo|` +
		`a|partire|da|prezzo:?|à|dès|partir|de|prix:?|desde|só|por|precio:?|preço:?)(?:[\s\p{Zs}]+|(\pN)|([€£]\pN))|[~≈+<])[\s\p{Zs}]*|` +
		`[\s\p{Zs}]*(?:/?[\s\p{Zs}]*(?:p\.?p\.?|pax|person)|(?:per|each|pro|par|por|a)[\s\p{Zs}]+(?:person|persona|personne|pessoa|testa|pax|way)|/-|` +
		`each|total|one[ -]way|return|a/r|\((?:one way|return)\)|incl\.? tax(?:es)?|[!?*;:])$`)
})

// bare removes what stands besides a price.
func bare(text string) string {
	for {
		shorter := strings.TrimSpace(besides().ReplaceAllString(text, "$1$2"))
		if shorter == text {
			return text
		}
		text = shorter
	}
}

var (
	dollars = []string{"USD", "AUD", "CAD", "HKD", "MXN", "NZD", "SGD"}
	pesos   = []string{"MXN", "PHP", "ARS", "CLP", "COP"}
)

// ParsePrice parses an amount as SplitPrice does. Without a currency in the text, the amount is in the
// currency in. A sign of several currencies, such as $, means in if in is one of them. Whether a
// fare can have that price is not checked; it may be zero.
func ParsePrice(text string, in Currency) (Money, bool) {
	amount, meant, ok := SplitPrice(text)
	if !ok || len(meant) == 0 || slices.Contains(meant, in.String()) {
		return Money{amount, in}, ok
	}
	named, err := ParseCurrency(meant[0])
	return Money{amount, named}, err == nil
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
	text = strings.TrimSpace(width.Fold.String(text))
	amount, meant, ok = splitBare(text)
	if ok && len(meant) == 1 {
		_, err := currency.ParseISO(meant[0])
		ok = err == nil // max 45 names no currency
	}
	if !ok {
		return splitBare(bare(text)) // which is slow, and few prices need it
	}
	return amount, meant, ok
}

// splitBare is SplitPrice of a text with nothing beside the price and its currency.
func splitBare(text string) (amount Cents, meant []string, ok bool) {
	m := typedPrice().FindStringSubmatch(text)
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
