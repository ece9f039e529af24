package fare

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"verdetto/shared/fare/packed"
)

// Airport is an IATA code. The zero value is an unknown airport.
type Airport [3]byte

func ParseAirport(s string) (Airport, error) {
	city, err := ParseCity(s)
	if err != nil || string(city) != s {
		return Airport{}, fmt.Errorf("airport %.20q: want three capitals, as in BGY", s)
	}
	return Airport([]byte(s)), nil
}

func (a Airport) String() string {
	if a == (Airport{}) {
		return ""
	}
	return string(a[:])
}

// Airports restricts fares to airports. A zero From or To means any airport.
type Airports struct{ From, To Airport }

func (a Airports) Include(f Flight) bool {
	return (a.From == Airport{} || a.From == f.From) && (a.To == Airport{} || a.To == f.To)
}

func (a Airports) String() string {
	if a == (Airports{}) {
		return ""
	}
	return a.From.String() + "-" + a.To.String()
}

func (a Airports) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

func (a *Airports) UnmarshalText(text []byte) (err error) {
	if *a = (Airports{}); len(text) > 0 {
		*a, err = parseAirports(string(text))
	}
	return err
}

func parseAirports(s string) (a Airports, err error) {
	from, to, ok := strings.Cut(s, "-")
	if !ok || from == "" && to == "" {
		return a, fmt.Errorf("airports %.20q: want BGY-STN, BGY- or -STN", s)
	}
	if from != "" {
		a.From, err = ParseAirport(from)
	}
	if to != "" && err == nil {
		a.To, err = ParseAirport(to)
	}
	return a, err
}

// Airline is an IATA code. The zero value is an unknown airline.
type Airline [2]byte

func ParseAirline(s string) (Airline, error) {
	if len(s) != 2 || airlineDigit(s[0]) < 0 || airlineDigit(s[1]) < 0 {
		return Airline{}, fmt.Errorf("airline %.20q: want two capitals or digits, as in U2", s)
	}
	return Airline([]byte(s)), nil
}

func (a Airline) String() string {
	if a == (Airline{}) {
		return ""
	}
	return string(a[:])
}

// A duration above MaxMinutes in one direction is taken for an error of the source.
const MaxMinutes = 7 * 24 * 60

// Flight describes the outward flight of a fare. Unknown values are zero.
type Flight struct {
	From, To Airport
	Airline  Airline
	Minutes  int16 // from departure to arrival, including stops
}

func (f Flight) Known() bool { return f != Flight{} }

// Compare puts the flight with more known facts first.
func (f Flight) Compare(g Flight) int {
	if f == g {
		return 0
	}
	if by := g.facts() - f.facts(); by != 0 {
		return by
	}
	return cmp.Or(cmp.Compare(f.From.String(), g.From.String()), cmp.Compare(f.To.String(), g.To.String()),
		cmp.Compare(f.Airline.String(), g.Airline.String()), cmp.Compare(f.Minutes, g.Minutes))
}

func (f Flight) facts() (n int) {
	for _, known := range []bool{f.From != Airport{}, f.To != Airport{}, f.Airline != Airline{}, f.Minutes != 0} {
		if known {
			n++
		}
	}
	return n
}

func (a Airport) pack() uint16 {
	if a == (Airport{}) {
		return 0
	}
	return uint16(Currency(a).Pack())
}

func unpackAirport(n uint16) (Airport, bool) {
	if n == 0 {
		return Airport{}, true
	}
	c, ok := UnpackCurrency(uint64(n))
	return Airport([]byte(c.String())), ok
}

func (a Airline) pack() uint16 {
	if a == (Airline{}) {
		return 0
	}
	return uint16(1 + airlineDigit(a[0])*airlineBase + airlineDigit(a[1]))
}

const (
	airlineDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	airlineBase   = len(airlineDigits)
)

func airlineDigit(b byte) int {
	switch {
	case '0' <= b && b <= '9':
		return int(b - '0')
	case 'A' <= b && b <= 'Z':
		return int(b-'A') + 10
	}
	return -1
}

func unpackAirline(n uint16) (Airline, bool) {
	if n == 0 {
		return Airline{}, true
	}
	v := int(n - 1)
	if v >= airlineBase*airlineBase {
		return Airline{}, false
	}
	return Airline{airlineDigits[v/airlineBase], airlineDigits[v%airlineBase]}, true
}

func (f Flight) Encode(w *packed.Writer) {
	w.Uint16(f.From.pack())
	w.Uint16(f.To.pack())
	w.Uint16(f.Airline.pack())
	w.Uint(uint64(f.Minutes))
}

var errFlight = errors.New("a flight that cannot be")

func DecodeFlight(r *packed.Reader) (f Flight) {
	var ok [3]bool
	f.From, ok[0] = unpackAirport(r.Uint16())
	f.To, ok[1] = unpackAirport(r.Uint16())
	f.Airline, ok[2] = unpackAirline(r.Uint16())
	minutes := r.Uint()
	if ok != [3]bool{true, true, true} || minutes > MaxMinutes {
		r.Fail(errFlight)
		return Flight{}
	}
	f.Minutes = int16(minutes)
	return f
}
