package page

import (
	"verdetto/shared/fare"
	"verdetto/shared/published"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
	"verdetto/shared/verdict"
)

// WaitAdvice returns the advice of a page on whether to wait for a lower fare.
func WaitAdvice(l *i18n.Language, a verdict.Analysis) string {
	return waitsOf(wording.Verdict{Language: l, Of: a}).Advice
}

// AreasOf returns the countries that a list of destinations names at once, and the others.
func AreasOf(l *i18n.Language, cities []fare.City) (first, others []string) {
	v, all := view{T: l}, []published.DestinationDeal{}
	for _, c := range cities {
		all = append(all, published.DestinationDeal{To: c})
	}
	named := func(links []link) (names []string) {
		for _, l := range links {
			names = append(names, l.Text)
		}
		return names
	}
	a, b := v.areasOf(question{language: l}, all)
	return named(a), named(b)
}
