// Package places maps the names of cities to IATA codes, and back. Start at Read.
//
// The airports of a metropolitan area count as one city: Milano is Malpensa, Linate and Orio al
// Serio. All functions are safe for concurrent use.
package places

import (
	"iter"

	"verdetto/shared/fare"
)

//go:generate go run ./generate

type Place struct {
	City     fare.City
	Name     string
	Country  string   // ISO 3166 alpha-2
	Airports []string // IATA codes, busiest first
	Airport  string   // set if the place is a single airport of the city
}

// At returns the place of the airport a, with the Italian name of a. If a is zero, At returns p.
func (p Place) At(a fare.Airport) Place {
	if a != (fare.Airport{}) {
		p.Airport, p.Name = a.String(), AirportName(a.String(), "it")
	}
	return p
}

const maxQuery = 256

func Find(query string) (Place, bool) {
	m := Read(query)
	return m.Place, m.City != ""
}

func lookup(key string) (entry, bool) {
	all := sameKey(key)
	if len(all) == 0 {
		return entry{}, false
	}
	return all[0], true
}

// Get returns false for the code of an airport, unless its city has the same code.
func Get(city fare.City) (Place, bool) {
	c, ok := lineOf(city)
	if !ok {
		return Place{}, false
	}
	return c.place(c.name("it")), true
}

func lineOf(code fare.City) (c city, ok bool) {
	if at, known := position(string(code)); known {
		c, _ = cityAt(at)
	}
	return c, c.code == code && code != ""
}

// CityOf returns MIL for BGY and for MIL. Codes must be in capitals.
func CityOf(code string) (fare.City, bool) {
	at, ok := position(code)
	if !ok {
		return "", false
	}
	return fare.City(citiesTable[at : at+3]), true
}

func Name(city fare.City, lang string) string {
	if c, ok := lineOf(city); ok {
		return c.name(lang)
	}
	return ""
}

// Cities yields the cities that are not unserved, busiest first.
func Cities() iter.Seq[fare.City] {
	return func(yield func(fare.City) bool) {
		for i := 0; i < len(citiesTable); {
			c, next := cityAt(i)
			if isUnserved(string(c.code)) || !yield(c.code) { // unserved cities come last
				return
			}
			i = next
		}
	}
}
