package analisi

import (
	"strings"

	"verdetto/shared/fare/places"
	"verdetto/shared/text/i18n"
)

// PlacesSaid says in a language what the cities of a question stand for, to who asked for cities by these names.
func PlacesSaid(l *i18n.Language, asked ...string) (all []string) {
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
