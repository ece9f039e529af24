package i18n

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"verdetto/shared/fare"
)

// Number groups digits by three, as in 1,234,567. Spanish and Portuguese leave four digits
// ungrouped, as in 2586.
func (l *Language) Number(n int) string {
	s, group := strconv.Itoa(n), l.Text("format.group")
	if from, err := strconv.Atoi(l.Text("format.group_from")); err == nil && len(s) < from {
		return s
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + group + s[i:]
	}
	return s
}

type amounts struct {
	language *Language
	currency fare.Currency
	convert  func(euro fare.Cents) fare.Cents
}

// InCurrency expects convert to turn euro cents into hundredths of the currency with this code.
func (l *Language) InCurrency(code string, convert func(euro fare.Cents) fare.Cents) *Language {
	currency, err := fare.ParseCurrency(code)
	if err != nil {
		return l
	}
	return &Language{Code: l.Code, Name: l.Name, English: l.English, amounts: &amounts{l, currency, convert}}
}

func (l *Language) Converted(c fare.Cents) fare.Cents { return l.converted(c) }

func (l *Language) converted(c fare.Cents) fare.Cents {
	if l.amounts == nil {
		return c
	}
	return fare.Money{Amount: l.amounts.convert(c), Currency: l.amounts.currency}.Rounded().Amount
}

// Money writes an amount given in euro cents. A whole number of euros is also written as a whole
// number in another currency.
func (l *Language) Money(euro fare.Cents) string { return l.InUnits(l.Convert(euro)) }

func (l *Language) Convert(euro fare.Cents) fare.Cents {
	c := l.converted(euro)
	if l.amounts != nil && euro%100 == 0 {
		c = (c + 50) / 100 * 100
	}
	return c
}

func (l *Language) InUnits(c fare.Cents) string { return l.money(c, c%100 != 0) }

// About writes an amount given in euro cents, rounded to whole units.
func (l *Language) About(c fare.Cents) string { return l.money((l.converted(c)+50)/100*100, false) }

// Amount writes an amount given in euro cents, always with the decimals of the currency.
func (l *Language) Amount(c fare.Cents) string { return l.money(l.converted(c), true) }

// Whole writes an amount given in euro cents as a whole number without its currency.
func (l *Language) Whole(c fare.Cents) string { return strconv.Itoa(int((l.converted(c) + 50) / 100)) }

// Price converts nothing: amount is a decimal string such as 12.99, already in currency.
func (l *Language) Price(amount, currency string) string {
	if currency == "EUR" {
		return l.Text("format.money", "Amount", l.Decimals(amount))
	}
	return l.Decimals(amount) + "\u00a0" + currency
}

func (l *Language) Quoted(m fare.Money) string { return l.Price(m.Short(), m.Currency.String()) }

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
	m := fare.Money{Amount: c}
	if l.amounts != nil {
		m.Currency = l.amounts.currency
	}
	number := m.Decimal()
	if !cents {
		number, _, _ = strings.Cut(number, ".")
	}
	if m.Currency == fare.EUR {
		return l.Text("format.money", "Amount", sign+l.Decimals(number))
	}
	return sign + l.Price(number, m.Currency.String())
}

func (l *Language) Month(m time.Month) string { return l.numbered("format.month.", int(m)) }

func (l *Language) MonthShort(m time.Month) string { return l.numbered("format.month_short.", int(m)) }

func (l *Language) Weekday(d time.Weekday) string { return l.numbered("format.weekday.", int(d)) }

func (l *Language) WeekdayShort(d time.Weekday) string {
	return l.numbered("format.weekday_short.", int(d))
}

func (l *Language) numbered(prefix string, n int) string { return l.Text(prefix + strconv.Itoa(n)) }

func (l *Language) Date(d fare.Day) string { return l.date(d.Time()) }

func (l *Language) date(t time.Time) string {
	return l.Text("format.date", "Day", t.Day(), "Month", l.Month(t.Month()), "Year", t.Year())
}

func (l *Language) WeekdayDate(d fare.Day) string {
	t := d.Time()
	return l.Text("format.weekday_date", "Weekday", l.Weekday(t.Weekday()), "Date", l.date(t))
}

func (l *Language) WeekdayDay(d fare.Day) string {
	t := d.Time()
	return l.Text("format.weekday_day", "Weekday", l.Weekday(t.Weekday()), "Day", t.Day(), "Month", l.Month(t.Month()))
}

func (l *Language) Moment(t time.Time) string {
	t = t.UTC()
	return l.Text("format.moment", "Date", l.date(t), "Time", t.Format("15:04"))
}

func (l *Language) List(names []string) string {
	n := len(names)
	if n < 2 {
		return strings.Join(names, "")
	}
	return l.Text("format.list", "Some", strings.Join(names[:n-1], l.Text("format.comma")), "Last", names[n-1])
}

func (l *Language) MonthOf(d fare.Day) string {
	t := d.Time()
	return l.Text("format.month_year", "Month", l.Month(t.Month()), "Year", t.Year())
}

// Apart rounds both amounts to whole units before it subtracts them.
func (l *Language) Apart(price, from fare.Cents) (amount string, sign int) {
	by := l.wholeApart(price, from)
	return l.money(100*max(by, -by), false), l.Sign(price, from)
}

func (l *Language) Sign(price, from fare.Cents) int { return cmp.Compare(l.wholeApart(price, from), 0) }

func (l *Language) wholeApart(price, from fare.Cents) fare.Cents {
	return (l.converted(price)+50)/100 - (l.converted(from)+50)/100
}

func (l *Language) Signed(price, from fare.Cents) string {
	switch by := int(l.wholeApart(price, from)); {
	case by > 0:
		return "+" + strconv.Itoa(by)
	case by < 0:
		return "−" + strconv.Itoa(-by)
	}
	return "0"
}
