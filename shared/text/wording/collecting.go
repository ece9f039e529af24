package wording

import (
	"verdetto/shared/fare"
	"verdetto/shared/text/i18n"
	"verdetto/shared/verdict"
)

// BeforeFares says since when a service without any fare has been collecting, and when its first
// verdicts can come.
func BeforeFares(l *i18n.Language, r verdict.Raccolta) string {
	date := func(text string) string {
		day, err := fare.ParseDay(text)
		if err != nil {
			return text
		}
		return l.WeekdayDate(day)
	}
	return l.Text("refusal.collecting.lede", "Since", date(r.Dal), "First", date(r.PrimoVerdetto))
}

// Collecting says how many of the needed days of fares are known, and when the first verdict can
// come. It returns "" if r is nil.
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
