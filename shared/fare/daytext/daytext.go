// Package daytext reads the days that people type, such as 14 March, 12.02.2027 or next Friday.
// Start with Reader.Day.
//
// The words come from the Unicode CLDR (cldr.tsv; see LICENSES.md) and from everyday.tsv. A Reader
// understands all languages of these tables.
package daytext

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"verdetto/shared/fare"
)

//go:generate go run ./generate

var (
	ErrUnreadable = errors.New("no day that can be read")
	ErrNoSuchDay  = errors.New("no such day")
	ErrSeveral    = errors.New("several days") // such as "next week" or "end of March"
)

// OtherWeekday means that Day does not fall on the weekday that the text states.
type OtherWeekday struct{ Day fare.Day }

func (e *OtherWeekday) Error() string {
	return fmt.Sprintf("%s is a %s", e.Day, e.Day.Time().Weekday())
}

type Reader struct {
	Language string   // a language code; for en, 03/04 is 4 March
	Today    fare.Day // local day where the journey begins

	// After is the day of departure when a day of return is read, or else 0.
	After fare.Day

	exact bool
}

const maxText = 64

// token matches a date in figures (groups 1 to 4), a number with the letters behind it (5 and 6),
// or a word.
var token = regexp.MustCompile(`([0-9]{1,4})\s?([./-])\s?([0-9]{1,2})(?:\s?[./-]\s?([0-9]{1,4}))?\b|([0-9]+)(\pL*)|\pL+`)

var ordinals = regexp.MustCompile(`^(st|nd|rd|th|er|ere|o|a|e|te|ter|ten|ro|ero)$`)

// A time of day in the text is ignored. Bare figures such as 10.30 are a time only beside a day.
var (
	clock = regexp.MustCompile(`(^|\s)((at|um|alle|ore|alle ore|as|a|a las)\s)?[0-9]{1,2}((:[0-9]{2})+(\s?([ap]m|uhr|h))?|` +
		`(\.[0-9]{2})?\s?([ap]m|uhr|h)|h[0-9]{2})\b|\s(at|um|alle|ore|alle ore|as|a las)\s[0-9]{1,2}(\.[0-9]{2})?$`)
	figuresAlone = regexp.MustCompile(`^([01]?[0-9]|2[0-3])\.(00|1[3-9]|[2-5][0-9])(\s.*[0-9])|([0-9].*[\s])([01]?[0-9]|2[0-3])\.(00|1[3-9]|[2-5][0-9])$`)
)

type parts struct {
	figures                 []string // of 14.03.2027: 14, a dot, 03 and 2027; of 14.03 the last one is empty
	numbers                 []int
	month, unit             int
	nth                     int // 1 for the first Friday in March, -1 for the last
	before                  int // how many numbers precede the month
	months, period          bool
	weekday, offset, easter *int // offset counts days after today, easter days after Easter
	in, next, this          bool
	ambiguous               []meaning // words that mean a month or a weekday, such as "mar" in Italian
}

// Day fails with ErrUnreadable, ErrNoSuchDay, ErrSeveral or an *OtherWeekday. A day in the past is
// no error.
func (r Reader) Day(text string) (fare.Day, error) {
	p, err := r.parts(text)
	switch {
	case err != nil:
		return 0, err
	case p.isSeveral():
		return 0, ErrSeveral
	case p.easter != nil || p.nth != 0:
		return r.moving(p)
	case p.figures == nil && p.month == 0:
		return r.relative(p)
	}
	day, err := r.dated(p)
	if err == nil && p.weekday != nil && int(day.Time().Weekday()) != *p.weekday {
		return 0, &OtherWeekday{day}
	}
	return day, err
}

func (p parts) isSeveral() bool {
	alone := p.weekday == nil && p.offset == nil && p.easter == nil && !p.in
	return p.period || alone && (p.month != 0 && (p.unit > 1 || p.figures == nil && !slices.ContainsFunc(p.numbers, func(n int) bool { return n < 100 }) ||
		p.figures != nil && atoi(p.figures[0]) <= 31) || len(p.numbers) == 0 && (p.months || p.unit > 1) && (p.next || p.this))
}

