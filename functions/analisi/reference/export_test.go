package reference

import (
	"maps"
	"slices"
)

func Advised() []string { return slices.Sorted(maps.Keys(advice().Advice)) }

func Sections() (names []string) {
	for _, s := range sections {
		names = append(names, s.Name)
	}
	return names
}
