// Package fare defines what the whole service speaks of: cities, routes, days,
// money, observed fares, and the compact form in which many observations are
// stored.
//
// It does no I/O and imports only the codec of that form, so every other
// package may import it.
package fare

import (
	"fmt"
	"strings"
	"time"
)

// City is the IATA code of a city or metropolitan area (MIL, BUH), three upper-case letters.
type City string

// ParseCity reads a three-letter code in either case.
func ParseCity(s string) (City, error) {
	if len(s) != 3 {
		return "", fmt.Errorf("IATA code %.20q: want three letters", s)
	}
	code := []byte(s)
	for i, c := range code {
		if 'a' <= c && c <= 'z' {
			code[i] = c - 'a' + 'A'
		}
		if code[i] < 'A' || code[i] > 'Z' {
			return "", fmt.Errorf("IATA code %q: want three letters", s)
		}
	}
	return City(code), nil
}

// Route is an ordered pair of cities: Milan to Bucharest is not Bucharest to Milan.
type Route struct{ Origin, Destination City }

// String gives the published form, ORIGIN-DESTINATION.
func (r Route) String() string { return string(r.Origin) + "-" + string(r.Destination) }

// ParseRoute reads ORIGIN-DESTINATION.
func ParseRoute(s string) (Route, error) {
	from, to, ok := strings.Cut(s, "-")
	if !ok {
		return Route{}, fmt.Errorf("route %q: want ORIGIN-DESTINATION, as in MIL-BUH", s)
	}
	origin, err := ParseCity(from)
	if err != nil {
		return Route{}, fmt.Errorf("route %q: %w", s, err)
	}
	destination, err := ParseCity(to)
	if err != nil {
		return Route{}, fmt.Errorf("route %q: %w", s, err)
	}
	if origin == destination {
		return Route{}, fmt.Errorf("route %q: origin and destination are the same", s)
	}
	return Route{origin, destination}, nil
}

// Cents is an amount in hundredths of the euro unless a name beside it says otherwise.
type Cents int64

// MaxPrice bounds a credible economy fare (100,000 EUR). What lies above it is a fault of the source.
const MaxPrice Cents = 100_000_00

// MaxLead is how many days ahead a fare can be sold; airlines open sales about a year before. What
// lies beyond is a fault of the source.
const MaxLead = 500

// Day is a calendar day, counted from 1970-01-01. Arithmetic on days is plain arithmetic.
type Day int32

const daySeconds = 24 * 60 * 60

// DayOf is the UTC day of a moment.
func DayOf(t time.Time) Day { return dayOfUnix(t.Unix()) }

func dayOfUnix(s int64) Day {
	d := s / daySeconds
	if s%daySeconds < 0 {
		d--
	}
	return Day(d)
}

// ParseDay reads YYYY-MM-DD.
func ParseDay(s string) (Day, error) {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return 0, fmt.Errorf("day %q: want YYYY-MM-DD", s)
	}
	return DayOf(t), nil
}

// Time is the first moment of the day in UTC.
func (d Day) Time() time.Time { return time.Unix(int64(d)*daySeconds, 0).UTC() }

// String gives YYYY-MM-DD.
func (d Day) String() string { return d.Time().Format(time.DateOnly) }

// Month is the month of the year, 1 to 12.
func (d Day) Month() time.Month { return d.Time().Month() }
