package csvfile

import (
	"bufio"
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"verdetto/shared/fare"
	"verdetto/shared/fare/daytext"
	"verdetto/shared/fare/places"
)

// Each line of columns.tsv has a column and its synonyms, in the form that the function normal
// returns.
//
//go:embed columns.tsv
var columnNames string

func normal(name string) string {
	bare, _, _ := strings.Cut(name, "(")
	return cmp.Or(places.Fold(bare), name)
}

func isNamed(header, column string, bySynonym bool) bool {
	if !bySynonym {
		return normal(header) == normal(column)
	}
	_, names, _ := strings.Cut("\n"+columnNames, "\n"+column+"\t")
	names, _, _ = strings.Cut(names, "\n")
	return slices.Contains(strings.Fields(names), normal(header))
}

func separatorOf(header []byte) byte {
	known := func(separator byte) (n int) {
		fields, _ := split(header, separator, nil)
		for line := range strings.Lines(columnNames) {
			column := strings.Fields(line)[0]
			if slices.ContainsFunc(fields, func(field []byte) bool {
				return isNamed(text(field), column, false) || isNamed(text(field), column, true)
			}) {
				n++
			}
		}
		return n
	}
	return slices.MaxFunc([]byte(",;\t|"), func(a, b byte) int { return cmp.Compare(known(a), known(b)) })
}

// utf8From decodes UTF-16 and leaves other text as it is.
func utf8From(in io.Reader) io.Reader {
	buffered := bufio.NewReader(in)
	order := unicode.BigEndian
	switch start, _ := buffered.Peek(2); {
	case len(start) < 2:
		return buffered
	case bytes.Equal(start, []byte{0xff, 0xfe}), start[0] != 0 && start[1] == 0:
		order = unicode.LittleEndian
	case !bytes.Equal(start, []byte{0xfe, 0xff}) && (start[0] != 0 || start[1] == 0):
		return buffered
	}
	return unicode.UTF16(order, unicode.IgnoreBOM).NewDecoder().Reader(buffered)
}

func text(field []byte) string {
	if utf8.Valid(field) {
		return strings.TrimSpace(string(field))
	}
	decoded, _ := charmap.Windows1252.NewDecoder().Bytes(field) // no byte is an error in Windows-1252
	return strings.TrimSpace(string(decoded))
}

// choice decides between two readings of ambiguous values, such as 03/04/2026, from the unambiguous
// values in the file.
type choice struct {
	shown  [2]int // for each reading, the line of the first value that allows only this reading, or 0
	relied int    // line of the first value that the method take decided, or 0
}

func (c *choice) show(reading, line int) { c.shown[reading] = cmp.Or(c.shown[reading], line) }

func (c *choice) take(line int) (reading int, ok bool) {
	if (c.shown[0] == 0) == (c.shown[1] == 0) {
		return 0, false
	}
	c.relied = cmp.Or(c.relied, line)
	return min(c.shown[1], 1), true
}

func (c *choice) check(what, right string, readings [2]string) error {
	if c.relied == 0 || c.shown[0] == 0 || c.shown[1] == 0 {
		return nil
	}
	return fmt.Errorf("line %d has %s and line %d %s, so that %s of line %d is uncertain: write %s",
		c.shown[0], readings[0], c.shown[1], readings[1], what, c.relied, right)
}

const (
	dayFirst, monthFirst        = 0, 1
	decimalPoint, decimalCommas = 0, 1
)

var (
	figures = regexp.MustCompile(`^(\d{1,4})([./-])(\d{1,2})([./-])(\d{1,4})(?:[T ,]+(\S.*))?$`)
	clocks  = []string{"15:04:05Z07:00", "15:04:05Z0700", "15:04:05Z07", "15:04:05 Z07:00", "15:04:05 UTC", "15:04:05", "15:04",
		"15:04Z07:00", "3:04 PM", "3:04:05 PM"}
)

