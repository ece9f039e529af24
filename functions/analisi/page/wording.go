package page

import "verdetto/shared/text/i18n"

func routeName(l *i18n.Language, from, to string) string {
	return l.Text("home.route", "From", from, "To", to)
}
