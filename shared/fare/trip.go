package fare

import (
	"fmt"
	"strings"
)

// Trip is a kind of trip. Fares of different kinds are not comparable, so each
// has a history of its own, and two one-way fares are never added up to a return.
type Trip uint8

// The kinds: one-way, and returns by length of stay. Stored keys hold their names.
const (
	OneWay Trip = iota
	Return1to3
	Return4to7
	Return8to14
	Return15
)

// MaxNights bounds the length of a stay; what lies above is a fault of the source.
const MaxNights = 330

var trips = []struct {
	name     string
	from, to int // nights
}{{"", 0, 0}, {"1-3", 1, 3}, {"4-7", 4, 7}, {"8-14", 8, 14}, {"15+", 15, MaxNights}}

// Trips lists all kinds.
func Trips() []Trip { return []Trip{OneWay, Return1to3, Return4to7, Return8to14, Return15} }

// TripOf is the kind of a trip with so many nights away; none is one-way.
func TripOf(nights int) Trip {
	for i, t := range trips {
		if nights <= t.to {
			return Trip(i)
		}
	}
	return Return15
}

// String is the range of nights, as in 4-7; empty for one-way.
func (t Trip) String() string { return trips[t].name }

// Nights is the range of nights away; 0 and 0 for one-way.
func (t Trip) Nights() (from, to int) { return trips[t].from, trips[t].to }

// ParseTrip reads 1-3, 4-7, 8-14 or 15+, and nothing as one-way.
func ParseTrip(s string) (Trip, error) {
	for i, t := range trips {
		if t.name == s {
			return Trip(i), nil
		}
	}
	return OneWay, fmt.Errorf("nights %.20q: want 1-3, 4-7, 8-14 or 15+", s)
}

// Series is a route and a kind of trip: that of which one history is kept.
type Series struct {
	Route
	Trip Trip
}

// String is the route, and behind a # the kind of a return: MIL-BUH, MIL-BUH#4-7.
func (s Series) String() string {
	if s.Trip == OneWay {
		return s.Route.String()
	}
	return s.Route.String() + "#" + s.Trip.String()
}

// ParseSeries reads what String gives.
func ParseSeries(s string) (Series, error) {
	name, nights, isReturn := strings.Cut(s, "#")
	route, err := ParseRoute(name)
	if err != nil {
		return Series{}, fmt.Errorf("series %q: %w", s, err)
	}
	trip, err := ParseTrip(nights)
	if err != nil || isReturn == (trip == OneWay) {
		return Series{}, fmt.Errorf("series %q: want a route, and behind a # 1-3, 4-7, 8-14 or 15+ nights", s)
	}
	return Series{route, trip}, nil
}

// MarshalText makes a series its name wherever it is written as text.
func (s Series) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText gives.
func (s *Series) UnmarshalText(text []byte) (err error) {
	*s, err = ParseSeries(string(text))
	return err
}

// Stops is how many stops a fare has, as far as the source says. The zero value is not known.
type Stops uint8

// The numbers of stops that are told apart.
const (
	StopsUnknown Stops = iota
	NonStop
	OneStop
	MoreStops // two or more
)

// StopsOf is a number of stops; a negative one is not known.
func StopsOf(n int) Stops { return Stops(min(max(n+1, int(StopsUnknown)), int(MoreStops))) }

// Number is the number of stops, 2 standing for two or more, and whether it is known.
func (s Stops) Number() (n int, known bool) { return int(s) - 1, s != StopsUnknown }