func (r Reader) moving(p parts) (fare.Day, error) {
	from := max(r.Today, r.After)
	year, until := from.Time().Year(), from.Time().Year()+1
	if len(p.numbers) > 0 {
		year, until = p.numbers[0], p.numbers[0]
		from = 0
	}
	if len(p.numbers) > 1 || p.figures != nil || (p.month == 0) != (p.nth == 0) || len(p.numbers) == 1 && (year < 1900 || year > 9999) {
		return 0, ErrUnreadable
	}
	for ; year <= until; year++ {
		var day fare.Day
		if p.easter != nil {
			day = Easter(year) + fare.Day(*p.easter)
		} else {
			first := fare.DayOf(time.Date(year, time.Month(p.month), 1, 0, 0, 0, 0, time.UTC))
			day = weekdayFrom(first, *p.weekday) + fare.Day(7*(p.nth-1))
			if p.nth < 0 {
				day = weekdayFrom(fare.DayOf(first.Time().AddDate(0, 1, 0)), *p.weekday) - 7
			}
			if int(day.Time().Month()) != p.month {
				return 0, ErrNoSuchDay
			}
		}
		if day >= from {
			return day, nil
		}
	}
	return 0, ErrNoSuchDay
}

// Easter returns Easter Sunday by the algorithm of Meeus, Jones and Butcher.
func Easter(year int) fare.Day {
	a, b, c := year%19, year/100, year%100
	d := (19*a + b - b/4 - (b-(b+8)/25+1)/3 + 15) % 30
	e := (32 + 2*(b%4) + 2*(c/4) - d - c%4) % 7
	m := d + e - 7*((a+11*d+22*e)/451) + 114
	return fare.DayOf(time.Date(year, time.Month(m/31), m%31+1, 0, 0, 0, 0, time.UTC))
}

func weekdayFrom(d fare.Day, weekday int) fare.Day {
	return d + fare.Day((weekday-int(d.Time().Weekday())+7)%7)
}

func (r Reader) dated(p parts) (fare.Day, error) {
	switch n := p.numbers; {
	case p.offset != nil || p.unit > 1:
	case p.figures != nil && p.month == 0 && len(n) == 0:
		return r.inFigures(p.figures)
	case p.figures != nil:
	case len(n) == 1 && n[0] < 100: // for 32 March, nearest returns ErrNoSuchDay
		return r.nearest(p.month, n[0])
	case len(n) == 2 && n[0] > 31:
		return dayOf(n[0], p.month, n[1])
	case len(n) == 2 && p.before < 2: // "14 21 March" is no day
		return dayOf(n[1], p.month, n[0])
	}
	return 0, ErrUnreadable
}

func (r Reader) inFigures(f []string) (fare.Day, error) {
	if len(f[0]) == 4 {
		if f[3] == "" {
			return 0, ErrUnreadable
		}
		return dayOf(atoi(f[0]), atoi(f[2]), atoi(f[3]))
	}
	day, month := atoi(f[0]), atoi(f[2])
	if r.Language == "en" && f[1] != "." {
		day, month = month, day
	}
	if month > 12 && day <= 12 {
		day, month = month, day
	}
	if f[3] == "" {
		return r.nearest(month, day)
	}
	return dayOf(atoi(f[3]), month, day)
}

// nearest looks eight years ahead, because of 29 February.
func (r Reader) nearest(month, day int) (fare.Day, error) {
	from := max(r.Today, r.After)
	for year := from.Time().Year(); year <= from.Time().Year()+8; year++ {
		if d, err := dayOf(year, month, day); err == nil && d >= from {
			return d, nil
		}
	}
	return 0, ErrNoSuchDay
}

func dayOf(year, month, day int) (fare.Day, error) {
	if year < 100 {
		year += 2000
	}
	if year < 1000 || year > 9999 {
		return 0, ErrUnreadable
	}
	at := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if month < 1 || month > 12 || at.Day() != day || at.Month() != time.Month(month) {
		return 0, ErrNoSuchDay
	}
	return fare.DayOf(at), nil
}

