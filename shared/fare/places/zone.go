package places

import (
	"strconv"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // the executables may run where no time zone database is installed

	"verdetto/shared/fare"
)

var zones sync.Map

// Zone returns UTC for an unknown code. A metropolitan area has the zone of its busiest airport.
func Zone(code string) *time.Location {
	name := regionOf(code).zone
	if zone, ok := zones.Load(name); ok {
		return zone.(*time.Location)
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		zone = time.UTC
	}
	zones.Store(name, zone)
	return zone
}

func hasFlights(c fare.City) bool { return flightsOf(string(c)) == 's' }

// No source knows flights to an unserved city, so the name alone does not find the city.
func isUnserved(code string) bool { return flightsOf(code) == 'c' }

func flightsOf(code string) byte {
	line, ok := codeLineOf(code)
	if !ok {
		return 0
	}
	return line[regionColumn+6]
}

type region struct{ country, name, zone string }

func regionOf(code string) region {
	line, ok := codeLineOf(code)
	if !ok {
		return region{}
	}
	at, _ := strconv.Atoi(line[regionColumn : regionColumn+5])
	row, _, _ := strings.Cut(regionsTable[at:], "\n")
	r := region{country: row[:2]}
	r.name, r.zone, _ = strings.Cut(row[3:], "\t")
	return r
}
