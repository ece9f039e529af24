// Package airlines returns the names of common airlines by IATA code. The names in airlines.tsv
// were chosen by hand and compared with OpenTravelData's list
// (https://github.com/opentraveldata/opentraveldata, CC BY 4.0).
package airlines

import (
	_ "embed"
	"slices"
	"strings"

	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
)

// The columns of airlines.tsv are code, name, and other names with bars between them. Several
// airlines may have the same other name.
//
//go:embed airlines.tsv
var table string

// Name returns the code of an airline without a known name, and "" for the zero Airline.
func Name(a fare.Airline) string {
	code := a.String()
	if code == "" {
		return ""
	}
	if _, rest, ok := strings.Cut("\n"+table, "\n"+code+"\t"); ok {
		return rest[:strings.IndexAny(rest, "\t\n")]
	}
	return code
}

// If query is the name of an airline, Find also returns the airlines whose names begin with query,
// such as Wizz Air Malta for Wizz Air.
func Find(query string) (all []fare.Airline) {
	key := words(query)
	named := false
	for code, name := range rows {
		a, _ := fare.ParseAirline(code)
		if strings.EqualFold(code, strings.ReplaceAll(strings.TrimSpace(query), ".", "")) {
			return []fare.Airline{a}
		}
		if folded := words(name); strings.HasPrefix(folded, key) {
			all, named = append(all, a), named || folded == key
		}
	}
	if !named {
		return nil // no airline is called Air, although many names begin with this word
	}
	return all
}

func words(name string) (folded string) {
	for word := range strings.FieldsSeq(name) {
		folded += places.Fold(word) + " "
	}
	return folded
}

const maxTypos = 2

func Suggest(query string, n int) (names []string) {
	key := strings.TrimSuffix(words(query), " ")
	if len(key) < 3 {
		return nil
	}
	limit := maxTypos
	if len(key) < 5 {
		limit = 1
	}
	var similar [maxTypos + 2][]string
	for _, name := range rows {
		folded := words(name)
		typos := places.Distance(key, strings.TrimSuffix(folded, " "), limit)
		if typos > limit && !strings.Contains(" "+folded, " "+key) {
			continue
		}
		similar[typos] = append(similar[typos], name)
	}
	names = slices.Concat(similar[:]...)
	return names[:min(len(names), n)]
}

const minCorrected = 5

// Correct returns the name of the airline that a query means if Find does not know the query. If the
// query is another name of several airlines, Correct returns their names separated by commas.
func Correct(query string) (name string, ok bool) {
	typed := query
	query = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(strings.ToLower(query)), "www."), ".com")
	key := words(query)
	if len(key) < 4 || len(Find(typed)) > 0 {
		return "", false
	}
	var called, partly []string
	begun := ""
	for line := range strings.Lines(table) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) == 3 && slices.ContainsFunc(strings.Split(f[2], "|"), func(other string) bool { return words(other) == key }) {
			called = append(called, f[1])
		}
	}
	if len(called) > 0 {
		return strings.Join(called, ", "), true
	}
	for _, one := range rows {
		folded := words(one)
		if isWithin(key, folded) || len(key) > minCorrected-1 && strings.HasPrefix(folded, strings.TrimSuffix(key, " ")) {
			partly = append(partly, one)
		}
		if (strings.HasPrefix(key, folded) || strings.HasSuffix(key, " "+folded)) && len(folded) > len(words(begun)) {
			begun = one
		}
	}
	if len(partly) > 0 {
		name = slices.MinFunc(partly, func(a, b string) int { return len(a) - len(b) })
		if slices.ContainsFunc(partly, func(p string) bool { return !strings.HasPrefix(p, name) }) {
			return "", false
		}
		return name, true
	}
	if begun != "" && len(begun) <= len(query) && !isSeveral(query) {
		return begun, true
	}
	key = places.Fold(query)
	limit := min(maxTypos, len(key)/minCorrected)
	least, several := limit+1, false
	for _, one := range rows {
		folded := places.Fold(one)
		typos := places.Distance(key, folded, limit)
		if first, generic := cutGeneric(folded); generic {
			typos = min(typos, places.Distance(key, first, limit))
		}
		switch {
		case folded[0] != key[0] || typos >= least+1 || typos > limit:
		case typos < least:
			name, least, several = one, typos, false
		default:
			several = several || one != name
		}
	}
	if several {
		name = ""
	}
	return name, name != ""
}

func isSeveral(text string) bool {
	return slices.ContainsFunc(strings.Fields(text), func(w string) bool {
		return slices.Contains([]string{"and", "und", "et", "e", "y", "&", "+", "or", "oder", "ou", "o", "/"}, w)
	})
}

func cutGeneric(folded string) (string, bool) {
	for _, end := range []string{"airlines", "airways"} {
		if first, ok := strings.CutSuffix(folded, end); ok && len(first) >= minCorrected {
			return first, true
		}
	}
	return folded, false
}

func isWithin(key, name string) bool {
	for i, w := range strings.Fields(key) {
		at := strings.Index(" "+name, " "+w+" ")
		if at < 0 || i == 0 && at > 0 {
			return false
		}
		name = name[at+len(w):]
	}
	return true
}

func rows(yield func(code, name string) bool) {
	for line := range strings.Lines(table) {
		if f := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); !yield(f[0], f[1]) {
			return
		}
	}
}
