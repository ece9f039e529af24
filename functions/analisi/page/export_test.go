package page

import (
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
	"verdetto/shared/verdict"
)

// WaitAdvice returns a page's advice about waiting.
func WaitAdvice(l *i18n.Language, a verdict.Analysis) string {
	return waitsOf(wording.Verdict{Language: l, Of: a}).Advice
}
