// Package places maps the names of cities to the IATA codes under which their fares are sold, and
// back. Start at Find.
//
// It knows every city with scheduled flights. Names are in Italian, English, French, German,
// Spanish, Portuguese and the local languages. It also knows everyday names of destinations whose
// airport has another name (Bali, Creta, Saigon). The airports of a metropolitan area are one city:
// Milano is Malpensa, Linate and Orio al Serio. A name of several cities means the busiest.
//
// Every function is pure and safe for concurrent use and for any input. Nothing is loaded at start.
package places

import (
	"iter"
	"strings"

	"verdetto/shared/fare"
)

//go:generate go run ./generate

// Place is a city with the name that matched the query.
type Place struct {
	City     fare.City
	Name     string   // properly written: "Milano" for the query "milano"
	Country  string   // ISO 3166 alpha-2
	Airports []string // IATA codes, busiest first
}

// maxQuery is longer, in bytes, than any name in the tables. A longer query matches nothing.
const maxQuery = 256

// Find looks up a name in any language, ignoring case and accents, or an IATA code. In capitals,
// the code of a city or airport wins over a name: KRK is Cracow, and Krk an island. In other
// letters it is a code only if no city has that name. The Place of a code has the Italian name,
// else the English one.
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
			if e.kind == kindUnlisted {
				return c.place(c.name("it")), true
			}
			return c.place(e.written), true
		}
	}
	if at, ok := positionTyped(query); ok {
		c, _ := cityAt(at)
		return c.place(c.name("it")), true
	}
	return Place{}, false
}

// Within reports whether a query that Find understands means only a part of its city: one of
// several airports by its code (BGY), or a place near an airport (Bergamo). It returns the name of
// that part. The fares are those of the whole city.
func Within(query string) (name string, ok bool) {
	p, found := Find(query)
	if !found {
		return "", false
	}
	if e, named := lookup(Fold(query)); named && e.city == p.City {
		return e.written, e.kind == kindPlace || e.kind == kindUnlisted
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

// positionTyped returns the position of a code typed in any case, with or without spaces around.
func positionTyped(query string) (int, bool) {
	query = strings.TrimSpace(query)
	if len(query) != 3 {
		return 0, false
	}
	var code [3]byte
	for i := range code {
		code[i] = query[i] &^ 0x20 // upper case, if it is a letter; no table has anything else
	}
	return position(string(code[:]))
}

// Get returns the place of a city code, with the Italian name, else the English one. It does not
// accept the code of an airport.
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

// CityOf returns the city of an upper-case airport or city code: MIL for BGY and for MIL.
func CityOf(code string) (fare.City, bool) {
	at, ok := position(code)
	if !ok {
		return "", false
	}
	return fare.City(citiesTable[at : at+3]), true
}

// Name returns the name of a city in "it", "en", "fr", "de", "es" or "pt". It returns the English
// name if there is none in lang, and "" for an unknown city.
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