func (r Reader) relative(p parts) (fare.Day, error) {
	count := 1
	if len(p.numbers) == 1 {
		count = p.numbers[0]
	}
	switch {
	case len(p.numbers) > 1 || count > 1000 || count < 1:
		return 0, ErrUnreadable
	case p.in && p.unit == 0 && !p.months && len(p.numbers) > 0:
		return 0, ErrUnreadable
	case p.offset != nil && p.weekday == nil && (len(p.numbers) == 0 || p.in || p.unit > 1):
		from := fare.Day(*p.offset)
		if p.in || p.unit > 1 {
			from += fare.Day(count * p.unit) // as in a week tomorrow
		}
		return r.Today + from, nil
	case p.in && p.months && p.weekday == nil:
		return fare.DayOf(r.Today.Time().AddDate(0, count, 0)), nil
	case p.in && p.unit != 0 && p.weekday == nil:
		return r.Today + fare.Day(count*p.unit), nil
	case p.weekday == nil && len(p.numbers) == 1 && count <= 31 && p.offset == nil && !p.months && p.unit == 0 && !p.in:
		for day := max(r.Today, r.After); ; day++ { // as in the 15th
			if day.Time().Day() == count {
				return day, nil
			}
		}
	case p.weekday == nil || p.offset != nil || p.months:
		return 0, ErrUnreadable
	}
	from := max(r.Today, r.After)
	if !p.this {
		from++
	}
	day := weekdayFrom(from, *p.weekday)
	switch {
	case p.next && p.unit == 7 && len(p.numbers) == 0:
		return weekdayFrom(weekdayFrom(from, int(time.Monday)), *p.weekday), nil
	case p.in && p.unit != 0 || p.unit > 1 && len(p.numbers) > 0:
		days := count * p.unit
		return day + fare.Day(days-days%7), nil // "Freitag in 8 Tagen" is a Friday, not the day 8 days later
	case p.unit > 1 && !p.this && len(p.numbers) == 0: // as in Monday week
		return day + fare.Day(p.unit), nil
	case p.unit > 1 || p.in && len(p.numbers) > 0 && p.unit == 0:
		return 0, ErrUnreadable
	case len(p.numbers) == 1:
		for ; day.Time().Day() != count; day += 7 {
			if day > from+366 {
				return 0, ErrNoSuchDay
			}
		}
	}
	return day, nil
}

// Month returns the first day of the month.
func (r Reader) Month(text string) (fare.Day, error) {
	p, err := r.parts(text)
	switch n := p.numbers; {
	case err != nil:
		return 0, err
	case p.weekday != nil || p.offset != nil || p.easter != nil || p.period || p.unit > 1 || p.in && p.month == 0:
		return 0, ErrUnreadable
	case p.figures != nil && len(p.figures[0]) == 4 && p.figures[3] == "" && len(n) == 0 && p.month == 0:
		return dayOf(atoi(p.figures[0]), atoi(p.figures[2]), 1)
	case p.figures != nil:
		return 0, ErrUnreadable
	case p.month != 0 && len(n) == 1 && n[0] <= 31, p.months:
		return 0, ErrUnreadable
	case p.month == 0 && len(n) == 2 && n[1] > 31:
		return dayOf(n[1], n[0], 1)
	case p.month == 0:
		return 0, ErrUnreadable
	case len(n) == 1 && n[0] > 31:
		return dayOf(n[0], p.month, 1)
	case len(n) == 0:
		y, m, _ := max(r.Today, r.After).Time().Date()
		if p.month < int(m) {
			y++
		}
		return dayOf(y, p.month, 1)
	}
	return 0, ErrUnreadable
}

