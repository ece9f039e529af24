package wording

import (
	"verdetto/shared/text/i18n"
	"verdetto/shared/verdict"
)

func BeforeFares(l *i18n.Language, c verdict.Collection) string {
	return l.Text("refusal.collecting.lede", "Since", since(l, c), "Begun", c.Begun, "First", l.WeekdayDate(c.First))
}

func Collecting(l *i18n.Language, c *verdict.Collection) string {
	if c == nil {
		return ""
	}
	return l.Text("collecting.days", "Days", c.Days, "Needed", verdict.MinSample, "Since", since(l, *c), "First",
		l.WeekdayDate(c.First))
}

func since(l *i18n.Language, c verdict.Collection) string {
	if c.Since == 0 {
		return ""
	}
	return l.WeekdayDate(c.Since)
}
