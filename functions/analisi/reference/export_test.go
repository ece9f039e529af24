package reference

import (
	"maps"
	"slices"
)

// Advised returns the error codes for which the reference has advice.
func Advised() []string { return slices.Sorted(maps.Keys(advice().Advice)) }

// Sections returns the names of the sections of the reference.
func Sections() (names []string) {
	for _, s := range sections {
		names = append(names, s.Name)
	}
	return names
}
