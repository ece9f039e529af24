package places

import (
	_ "embed"
	"slices"
	"strings"

	"verdetto/shared/fare"
)

// The columns of airports.tsv are: airport, everyday name in each of Langs (empty if equal to the
// English one), and other names, separated by bars. The file holds the airports of cities with
// several; it is sorted and written by hand.
//
//go:embed airports.tsv
var airportsTable string

// AirportName returns the everyday name of an airport in a language: Bergamo for BGY. The only
// airport of a city has the city's name; other unnamed airports have their code.
func AirportName(code, lang string) string {
	if _, rest, ok := strings.Cut("\n"+airportsTable, "\n"+code+"\t"); ok && code != "" {
		names, _, _ := strings.Cut(rest, "\n")
		return city{names: names}.name(lang)
	}
	if at, ok := position(code); ok {
		c, _ := cityAt(at)
		if slices.Equal(strings.Fields(c.airports), []string{code}) {
			return c.name(lang)
		}
	}
	return code
}

// Airport returns the airport that a query means: one of several of a city, by its code (BGY) or
// one of its names (Bergamo, Orio al Serio), or one that is not listed. It returns false for a
// city, and for an airport that shares its code with its city, because the fare source takes that
// code for the city.
func Airport(query string) (fare.Airport, bool) {
	m := Read(query)
	return m.Of, m.Of != (fare.Airport{})
}
