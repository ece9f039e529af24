package wording

import (
	"verdetto/shared/fare"
	"verdetto/shared/text/i18n"
	"verdetto/shared/verdict"
)

// Collecting writes a sentence for a route without a verdict: how many of the needed days of fares
// are known, and when the first verdict can come. It returns "" if r is nil.
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
