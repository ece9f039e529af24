package wording

import (
	"verdetto/shared/fare"
	"verdetto/shared/text/i18n"
	"verdetto/shared/verdict"
)

// Collecting says how many days of fares are collected, of those that a route's first verdict
// needs, and when that verdict can come. It returns "" without r.
func Collecting(l *i18n.Language, r *verdict.Raccolta) string {
	if r == nil {
		return ""
	}
	first, err := fare.ParseDay(r.PrimoVerdetto)
	if err != nil {
		return ""
	}
	since := ""
	if day, err := fare.ParseDay(r.Dal); err == nil {
		since = l.WeekdayDate(day)
	}
	return l.Text("collecting.days", "Days", r.DaGiorni, "Needed", r.DiGiorni, "Since", since, "First", l.WeekdayDate(first))
}
