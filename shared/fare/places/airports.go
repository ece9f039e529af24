package places

import (
	_ "embed"
	"slices"
	"strings"

	"verdetto/shared/fare"
)

// airports.tsv: airport, everyday name. Sorted; it holds the airports of cities with several.
//
//go:embed airports.tsv
var airportsTable string

// AirportName returns the everyday name of an airport: Bergamo for BGY. An airport that is its
// city's only one has the city's name in the language. The name of any other is its code.
func AirportName(code, lang string) string {
	if _, rest, ok := strings.Cut("\n"+airportsTable, "\n"+code+"\t"); ok && code != "" {
		name, _, _ := strings.Cut(rest, "\n")
		return name
	}
	if at, ok := position(code); ok {
		c, _ := cityAt(at)
		if slices.Equal(strings.Fields(c.airports), []string{code}) {
			return c.name(lang)
		}
	}
	return code
}

// Airport returns the airport that query means: one of a city's several, by its code (BGY) or its
// everyday name (Bergamo). It returns false for a city, and for a code that is also its city's.
func Airport(query string) (fare.Airport, bool) {
	p, ok := Find(query)
	if part, within := Within(query); ok && within && len(p.Airports) > 1 {
		for _, code := range p.Airports {
			if code != string(p.City) && (code == part || AirportName(code, "") == part) {
				a, err := fare.ParseAirport(code)
				return a, err == nil
			}
		}
	}
	return fare.Airport{}, false
}

// IsClosed reports whether query is the code of an airport without scheduled flights. The code
// still means a city: PMF is sold as Milan.
func IsClosed(query string) bool {
	p, ok := Find(query)
	part, within := Within(query)
	return ok && within && len(part) == 3 && part == strings.ToUpper(strings.TrimSpace(query)) &&
		!slices.Contains(p.Airports, part)
}
