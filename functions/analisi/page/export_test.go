package page

import (
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
	"verdetto/shared/verdict"
)

// WaitAdvice returns the advice of a page on whether to wait for a lower fare.
func WaitAdvice(l *i18n.Language, a verdict.Analysis) string {
	return waitsOf(wording.Verdict{Language: l, Of: a}).Advice
}
