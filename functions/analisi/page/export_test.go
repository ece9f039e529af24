package page

import (
	"verdetto/shared/text/i18n"
	"verdetto/shared/verdict"
)

// WaitAdvice returns a page's advice about waiting.
func WaitAdvice(l *i18n.Language, a verdict.Analysis) string { return waitsOf(l, a).Advice }
