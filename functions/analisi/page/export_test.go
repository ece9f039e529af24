package page

import (
	"verdetto/shared/text/i18n"
	"verdetto/shared/verdict"
)

// WaitAdvice is what a page says of waiting.
func WaitAdvice(l *i18n.Language, a verdict.Analysis) string { return waitsOf(l, a).Advice }
