package fare

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/currency"
	"golang.org/x/text/width"
)

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

// short matches a price that begins with the decimal point, and one in thousands, such as 1.5k.
var short = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([^0-9.,]*|\p{Sc}\s?)(?:([.,][0-9]{1,2})|([0-9]{1,3})(?:[.,]([0-9]))?\s?([kK]))((?:[^\pL0-9.,].*)?)$`)
})

// thousandths matches an amount with three decimals.
var thousandths = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[^0-9]*[0-9]+[.,][0-9]{3}[^0-9]*$`) })

// Each line of moneyTable has currencies, the likeliest first, and the signs and names that can mean
// them, separated by bars. The line < has the words that may stand before a price without changing it,
// and the line > those that may stand behind it.
//
//go:embed money.tsv
var moneyTable string

var money = sync.OnceValue(func() (m struct {
	signs         map[string][]string
	before, after []string
}) {
	m.signs = map[string][]string{}
	for line := range strings.Lines(moneyTable) {
		codes, signs, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		switch words := strings.Split(signs, "|"); codes {
		case "<":
			m.before = words
		case ">":
			m.after = words
		default:
			for _, sign := range words {
				m.signs[sign] = strings.Fields(codes)
			}
		}
	}
	return m
})

// bare removes the words and punctuation around a price.
func bare(text string) string {
	for {
		shorter := strings.Trim(text, " \u00a0\u202f!?*;=()[]\"'“”«»„")
		if end := len(shorter) - 1; end > 0 && (shorter[end] == '.' || shorter[end] == ',') && '0' <= shorter[end-1] && shorter[end-1] <= '9' {
			shorter = shorter[:end]
		}
		for _, word := range money().before {
			rest, ok := strings.CutPrefix(strings.ToLower(shorter), word)
			if next, _ := utf8.DecodeRuneInString(rest); ok && !unicode.IsLetter(next) {
				shorter = shorter[len(shorter)-len(rest):]
			}
		}
		for _, word := range money().after {
			rest, ok := strings.CutSuffix(strings.ToLower(shorter), word)
			if last, _ := utf8.DecodeLastRuneInString(rest); ok && (!unicode.IsLetter(last) || word[0] == '/') { // as in 45 EUR/pax
				shorter = shorter[:len(rest)]
			}
		}
		if shorter == text {
			return text
		}
		text = shorter
	}
}

// ParsePrice parses an amount as SplitPrice does. If the text names no currency, it returns the
// amount in the currency in. A sign of several currencies, such as $, means in if in is one of them,
// or else the likeliest. The amount may be zero, or higher than any fare.
func ParsePrice(text string, in Currency) (Money, bool) {
	amount, meant, ok := SplitPrice(text)
	if !ok || len(meant) == 0 || slices.Contains(meant, in.String()) {
		return Money{amount, in}, ok
	}
	named, err := ParseCurrency(meant[0])
	return Money{amount, named}, err == nil
}

// SplitPrice parses an amount as people type it, such as 45, 45,50, 1.234,50, 1,234.50, ₹1,00,000, from 45 €, $50
// or 50 USD. It also returns the currencies that the text can mean, the likeliest first, or none if the
// text has only a number. A single separator before exactly three digits separates thousands: 1.234 and
// 1,234 are 1234, unless the currency has three decimals. An upper limit, such as up to 45, is the amount
// itself, because a lower fare is judged no worse; a lower limit, such as over 45, is no amount.
func SplitPrice(text string) (amount Cents, meant []string, ok bool) {
	if len(text) > maxPriceText {
		return 0, nil, false
	}
	text = strings.TrimSpace(width.Fold.String(text))
	if m := short().FindStringSubmatch(text); m != nil { // as in .99 and 1.5k
		switch {
		case m[2] != "":
			text = m[1] + "0" + m[2] + m[6]
		default:
			text = m[1] + m[3] + (m[4] + "000")[:3] + m[6]
		}
	}
	amount, meant, ok = splitBare(text)
	if ok && len(meant) == 1 {
		unit, err := currency.ParseISO(meant[0])
		ok = err == nil                                                                                        // false for the MAX of max 45
		if decimals, _ := currency.Standard.Rounding(unit); decimals == 3 && thousandths().MatchString(text) { // 120.500 BHD
			amount /= 1000
		}
	}
	if !ok {
		return splitBare(bare(text))
	}
	return amount, meant, ok
}

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
	before, errBefore := currenciesOf(m[1])
	after, errAfter := currenciesOf(m[5])
	if len(before) > 0 && len(after) > 0 { // as in $45 CAD
		both := slices.DeleteFunc(slices.Clone(before), func(code string) bool { return !slices.Contains(after, code) })
		if len(both) > 0 {
			return Cents(cents), both, true
		}
		after, errAfter = currenciesOf(m[1] + m[5]) // US 45 $ is US$ 45
		before, errBefore = nil, nil
	}
	return Cents(cents), append(slices.Clone(before), after...), errBefore == nil && errAfter == nil
}

// currenciesOf returns the currencies that a sign, a name or a code can mean, or none for spaces.
func currenciesOf(sign string) ([]string, error) {
	sign = strings.ToUpper(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, sign))
	if sign == "" {
		return nil, nil
	}
	for _, spelled := range []string{sign, strings.TrimSuffix(sign, ".")} {
		if codes := money().signs[spelled]; codes != nil {
			return codes, nil
		}
	}
	sign, isDollar := strings.CutSuffix(strings.ReplaceAll(sign, ".", ""), "$") // as in CAD $45 and U.S.$45
	codes, known := money().signs[sign]
	if !known {
		codes = []string{sign}
	}
	_, err := ParseCurrency(codes[0])
	if isDollar && err == nil && !strings.HasSuffix(codes[0], "D") && !slices.Contains(money().signs["$"], codes[0]) {
		err = fmt.Errorf("%s is no dollar", sign)
	}
	return codes, err
}
