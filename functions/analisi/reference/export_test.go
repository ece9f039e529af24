package reference

import (
	"maps"
	"slices"
)

// Advised lists the codes that advice is given on.
func Advised() []string { return slices.Sorted(maps.Keys(advice().Advice)) }
