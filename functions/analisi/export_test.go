package analisi

import (
	"maps"
	"slices"

	"verdetto/shared/text/i18n"
	"verdetto/shared/verdict"
)

// Advised lists the codes that advice is given on.
func Advised() []string { return slices.Sorted(maps.Keys(advice)) }

// WaitAdvice is what a page says of waiting.
func WaitAdvice(l *i18n.Language, a verdict.Analysis) string { return waitsOf(l, a).Advice }
