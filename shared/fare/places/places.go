// Package places turns what people call a city into the IATA code under which
// its fares are sold, and back.
//
// It knows every city with scheduled flights: its names in Italian, English,
// French, German, Spanish, Portuguese and the language of the country, and the
// everyday names of destinations whose airport is called otherwise (Bali,
// Creta, Saigon). Airports of one metropolitan area are one city: Milano is
// Malpensa, Linate and Orio al Serio. A name that several cities bear means the
// busiest of them. Every function is pure, safe for any input and for use by
// many goroutines, and there is nothing to load.
package places

import (
	"iter"
	"strings"

	"verdetto/shared/fare"
)

//go:generate go run ./generate

// Place is a city with the name by which it was asked for.
type Place struct {
	City     fare.City
	Name     string   // properly written: "milano" was matched, "Milano" is here
	Country  string   // ISO 3166 alpha-2
	Airports []string // IATA codes, busiest first
}

// maxQuery is more bytes than any name in the tables has; longer input is not looked at.
const maxQuery = 256

// Find looks up a name in any of the languages, in any case, with or without
// accents. The IATA code of a city or an airport in capitals is that code, for so
// programs write it: KRK is Cracow, and Krk an island. In other letters it is
// understood where no city bears it as a name. The Place of a code has the
// Italian name, or the English one.
func Find(query string) (Place, bool) {
	if len(query) > maxQuery {
		return Place{}, false
	}
	e, named := lookup(Fold(query))
	if code, ok := CityOf(strings.TrimSpace(query)); ok && code != e.city {
		return Get(code)
	}
	if named {
		if at, ok := position(string(e.city)); ok {
			c, _ := cityAt(at)
			return c.place(e.written), true
		}
	}
	if at, ok := positionTyped(query); ok {
		c, _ := cityAt(at)
		return c.place(c.name("it")), true
	}
	return Place{}, false
}

// Within tells whether a query that Find finds names less than the city that it
// is found in, and gives what it names as it is written: one of several airports
// by its code (BGY, of Milano), or a place that the city's airports serve
// (Bergamo). The fares of such a place are those of the whole city.
func Within(query string) (name string, ok bool) {
	p, found := Find(query)
	if !found {
		return "", false
	}
	if e, named := lookup(Fold(query)); named && e.city == p.City {
		return e.written, e.kind == kindPlace
	}
	code := strings.ToUpper(strings.TrimSpace(query))
	return code, code != string(p.City)
}

func lookup(key string) (entry, bool) {
	if key == "" {
		return entry{}, false
	}
	at := searchNames(key)
	if at == len(namesTable) {
		return entry{}, false
	}
	e, _ := entryAt(at)
	return e, e.key == key
}

// positionTyped is the position of a code in the way people type it.
func positionTyped(query string) (int, bool) {
	query = strings.TrimSpace(query)
	if len(query) != 3 {
		return 0, false
	}
	var code [3]byte
	for i := range code {
		code[i] = query[i] &^ 0x20 // upper case, if it is a letter; what is none is in no table
	}
	return position(string(code[:]))
}

// Get is the place of a city code, named as Find names a code. Codes of airports are not cities here.
func Get(city fare.City) (Place, bool) {
	at, ok := position(string(city))
	if !ok {
		return Place{}, false
	}
	c, _ := cityAt(at)
	if c.code != city {
		return Place{}, false
	}
	return c.place(c.name("it")), true
}

// CityOf is the city of an upper-case airport or city code: MIL of BGY, and MIL of MIL.
func CityOf(code string) (fare.City, bool) {
	at, ok := position(code)
	if !ok {
		return "", false
	}
	return fare.City(citiesTable[at : at+3]), true
}

// Name is what a city is called in "it", "en", "fr", "de", "es" or "pt". Where
// that is not known, or the language is another, it is the English name; for an
// unknown city it is empty.
func Name(city fare.City, lang string) string {
	at, ok := position(string(city))
	if !ok {
		return ""
	}
	c, _ := cityAt(at)
	if c.code != city {
		return ""
	}
	return c.name(lang)
}

// Cities yields every city, busiest first.
func Cities() iter.Seq[fare.City] {
	return func(yield func(fare.City) bool) {
		for i := 0; i < len(citiesTable); {
			c, next := cityAt(i)
			if !yield(c.code) {
				return
			}
			i = next
		}
	}
}