func (r Reader) parts(text string) (p parts, err error) {
	if len(text) > maxText {
		return p, ErrUnreadable
	}
	if date, _, ok := strings.Cut(text, "T"); ok && len(date) == len("2006-01-02") && strings.Count(date, "-") == 2 {
		text = date // as in 2027-03-14T10:00
	}
	text = signs.Replace(text)
	if strings.Contains(text, "+") { // as in +7
		return p, ErrUnreadable
	}
	text = clock.ReplaceAllString(fold(text), " ")
	tokens := token.FindAllStringSubmatch(figuresAlone.ReplaceAllString(text, "$3$4"), -1)
	counts := false // the previous token may count weekdays, as in "first Friday"
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		switch word := t[0]; {
		case t[1] != "" && p.figures == nil:
			p.figures = t[1:5]
			continue
		case len(t[5]) == 8:
			p.figures = []string{t[5][:4], "-", t[5][4:6], t[5][6:]}
			if p.figures[2] > "12" || t[5][:2] != "20" { // as in 14032027
				p.figures = []string{t[5][:2], ".", t[5][2:4], t[5][4:]}
			}
		case len(t[5]) > 4 || t[1] != "":
			return p, ErrUnreadable
		case t[5] != "":
			p.numbers = append(p.numbers, atoi(t[5]))
		default:
			t[6] = word
		}
		if t[6] == "" || t[5] != "" && ordinals.MatchString(t[6]) {
			counts = t[6] != ""
			continue
		}
		words := []string{t[6]}
		for _, behind := range tokens[i+1 : min(i+4, len(tokens))] {
			words = append(words, behind[0])
		}
		m, used := r.meaning(words)
		last := len(p.numbers) - 1
		if _, weekday := m["weekday"]; weekday && counts && last >= 0 && p.numbers[last] <= 5 {
			p.nth, p.numbers = p.numbers[last], p.numbers[:last]
		}
		if used == 0 || !p.add(m) {
			return p, ErrUnreadable
		}
		_, counts = m["number"]
		i += used - 1
	}
	if len(tokens) == 0 || !p.decide() || slices.Contains(p.numbers, -1) || p.nth != 0 && p.month == 0 {
		return p, ErrUnreadable
	}
	return p, nil
}

var signs = strings.NewReplacer("\u2010", "-", "\u2011", "-", "\u2012", "-", "–", "-", "—", "-", "−", "-", "年", "-", "月", "-", "日", " ")

func (p *parts) add(m meaning) bool {
	month, isMonth := m["month"]
	weekday, isWeekday := m["weekday"]
	nth, counted := m["nth"]
	switch {
	case counted:
		counted, p.nth, p.month, p.weekday = p.month == 0, nth, month, &weekday
		return counted
	case isMonth && isWeekday:
		p.ambiguous = append(p.ambiguous, m)
	case isMonth && p.month != 0:
		return false
	case isMonth:
		p.month, p.before = month, len(p.numbers)
	case isWeekday:
		isWeekday, p.weekday = p.weekday == nil, &weekday
		return isWeekday
	}
	for kind, value := range m {
		switch kind {
		case "day":
			p.offset = &value
		case "easter":
			p.easter = &value
		case "period":
			p.period = true
		case "number":
			p.numbers = append(p.numbers, value)
		case "unit":
			if _, filler := m["filler"]; !filler || p.in || len(p.numbers) > 0 { // in "no dia 7" (Portuguese), "dia" is no unit
				p.unit = value
			}
		case "months":
			p.months = true
		case "in":
			p.in = true
		case "next":
			p.next = true
		case "this":
			p.this = true
		}
	}
	return true
}

// If the text has a number but no month yet, decide takes the last ambiguous word for the month.
func (p *parts) decide() bool {
	for i := len(p.ambiguous) - 1; i >= 0; i-- {
		m := p.ambiguous[i]
		kind := "weekday"
		if len(p.numbers) > 0 && p.month == 0 {
			kind = "month"
		}
		if !p.add(meaning{kind: m[kind]}) {
			return false
		}
	}
	return true
}

func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// Cut splits a day off the end or the beginning of a text such as "Rome to London, 14 March". Cut
// returns the day as typed, even if there is no such day.
func (r Reader) Cut(text string) (rest, day string, ok bool) {
	words := strings.Fields(text)
	for n := min(6, len(words)-1); n > 0; n-- {
		end := len(words) - n
		if day := strings.Join(words[end:], " "); r.isDay(day) {
			return strings.Trim(strings.Join(words[:end], " "), " ,;:–—-"), day, true
		}
		if day := strings.Join(words[:n], " "); r.isDay(day) {
			return strings.Join(words[n:], " "), day, true
		}
	}
	return text, "", false
}

// isDay rejects short weekdays such as Sun and mere numbers, which may be part of a place's name.
func (r Reader) isDay(text string) bool {
	r.exact = true
	_, err := r.Day(text)
	p, _ := r.parts(text)
	return !errors.Is(err, ErrUnreadable) && (p.weekday == nil || len(text) > 3) && strings.Trim(text, "0123456789") != ""
}
