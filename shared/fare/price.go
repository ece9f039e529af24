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

// The groups of typedPrice are: text before, whole part, decimal separator, decimals, text after.
// In "45,-" the dash stands for decimals.
var typedPrice = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([^0-9]*)([0-9][0-9.,'’\s\p{Zs}]*?)` +
		`(?:([.,])([0-9]{1,2}|[-–—]{1,2}))?([^0-9]*)$`)
})

// wholePart accepts up to nine digits: ungrouped, grouped by three, or grouped as in India
// (1,00,000).
var wholePart = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:[0-9]{1,9}|[1-9][0-9]?(?:,[0-9]{2}){1,2},[0-9]{3}|[1-9][0-9]{0,2}(?:\.[0-9]{3}){1,2}` +
		`|[1-9][0-9]{0,2}(?:,[0-9]{3}){1,2}|[1-9][0-9]{0,2}(?:['’\s\p{Zs}][0-9]{3}){1,2})$`)
})

// short matches prices such as .99 and 1.5k.
var short = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([^0-9.,]*|\p{Sc}\s?)(?:([.,][0-9]{1,2})|([0-9]{1,3})(?:[.,]([0-9]))?\s?([kK]))((?:[^\pL0-9.,].*)?)$`)
})

var thousandths = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[^0-9]*[0-9]+[.,][0-9]{3}[^0-9]*$`) })

// A line of money.tsv has currencies, the likeliest first, and their signs and names. The line <
// has words that may precede a price, and the line > words that may follow a price.
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

// ParsePrice returns an amount in the currency that text names. The parameter in decides if text
// names no currency, or only a sign such as $ that this currency also has.
func ParsePrice(text string, in Currency) (Money, bool) {
	amount, meant, ok := SplitPrice(text)
	if !ok || len(meant) == 0 || slices.Contains(meant, in.String()) {
		return Money{amount, in}, ok
	}
	named, err := ParseCurrency(meant[0])
	return Money{amount, named}, err == nil
}

// SplitPrice parses an amount as people type it, such as "1.234,50" or "from 45 €". meant lists the
// currencies that text can mean, the likeliest first. An upper limit, such as "up to 45", counts as
// the amount.
func SplitPrice(text string) (amount Cents, meant []string, ok bool) {
	if len(text) > maxPriceText {
		return 0, nil, false
	}
	text = strings.TrimSpace(width.Fold.String(text))
	if m := short().FindStringSubmatch(text); m != nil {
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
		ok = err == nil                                                                                        // in "max 45", MAX is no currency
		if decimals, _ := currency.Standard.Rounding(unit); decimals == 3 && thousandths().MatchString(text) { // as in 120.500 BHD
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
		after, errAfter = currenciesOf(m[1] + m[5]) // "US 45 $" means "US$ 45"
		before, errBefore = nil, nil
	}
	return Cents(cents), append(slices.Clone(before), after...), errBefore == nil && errAfter == nil
}

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
