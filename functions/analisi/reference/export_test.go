package reference

import (
	"maps"
	"slices"
)

// Advised returns the error codes that have advice.
func Advised() []string { return slices.Sorted(maps.Keys(advice().Advice)) }
