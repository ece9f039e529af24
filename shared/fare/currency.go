package fare

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"verdetto/shared/fare/packed"
)

// Currency is an ISO 4217 code. The zero value is the euro.
type Currency [3]byte

var EUR Currency

func ParseCurrency(s string) (Currency, error) {
	if len(s) != 3 {
		return EUR, fmt.Errorf("currency %.20q: want a code of three letters, as in EUR", s)
	}
	for _, b := range []byte(s) {
		if b < 'A' || b > 'Z' {
			return EUR, fmt.Errorf("currency %q: want a code of three letters, as in EUR", s)
		}
	}
	if s == "EUR" {
		return EUR, nil
	}
	return Currency([]byte(s)), nil
}

func (c Currency) String() string {
	if c == EUR {
		return "EUR"
	}
	return string(c[:])
}

func (c Currency) Compare(d Currency) int { return bytes.Compare(c[:], d[:]) }

// Pack returns a small number that stored blocks contain. UnpackCurrency is the inverse.
func (c Currency) Pack() uint64 {
	if c == EUR {
		return 0
	}
	n := uint64(0)
	for _, b := range c {
		n = n*26 + uint64(b-'A')
	}
	return n + 1
}

func ReadCurrency(r *packed.Reader) Currency {
	c, known := UnpackCurrency(r.Uint())
	if !known {
		r.Fail(packed.ErrRange)
	}
	return c
}

func UnpackCurrency(n uint64) (Currency, bool) {
	if n == 0 {
		return EUR, true
	}
	if n--; n >= 26*26*26 {
		return EUR, false
	}
	c, err := ParseCurrency(string([]byte{'A' + byte(n/26/26), 'A' + byte(n/26%26), 'A' + byte(n%26)}))
	return c, err == nil
}

// whole lists the currencies without decimals in ISO 4217.
var whole = []string{"BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND", "VUV",
	"XAF", "XOF", "XPF"}

func (c Currency) IsWhole() bool { return slices.Contains(whole, c.String()) }

type Money struct {
	Amount   Cents // in hundredths of Currency, even if Currency has no decimals
	Currency Currency
}

func (m Money) Rounded() Money {
	if m.Currency.IsWhole() {
		m.Amount = (m.Amount + 50) / 100 * 100
	}
	return m
}

// Decimal returns a number such as 12.90 for euros, or 3863 for yen.
func (m Money) Decimal() string {
	m = m.Rounded()
	sign := ""
	if m.Amount < 0 {
		sign, m.Amount = "-", -m.Amount
	}
	if m.Currency.IsWhole() {
		return fmt.Sprintf("%s%d", sign, m.Amount/100)
	}
	return fmt.Sprintf("%s%d.%02d", sign, m.Amount/100, m.Amount%100)
}

func (m Money) Short() string { return strings.TrimSuffix(m.Decimal(), ".00") }

func (m Money) HasFraction() bool { return m.Rounded() != m }
