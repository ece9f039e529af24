package places

import (
	_ "embed"
	"iter"
	"strings"
	"unicode/utf8"

	"verdetto/shared/fare"
)

// countriesTable has one line per country or continent: its code (ISO 3166 alpha-2 for a country,
// UN M.49 for a continent), the continent of a country, and the name in each of langs. Continents
// come last.
//
//go:embed countries.tsv
var countriesTable string

type Area struct {
	Code      string
	continent string
	names     string
}

func areas() iter.Seq[Area] {
	return func(yield func(Area) bool) {
		for line := range strings.Lines(countriesTable) {
			code, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			continent, names, _ := strings.Cut(rest, "\t")
			if !yield(Area{code, continent, names}) {
				return
			}
		}
	}
}

func (a Area) NameIn(lang string) string { return city{names: a.names}.name(lang) }

// Holds reports whether a country lies in a, or is a.
func (a Area) Holds(country string) bool {
	if a.continent != "" { // a is a country
		return a.Code == country
	}
	of, _ := AreaOf(country)
	return of.continent == a.Code || country == a.Code
}

func (a Area) HoldsCity(c fare.City) bool {
	p, ok := Get(c)
	return ok && a.Holds(p.Country)
}

// busiest returns names that Find finds, of at most n cities.
func (a Area) busiest(n int) (names []string) {
	for c := range Cities() {
		if len(names) == n {
			break
		}
		if a.HoldsCity(c) {
			names = append(names, Query(c, Name(c, "en")))
		}
	}
	return names
}

func AreaOf(code string) (Area, bool) {
	for a := range areas() {
		if a.Code == code && code != "" {
			return a, true
		}
	}
	return Area{}, false
}

// FindArea looks up a country or continent by its name in any language, ignoring case and accents.
func FindArea(query string) (Area, bool) {
	key := Fold(query)
	if len(query) > maxQuery || key == "" {
		return Area{}, false
	}
	for a := range areas() {
		for name := range strings.SplitSeq(a.names, "\t") {
			if Fold(name) == key {
				return a, true
			}
		}
	}
	return Area{}, false
}

// The minimum length, in runes, of a prefix that CompleteArea completes, and of one with a typing
// error or in another language.
const (
	minArea        = 3
	minForeignArea = 5
)

// SuggestArea returns the area whose name, in any language, is one typing error away from query.
func SuggestArea(query string) (Area, bool) {
	key := Fold(query)
	if n := utf8.RuneCountInString(key); n < minForeignArea || n > maxSuggest {
		return Area{}, false
	}
	for a := range areas() {
		for name := range strings.SplitSeq(a.names, "\t") {
			if Distance(key, Fold(name), 1) <= 1 {
				return a, true
			}
		}
	}
	return Area{}, false
}

// CompleteArea returns the first area whose name in lang begins with prefix. If there is none, a
// longer prefix also completes a name in another language.
func CompleteArea(prefix, lang string) (Area, bool) {
	key := Fold(prefix)
	if len(prefix) > maxQuery || utf8.RuneCountInString(key) < minArea {
		return Area{}, false
	}
	for a := range areas() {
		if strings.HasPrefix(Fold(a.NameIn(lang)), key) {
			return a, true
		}
	}
	if utf8.RuneCountInString(key) < minForeignArea {
		return Area{}, false
	}
	for a := range areas() {
		for name := range strings.SplitSeq(a.names, "\t") {
			if strings.HasPrefix(Fold(name), key) {
				return a, true
			}
		}
	}
	return Area{}, false
}
