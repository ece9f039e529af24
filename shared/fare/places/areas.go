package places

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"verdetto/shared/fare"
)

var (
	// countriesTable has one line per country or continent: its code (ISO 3166 alpha-2 for a country,
	// UN M.49 for a continent), the continent of a country, and the name in each of langs. Continents
	// come last.
	//
	//go:embed countries.tsv
	countriesTable string

	// The columns of areas.tsv, which is written by hand, are: code (ISO 3166-2 if there is one), what
	// the area consists of, the name in each of langs (empty if equal to the English one), and other
	// names, separated by bars. A star after the code says that the name by itself means a city. An area consists of countries (IT/), regions of regions.tsv
	// (IT/Sicily) and cities, separated by bars. A line for a country only has other names.
	//
	//go:embed areas.tsv
	areasTable string
)

// Area is a country, a continent, or a region: a state, an island or several, a part of a
// continent.
type Area struct {
	Code      string
	continent string
	names     string
	others    []string
	members   map[string]bool // of a region: countries, cities, and offsets in regions.tsv
	single    bool            // a region of a country, not several
	folded    [len(langs)]string
}

type areaIndex struct {
	all    []Area // without the regions that only regions.tsv names
	byName map[string][]Area
}

var areas = sync.OnceValue(func() (x areaIndex) {
	rows := map[string][]string{} // the lines of regions.tsv by country and name
	for i := 0; i < len(regionsTable); {
		line, _, _ := strings.Cut(regionsTable[i:], "\n")
		key := Fold(line[:strings.LastIndexByte(line, '\t')])
		rows[key] = append(rows[key], fmt.Sprintf("%05d", i))
		i += len(line) + 1
	}
	at := map[string]int{}
	add := func(a Area) {
		for i, lang := range langs {
			a.folded[i] = Fold(a.NameIn(lang))
		}
		at[a.Code] = len(x.all)
		x.all = append(x.all, a)
	}
	for line := range strings.Lines(countriesTable) {
		code, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		continent, names, _ := strings.Cut(rest, "\t")
		add(Area{Code: code, continent: continent, names: names})
	}
	for line := range strings.Lines(areasTable) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		f = append(f, make([]string, 3+len(langs)-len(f))...)
		f[0] = strings.TrimSuffix(f[0], "*")
		others := strings.Split(f[2+len(langs)], "|")
		if i, ok := at[f[0]]; ok {
			x.all[i].others = others
			continue
		}
		a := Area{Code: f[0], names: strings.Join(f[2:2+len(langs)], "\t"), others: others, members: map[string]bool{},
			single: !strings.Contains(f[1], "|") && !strings.HasSuffix(f[1], "/")}
		for member := range strings.SplitSeq(f[1], "|") {
			if _, name, _ := strings.Cut(member, "/"); name == "" {
				a.members[member] = true
			}
			for _, row := range rows[Fold(member)] {
				a.members[row] = true
			}
		}
		add(a)
	}
	x.byName = map[string][]Area{}
	same := func(a Area) func(Area) bool { return func(b Area) bool { return a.Code == b.Code } }
	for _, a := range x.all {
		for _, key := range a.folded {
			if !slices.ContainsFunc(x.byName[key], same(a)) {
				x.byName[key] = append(x.byName[key], a)
			}
		}
		for _, name := range a.others {
			if key := Fold(name); key != "" && !slices.ContainsFunc(x.byName[key], same(a)) {
				x.byName[key] = append(x.byName[key], a)
			}
		}
	}
	for line := range strings.Lines(regionsTable) {
		country, rest, _ := strings.Cut(line, "\t")
		name, _, _ := strings.Cut(rest, "\t")
		key, in := Fold(name), rows[Fold(country+name)]
		holds := func(a Area) bool { return len(a.members) == len(in) && a.members[in[0]] }
		if utf8.RuneCountInString(key) >= minArea && !slices.ContainsFunc(x.byName[key], holds) {
			a := Area{Code: country + "/" + name, names: name, members: map[string]bool{}}
			for _, row := range in {
				a.members[row] = true
			}
			x.byName[key] = append(x.byName[key], a)
		}
	}
	return x
})

// abbreviations are the three capitals that mean a country, such as USA.
var abbreviations = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for line := range strings.Lines(areasTable) {
		if line[2] != '\t' { // a region
			continue
		}
		for name := range strings.SplitSeq(strings.TrimSpace(line[2:]), "|") {
			if len(name) == 3 && name == strings.ToUpper(name) {
				all[name] = true
			}
		}
	}
	return all
})

func isAbbreviation(code string) bool { return abbreviations()[code] }

func (a Area) NameIn(lang string) string { return city{names: a.names}.name(lang) }

// IsRegion reports whether a is neither a country nor a continent.
func (a Area) IsRegion() bool { return a.members != nil }

// Holds reports whether a country lies in a, or is a.
func (a Area) Holds(country string) bool {
	if a.continent != "" || a.IsRegion() {
		return a.Code == country
	}
	of, _ := AreaOf(country)
	return of.continent == a.Code || country == a.Code
}

func (a Area) HoldsCity(c fare.City) bool {
	line, ok := codeLineOf(string(c))
	if !ok {
		return false
	}
	at, _ := position(string(c))
	of, _ := cityAt(at)
	if !a.IsRegion() {
		return a.Holds(of.country)
	}
	return a.members[line[regionColumn:regionColumn+5]] || a.members[of.country+"/"] || a.members[string(c)]
}

// Region returns the name of the state, region or province of a city, in the language lang if we
// know it, or else in English. It returns "" if it is unknown.
func Region(c fare.City, lang string) string {
	line, ok := codeLineOf(string(c))
	if !ok {
		return ""
	}
	row := line[regionColumn : regionColumn+5]
	for _, a := range areas().all {
		if a.single && a.members[row] {
			return a.NameIn(lang)
		}
	}
	return regionOf(string(c)).name
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
	for _, a := range areas().all {
		if a.Code == code && code != "" {
			return a, true
		}
	}
	return Area{}, false
}

// FindArea looks up a country, a continent or a region by its name in any language, ignoring case
// and accents.
func FindArea(query string) (Area, bool) {
	if len(query) > maxQuery {
		return Area{}, false
	}
	all := areas().byName[Fold(query)]
	if len(all) == 0 {
		return Area{}, false
	}
	return all[0], true
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
	for _, a := range areas().all {
		for _, name := range a.folded {
			if Distance(key, name, 1) <= 1 {
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
	for _, a := range areas().all {
		if strings.HasPrefix(a.folded[max(slices.Index(langs[:], lang), 0)], key) {
			return a, true
		}
	}
	if utf8.RuneCountInString(key) < minForeignArea {
		return Area{}, false
	}
	for _, a := range areas().all {
		if slices.ContainsFunc(a.folded[:], func(name string) bool { return strings.HasPrefix(name, key) }) {
			return a, true
		}
	}
	return Area{}, false
}
