// Package fare defines the service's basic types: cities, routes, days, money and observed fares.
// It also packs observations into compact blocks for storage.
package fare

import (
	"fmt"
	"strings"
	"time"
)

// City is the IATA code of a city or metropolitan area, such as MIL.
type City string

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

type Route struct{ Origin, Destination City }

func (r Route) String() string { return string(r.Origin) + "-" + string(r.Destination) }

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

// Cents counts hundredths of a euro or of another currency.
type Cents int64

// MaxPrice is in euro cents. A higher fare is taken for an error of the source.
const MaxPrice Cents = 100_000_00

// MaxLead is in days. Airlines open sales about a year ahead, so a longer lead time is taken for an
// error of the source.
const MaxLead = 500

// Day is a calendar day, counted from 1970-01-01.
type Day int32

const daySeconds = 24 * 60 * 60

func DayOf(t time.Time) Day { return dayOfUnix(t.Unix()) }

func dayOfUnix(s int64) Day {
	d := s / daySeconds
	if s%daySeconds < 0 {
		d--
	}
	return Day(d)
}

func ParseDay(s string) (Day, error) {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return 0, fmt.Errorf("day %q: want YYYY-MM-DD", s)
	}
	return DayOf(t), nil
}

func (d Day) Time() time.Time { return time.Unix(int64(d)*daySeconds, 0).UTC() }

func (d Day) String() string { return d.Time().Format(time.DateOnly) }

type Quarter int

func (d Day) Quarter() Quarter {
	at := d.Time()
	return Quarter(4*at.Year() + (int(at.Month())-1)/3)
}

func (q Quarter) YearAndNumber() (year, number int) { return int(q) / 4, int(q)%4 + 1 }

func (q Quarter) String() string { return fmt.Sprintf("%d-Q%d", int(q)/4, int(q)%4+1) }

func (d Day) Month() time.Month { return d.Time().Month() }
