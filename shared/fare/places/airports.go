package places

import (
	_ "embed"
	"slices"
	"strings"
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