// moment returns the time since midnight UTC in clock, or nil if text has no time of day. Because of
// a time zone, clock may be negative.
func (l *loader) moment(column int, text string) (day fare.Day, clock *time.Duration, err error) {
	if compact, err := time.Parse("20060102", text); err == nil {
		return fare.DayOf(compact), nil, nil
	}
	if len(text) == len(time.DateOnly) && text[4] == '-' {
		if day, err := fare.ParseDay(text); err == nil {
			return day, nil, nil
		}
	}
	bad := func(why string, undecided bool) fault {
		return fault{BadDate, fmt.Sprintf("%s %.40q: want a day as YYYY-MM-DD%s", l.columns.names[column], text, why), undecided}
	}
	m := figures.FindStringSubmatch(text)
	if m == nil {
		// Without the numbers of a day and a year, the text may mean a day such as tomorrow, which
		// depends on today.
		numbers := strings.FieldsFunc(text, func(r rune) bool { return r < '0' || r > '9' })
		if day, err := (daytext.Reader{Language: "en"}).Day(text); err == nil && len(numbers) == 2 {
			l.note("days in words", text, day.String())
			return day, nil, nil
		}
		return 0, nil, bad("", false)
	}
	if m[6] != "" {
		for _, layout := range clocks {
			if at, err := time.Parse(layout, strings.ToUpper(m[6])); err == nil {
				since := at.Sub(time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC))
				clock = &since
				break
			}
		}
		if clock == nil {
			return 0, nil, bad("", false)
		}
	}
	ymd := func(year, month, day string) (fare.Day, error) {
		if len(year) == 2 && m[2] != "-" { // 26-12-31 may begin with the year
			year = "20" + year
		}
		return fare.ParseDay(fmt.Sprintf("%s-%02s-%02s", year, month, day))
	}
	if len(m[1]) == 4 {
		day, err = ymd(m[1], m[3], m[5])
	} else if day, err = l.ordered(ymd, m, bad); err == nil {
		l.note("days with "+m[2], text, day.String())
	}
	if errors.As(err, new(fault)) {
		return 0, nil, err
	}
	switch {
	case m[2] != m[4]:
		return 0, nil, bad("", false)
	case err != nil:
		return 0, nil, bad(" that the calendar has", false)
	}
	return day, clock, nil
}

func (l *loader) ordered(ymd func(year, month, day string) (fare.Day, error), m []string,
	bad func(why string, undecided bool) fault) (fare.Day, error) {
	first, errFirst := ymd(m[5], m[3], m[1])
	if m[2] == "." {
		return first, errFirst
	}
	second, errSecond := ymd(m[5], m[1], m[3])
	switch {
	case errFirst != nil && errSecond != nil || first == second:
		return first, errFirst
	case errSecond != nil:
		l.days.show(dayFirst, l.line)
		return first, errFirst
	case errFirst != nil:
		l.days.show(monthFirst, l.line)
		return second, errSecond
	}
	reading, ok := l.days.take(l.line)
	if !ok {
		return 0, bad(fmt.Sprintf(": this can be %s or %s, and other lines do not tell", first, second), true)
	}
	return []fare.Day{first, second}[reading], nil
}

func (l *loader) amount(price, currency string) (float64, string, error) {
	v, plain := decimal(price)
	if at := strings.IndexByte(price, '.'); plain && currency != "" && len(price)-at == 3 {
		l.decimals.show(decimalPoint, l.line)
		return v, currency, nil
	}
	number := price
	if !plain || currency == "" {
		price = text([]byte(price))
		number = strings.TrimFunc(price, func(r rune) bool { return r < '0' || r > '9' })
	}
	bad := func(right string, undecided bool) (float64, string, error) {
		return 0, "", fault{BadNumber, fmt.Sprintf("%s %.40q: %s", l.columns.names[l.columns.price], price, right), undecided}
	}
	const right = "want a decimal number, such as 45.50"
	if at := strings.LastIndexAny(number, ".,"); at >= 0 {
		sign := strings.IndexByte(".,", number[at])
		switch count := strings.Count(number, number[at:at+1]); {
		case count > 1: // a repeated point or comma separates thousands
			l.decimals.show(1-sign, l.line)
		case len(number)-at != 4 || at > 3 || number[0] == '0' || number[0] == '-':
			l.decimals.show(sign, l.line)
		default:
			reading, ok := l.decimals.take(l.line)
			if !ok && !(l.final && l.separator == ',') { // in a file separated by commas, a point can be taken for a decimal point
				return bad(right+"; no line tells whether the three digits are thousands", true)
			}
			if !plain && reading == sign {
				return bad(right, false)
			}
			plain = plain && reading == sign
		}
	}
	if plain && currency != "" {
		return v, currency, nil
	}
	cents, meant, ok := fare.SplitPrice(price)
	switch {
	case !ok:
		return bad(right, false)
	case currency == "" && len(meant) != 1:
		return bad("in which currency? Write 45.50 EUR, or add a column currency", false)
	case currency == "":
		currency = meant[0]
	case len(meant) > 0 && !slices.Contains(meant, currency):
		return bad("is not in "+currency+", the currency beside it", false)
	}
	l.note("prices", price, fmt.Sprintf("%.2f %s", float64(cents)/100, currency))
	return float64(cents) / 100, currency, nil
}

func (l *loader) note(kind, text, as string) {
	if l.noted[kind] {
		return
	}
	l.noted[kind] = true
	l.report.Readings = append(l.report.Readings, fmt.Sprintf("%s: %.40q as %s (line %d)", kind, text, as, l.line))
}
