package wording

import (
	"strings"

	"verdetto/shared/fare/places"
	"verdetto/shared/text/i18n"
)

// Places returns sentences that explain the city names of a caller. For an airport or district, the
// sentence names the city; for a city with several airports, it lists the airports.
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
