package wording

import (
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/text/i18n"
)

// Usual compares a price with the usual price, both in euro cents: that of similar trips if trip is
// true, otherwise that of the route.
func Usual(l *i18n.Language, price, usual fare.Cents, trip bool) string {
	by, of, differs := Whole(max(price, usual)-min(price, usual)), "route", "less"
	if trip {
		of = "trip"
	}
	switch {
	case by == 0:
		differs = "same"
	case price > usual:
		differs = "more"
	}
	return l.Text("usual."+of+"."+differs, "Usual", l.Amount(usual), "By", l.Money(by))
}

func Seen(l *i18n.Language, found time.Time, today fare.Day) string {
	day := fare.DayOf(found)
	ago := l.Text("ago.today")
	switch days := int(today - day); {
	case days == 1:
		ago = l.Text("ago.yesterday")
	case days > 1:
		ago = l.Text("ago.days", "Count", days)
	}
	return l.Text("mail.alert.seen", "When", ago, "Date", l.WeekdayDate(day))
}
