package wording

import (
	"html/template"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/text/i18n"
)

func WhenCheap(l *i18n.Language, dated bool) template.HTML {
	if dated {
		return l.HTML("when.verdict", "Good", l.Text("level.buono"), "Great", l.Text("level.ottimo"))
	}
	return l.HTML("when.market", Lows(l)...)
}

func CheapKind(l *i18n.Language, dated bool) string {
	if dated {
		return l.Text("form.kind_cheap.day")
	}
	return l.Text("form.kind_cheap.market")
}

func Lows(l *i18n.Language) []any {
	return []any{"Low", l.Text("market.buono"), "Lowest", l.Text("market.ottimo")}
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
