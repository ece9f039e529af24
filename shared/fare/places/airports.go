package places

import (
	_ "embed"
	"slices"
	"strings"

	"verdetto/shared/fare"
)

// airports.tsv is written by hand, and sorted. Its columns are: an airport of a city with several
// airports, its everyday name in each of Langs (empty if equal to the English one), and other names
// with bars between them.
//
//go:embed airports.tsv
var airportsTable string

// AirportName returns a name such as Bergamo for BGY. For the only airport of a city it returns the
// name of the city, and for another airport without a name the code.
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

// Airport returns false for an airport that shares its code with its city, because the fare source
// takes that code for the city.
func Airport(query string) (fare.Airport, bool) {
	m := Read(query)
	return m.Of, m.Of != (fare.Airport{})
}
