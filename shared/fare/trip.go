package fare

import (
	"fmt"
	"strings"
)

type Trip uint8

const (
	OneWay Trip = iota
	Return1to3
	Return4to7
	Return8to14
	Return15
)

// A stay longer than MaxNights is taken for an error of the source.
const MaxNights = 330

var trips = []struct {
	name     string
	from, to int // nights
}{{"", 0, 0}, {"1-3", 1, 3}, {"4-7", 4, 7}, {"8-14", 8, 14}, {"15+", 15, MaxNights}}

func Trips() []Trip { return []Trip{OneWay, Return1to3, Return4to7, Return8to14, Return15} }

func TripOf(nights int) Trip {
	for i, t := range trips {
		if nights <= t.to {
			return Trip(i)
		}
	}
	return Return15
}

// String returns the range of nights, as in 4-7, or "" for one-way. Stored keys contain this range.
func (t Trip) String() string { return trips[t].name }

func (t Trip) Nights() (from, to int) { return trips[t].from, trips[t].to }

func ParseTrip(s string) (Trip, error) {
	for i, t := range trips {
		if t.name == s {
			return Trip(i), nil
		}
	}
	return OneWay, fmt.Errorf("nights %.20q: want 1-3, 4-7, 8-14 or 15+", s)
}

type Series struct {
	Route
	Trip     Trip
	Airports Airports // the zero value means all airports
}

// String returns forms such as MIL-BUH, MIL-BUH#4-7 and MIL-LON@BGY-STN#4-7.
func (s Series) String() string {
	name := s.Route.String()
	if s.Airports != (Airports{}) {
		name += "@" + s.Airports.String()
	}
	if s.Trip == OneWay {
		return name
	}
	return name + "#" + s.Trip.String()
}

func (s Series) OfCities() Series {
	s.Airports = Airports{}
	return s
}

func ParseSeries(s string) (Series, error) {
	name, nights, isReturn := strings.Cut(s, "#")
	name, pair, hasAirports := strings.Cut(name, "@")
	route, err := ParseRoute(name)
	if err != nil {
		return Series{}, fmt.Errorf("series %q: %w", s, err)
	}
	var airports Airports
	if hasAirports {
		if airports, err = parseAirports(pair); err != nil {
			return Series{}, fmt.Errorf("series %q: %w", s, err)
		}
	}
	trip, err := ParseTrip(nights)
	if err != nil || isReturn == (trip == OneWay) {
		return Series{}, fmt.Errorf("series %q: want a route, and behind a # 1-3, 4-7, 8-14 or 15+ nights", s)
	}
	return Series{route, trip, airports}, nil
}

func (s Series) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

func (s *Series) UnmarshalText(text []byte) (err error) {
	*s, err = ParseSeries(string(text))
	return err
}

// The values of Stops are not counts; see Number.
type Stops uint8

const (
	StopsUnknown Stops = iota
	NonStop
	OneStop
	MoreStops // two or more
)

func StopsOf(n int) Stops { return Stops(min(max(n+1, int(StopsUnknown)), int(MoreStops))) }

// Number returns 2 for two or more stops.
func (s Stops) Number() (n int, known bool) { return int(s) - 1, s != StopsUnknown }
