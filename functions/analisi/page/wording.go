package page

import "verdetto/shared/text/i18n"

// months says how many months it compares if fewer than 12 have known fares.
func months(l *i18n.Language, best []string, known int) string {
	if known < 12 {
		return l.Text("verdict.months_known", "Known", known, "Months", l.List(best))
	}
	return l.Text("verdict.months_best", "Months", l.List(best))
}

func routeName(l *i18n.Language, from, to string) string {
	return l.Text("home.route", "From", from, "To", to)
}
