package wording

import (
	"strings"

	"verdetto/shared/fare/places"
	"verdetto/shared/text/i18n"
)

// Places returns sentences that explain the city names of a caller. For an airport or district, the
// sentence names the city. If the city has several airports, the sentence lists them.
func Places(l *i18n.Language, asked ...string) (all []string) {
	for _, name := range asked {
		p, ok := places.Find(name)
		if !ok {
			continue
		}
		city := places.Name(p.City, l.Code)
		airports := ""
		if len(p.Airports) > 1 {
			airports = strings.Join(p.Airports, ", ")
		}
		if part, ok := places.Within(name); ok {
			all = append(all, l.Text("place.part", "Asked", part, "City", city, "Airports", airports))
		} else if airports != "" {
			all = append(all, l.Text("place.airports", "City", city, "Airports", airports))
		}
	}
	return all
}
