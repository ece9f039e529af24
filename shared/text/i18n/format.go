package i18n

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"verdetto/shared/fare"
)

// Number writes a number in groups of three digits.
func (l *Language) Number(n int) string {
	s, group := strconv.Itoa(n), l.Text("format.group")
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + group + s[i:]
	}
	return s
}

// amounts are how a language writes amounts that are not shown in euros.
type amounts struct {
	in       *Language
	currency string
	of       func(euro fare.Cents) fare.Cents
}

// InCurrency is the language with the amounts that it is given, in euros, written in another currency.
func (l *Language) InCurrency(code string, of func(euro fare.Cents) fare.Cents) *Language {
	return &Language{Code: l.Code, Name: l.Name, English: l.English, amounts: &amounts{l, code, of}}
}

// Converts tells whether amounts are written in another currency than the euro.
func (l *Language) Converts() bool { return l.amounts != nil }

// converted is an amount in the currency that amounts are written in.
func (l *Language) converted(c fare.Cents) fare.Cents {
	if l.amounts == nil {
		return c
	}
	return l.amounts.of(c)
}

// Money writes an amount in euros, without its cents where there are none.
func (l *Language) Money(c fare.Cents) string {
	c = l.converted(c)
	return l.money(c, c%100 != 0)
}

// Amount writes an amount in euros with its cents.
func (l *Language) Amount(c fare.Cents) string { return l.money(l.converted(c), true) }

// Whole writes an amount in whole units, without the name of its currency.
func (l *Language) Whole(c fare.Cents) string { return strconv.Itoa(int((l.converted(c) + 50) / 100)) }

// Price writes an amount that is given in decimals, such as 12.99, in a currency.
func (l *Language) Price(amount, currency string) string {
	if currency == "EUR" {
		return l.Text("format.money", "Amount", l.Decimals(amount))
	}
	return l.Decimals(amount) + "\u00a0" + currency
}

// Decimals writes a number that is given in decimals with a point, as it is.
func (l *Language) Decimals(number string) string {
	whole, part, dotted := strings.Cut(number, ".")
	if n, err := strconv.Atoi(whole); err == nil {
		whole = l.Number(n)
	}
	if dotted {
		whole += l.Text("format.decimal") + part
	}
	return whole
}

func (l *Language) money(c fare.Cents, cents bool) string {
	sign := ""
	if c < 0 {
		sign, c = "−", -c
	}
	s := sign + l.Number(int(c/100))
	if cents {
		s += l.Text("format.decimal") + fmt.Sprintf("%02d", c%100)
	}
	if l.amounts != nil {
		return s + "\u00a0" + l.amounts.currency
	}
	return l.Text("format.money", "Amount", s)
}

// Month is the name of a month.
func (l *Language) Month(m time.Month) string { return l.numbered("format.month.", int(m)) }

// MonthShort is the name of a month where room is scarce.
func (l *Language) MonthShort(m time.Month) string { return l.numbered("format.month_short.", int(m)) }

// MonthInitial is the first letter of a month.
func (l *Language) MonthInitial(m time.Month) string {
	return l.numbered("format.month_initial.", int(m))
}

// Weekday is the name of a day of the week.
func (l *Language) Weekday(d time.Weekday) string { return l.numbered("format.weekday.", int(d)) }

// WeekdayShort is the name of a day of the week where room is scarce.
func (l *Language) WeekdayShort(d time.Weekday) string {
	return l.numbered("format.weekday_short.", int(d))
}

func (l *Language) numbered(prefix string, n int) string { return l.Text(prefix + strconv.Itoa(n)) }

// Date is a day as it is said.
func (l *Language) Date(d fare.Day) string { return l.date(d.Time()) }

func (l *Language) date(t time.Time) string {
	return l.Text("format.date", "Day", t.Day(), "Month", l.Month(t.Month()), "Year", t.Year())
}

// WeekdayDate is a day with the day of the week.
func (l *Language) WeekdayDate(d fare.Day) string {
	t := d.Time()
	return l.Text("format.weekday_date", "Weekday", l.Weekday(t.Weekday()), "Date", l.date(t))
}

// Moment is a time as it is said, in UTC.
func (l *Language) Moment(t time.Time) string {
	t = t.UTC()
	return l.Text("format.moment", "Date", l.date(t), "Time", t.Format("15:04"))
}

// List joins names.
func (l *Language) List(names []string) string {
	n := len(names)
	if n < 2 {
		return strings.Join(names, "")
	}
	return l.Text("format.list", "Some", strings.Join(names[:n-1], l.Text("format.comma")), "Last", names[n-1])
}

// MonthOf is the month of a day, with its year.
func (l *Language) MonthOf(d fare.Day) string {
	t := d.Time()
	return l.Text("format.month_year", "Month", l.Month(t.Month()), "Year", t.Year())
}
