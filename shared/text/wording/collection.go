package wording

import (
	"verdetto/shared/text/i18n"
	"verdetto/shared/verdict"
)

// BeforeFares says since when a service without any fare has been collecting, and when its first
// verdicts can come.
func BeforeFares(l *i18n.Language, c verdict.Collection) string {
	return l.Text("refusal.collecting.lede", "Since", since(l, c), "Begun", c.Begun, "First", l.WeekdayDate(c.First))
}

// Collecting says how many of the needed days of fares are known, and when the first verdict can
// come. It returns "" if c is nil.
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
