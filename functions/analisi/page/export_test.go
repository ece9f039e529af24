package page

import (
	"strings"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/published"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
	"verdetto/shared/verdict"
)

func WaitAdvice(l *i18n.Language, a verdict.Judgement) string {
	w := waitsOf(wording.Verdict{Language: l, Of: a})
	return strings.TrimSpace(w.Answer + " " + w.Advice)
}

func OtherNights(l *i18n.Language, asked answer.Question, offer verdict.Live, c *verdict.Calendar) string {
	return (&view{T: l, AllFares: true}).otherNights(asked, offer, c)
}

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

type (
	Options = options
	Option  = option
	Rows    = rows
)
