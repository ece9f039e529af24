package wording

import (
	"strings"

	"verdetto/shared/fare/places"
	"verdetto/shared/text/i18n"
)

// Places returns what cities stand for, in sentences for a caller who named them so:
// the city of a part of it, and the airports of a city that has several.
func Places(l *i18n.Language, asked ...string) (all []string) {
	for _, name := range asked {
		p, ok := places.Find(name)
		if !ok {
			continue
		}
		city := places.Name(p.City, l.Code)
		if part, ok := places.Within(name); ok {
			all = append(all, l.Text("place.part", "Asked", part, "City", city))
		}
		if len(p.Airports) > 1 {
			all = append(all, l.Text("place.airports", "City", city, "Airports", strings.Join(p.Airports, ", ")))
		}
	}
	return all
}
