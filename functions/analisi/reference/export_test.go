package reference

import (
	"maps"
	"slices"
)

// Advised returns the error codes for which the reference has advice.
func Advised() []string { return slices.Sorted(maps.Keys(advice().Advice)) }
