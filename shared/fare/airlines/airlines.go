// Package airlines returns the names of common airlines by IATA code. It needs no start-up: the
// table is searched in the executable.
//
// The names in airlines.tsv were chosen by hand and compared with OpenTravelData's list of airlines
// (https://github.com/opentraveldata/opentraveldata, CC BY 4.0). An airline has the name under which
// it sells seats.
package airlines

import (
	_ "embed"
	"strings"

	"verdetto/shared/fare"
)

// airlines.tsv: code and name.
//
//go:embed airlines.tsv
var table string

// Name returns the name of an airline, its code if the name is not known, or "" for the zero
// Airline.
func Name(a fare.Airline) string {
	code := a.String()
	if code == "" {
		return ""
	}
	if _, rest, ok := strings.Cut("\n"+table, "\n"+code+"\t"); ok {
		name, _, _ := strings.Cut(rest, "\n")
		return name
	}
	return code
}
