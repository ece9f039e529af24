package fare

import (
	"bytes"
	"fmt"
)

// Currency is the ISO 4217 code of a currency, such as USD. The zero value is the euro.
type Currency [3]byte

var EUR Currency

// ParseCurrency parses a code of three upper-case letters.
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

// Compare orders currencies: the euro first, then by code.
func (c Currency) Compare(d Currency) int { return bytes.Compare(c[:], d[:]) }

// Pack returns a small number for the code, 0 for the euro. UnpackCurrency is the inverse.
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

// UnpackCurrency returns false if n stands for no currency.
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

type Money struct {
	Amount   Cents // in hundredths of Currency
	Currency Currency
}
