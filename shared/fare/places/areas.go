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
	// The columns of countries.tsv are: code (ISO 3166 alpha-2 for a country, UN M.49 for a
	// continent), the continent of a country, and the name in each of Langs. Continents come last.
	//go:embed countries.tsv
	countriesTable string

	// areas.tsv is written by hand. Its columns are: code, members, name in each of Langs (empty if
	// equal to the English one), and other names. Members of a region are countries (IT/), regions
	// (IT/Sicily) and cities; members of a country are its territories. A star after the code says
	// that the name by itself means a city.
	//go:embed areas.tsv
	areasTable string

	// divisions.tsv has the columns of areas.tsv. For a region in both tables, areas.tsv takes
	// precedence.
	//go:embed divisions.tsv
	divisionsTable string
)

type Area struct {
	Code      string
	continent string
	names     string
	others    []string
	members   map[string]bool // countries, cities and offsets in regions.tsv; nil unless the area is a region
	single    bool            // the area has one member, a region or a city

	territories []string // countries that people count as part of this area
	folded      [len(Langs)]string
}

type areaIndex struct {
	all    []Area
	byCode map[string]Area
	byRow  map[string]Area // by an offset in regions.tsv
	byName map[string][]Area
}

var areas = sync.OnceValue(func() (x areaIndex) {
	rows := map[string][]string{}
	for i := 0; i < len(regionsTable); {
		line, _, _ := strings.Cut(regionsTable[i:], "\n")
		key := Fold(line[:strings.LastIndexByte(line, '\t')])
		rows[key] = append(rows[key], fmt.Sprintf("%05d", i))
		i += len(line) + 1
	}
	for line := range strings.Lines(countriesTable) {
		code, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		continent, names, _ := strings.Cut(rest, "\t")
		x.all = append(x.all, Area{Code: code, continent: continent, names: names})
	}
	divisions := len(x.all) + strings.Count(areasTable, "\n")
	for line := range strings.Lines(areasTable + divisionsTable) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		f = append(f, make([]string, 3+len(Langs)-len(f))...)
		a := Area{Code: strings.TrimSuffix(f[0], "*"), names: strings.Join(f[2:2+len(Langs)], "\t"),
			others: strings.Split(f[2+len(Langs)], "|"), members: map[string]bool{},
			single: !strings.Contains(f[1], "|") && !strings.HasSuffix(f[1], "/")}
		if i := slices.IndexFunc(x.all, a.isSame); i >= 0 && len(a.Code) == 2 {
			x.all[i].others, x.all[i].territories = a.others, strings.Fields(f[1])
			divisions--
			continue
		}
		for member := range strings.SplitSeq(f[1], "|") {
			if _, name, _ := strings.Cut(member, "/"); name == "" {
				a.members[member] = true
			}
			for _, row := range rows[Fold(member)] {
				a.members[row] = true
			}
		}
		x.all = append(x.all, a)
	}
	x.byCode, x.byName = map[string]Area{}, map[string][]Area{}
	for i, a := range x.all {
		for j, lang := range Langs {
			a.folded[j] = Fold(a.NameIn(lang))
		}
		x.all[i] = a
		if _, ok := x.byCode[a.Code]; !ok {
			x.byCode[a.Code] = a
		}
		for _, key := range append(a.folded[:], append(a.others, strings.Replace(a.NameIn("en"), "&", "and", 1))...) {
			key = Fold(key)
			if slices.ContainsFunc(x.byName[key], a.isSame) {
				continue
			}
			if utf8.RuneCountInString(key) >= minArea || i < divisions && key != "" {
				x.byName[key] = append(x.byName[key], a)
			}
		}
	}
	x.all = x.all[:divisions]
	x.byRow = map[string]Area{}
	for _, a := range slices.Backward(x.all) { // if areas share a row, the first area takes precedence
		for row := range a.members {
			if a.single {
				x.byRow[row] = a
			}
		}
	}
	return x
})

func (a Area) isSame(b Area) bool { return a.Code == b.Code }

var abbreviations = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for line := range strings.Lines(areasTable) {
		if line[2] != '\t' { // only countries have codes of two letters
			continue
		}
		for name := range strings.SplitSeq(strings.TrimSpace(line[strings.LastIndexByte(line, '\t'):]), "|") {
			if len(name) == 3 && name == strings.ToUpper(name) {
				all[name] = true
			}
		}
	}
	return all
})

func isAbbreviation(code string) bool { return abbreviations()[code] }

func (a Area) NameIn(lang string) string { return city{names: a.names}.name(lang) }

func (a Area) IsRegion() bool { return a.members != nil }

func (a Area) Holds(country string) bool {
	if a.continent != "" || a.IsRegion() {
		return a.Code == country
	}
	holder, _ := AreaOf(country)
	return holder.continent == a.Code || country == a.Code
}

func (a Area) HoldsCity(c fare.City) bool {
	line, ok := codeLineOf(string(c))
	if !ok {
		return false
	}
	at, _ := position(string(c))
	held, _ := cityAt(at)
	if !a.IsRegion() {
		return a.Holds(held.country)
	}
	return a.members[line[regionColumn:regionColumn+5]] || a.members[held.country+"/"] || a.members[string(c)]
}

// Region returns the name of the region of c, in lang if that name is known. It returns "" if the
// region is unknown.
func Region(c fare.City, lang string) string {
	line, ok := codeLineOf(string(c))
	if !ok {
		return ""
	}
	if a, ok := areas().byRow[line[regionColumn:regionColumn+5]]; ok {
		return a.NameIn(lang)
	}
	return regionOf(string(c)).name
}

// Find finds each name that busiest returns.
func (a Area) busiest(n int) (names []string) {
	for c := range Cities() {
		if len(names) == n {
			break
		}
		if a.HoldsCity(c) {
			if name := Query(c, Name(c, "en")); name != string(c) {
				names = append(names, name)
			} else { // a name with a code, as in Portland (PWM)
				names = append(names, Name(c, "en")+" ("+name+")")
			}
		}
	}
	return names
}

func AreaOf(code string) (Area, bool) {
	a, ok := areas().byCode[code]
	return a, ok
}

// FindArea looks up an area by its name in any of Langs, ignoring case and accents.
func FindArea(query string) (Area, bool) {
	a, ok := findArea(query)
	if rest, cut := withoutPreposition(query); cut && !ok {
		return findArea(rest)
	}
	return a, ok
}

func findArea(query string) (Area, bool) {
	if len(query) > maxQuery {
		return Area{}, false
	}
	if all := areas().byName[Fold(query)]; len(all) > 0 {
		return all[0], true
	}
	parts := slices.DeleteFunc(separated(query), func(part string) bool { return qualifierOf(part).neutral })
	if len(parts) != 1 {
		return areaIn(parts)
	}
	if a, ok := areaIn(parts); ok {
		return a, true
	}
	words := strings.Fields(parts[0])
	for i := len(words) - 1; i > 0; i-- {
		if behind := strings.Join(words[i:], " "); isClear(behind) {
			if a, ok := areaIn([]string{strings.Join(words[:i], " "), behind}); ok {
				return a, true
			}
		}
	}
	return Area{}, false
}

func areaIn(parts []string) (Area, bool) {
	if len(parts) == 0 {
		return Area{}, false
	}
	words := strings.Fields(parts[0])
	for n := 0; len(words) > 1 && (slices.Contains(areaWords, Fold(words[0])) || n > 0 && slices.Contains(airportPrepositions, Fold(words[0]))); n++ {
		words = words[1:]
	}
	if elided, ok := cutElision(words[0]); ok && len(words) == 1 {
		words[0] = elided
	}
	named := areas().byName[Fold(strings.Join(words, " "))]
	if len(named) == 0 { // as in airports in Sicily
		named = areas().byName[Fold(strings.Join(withoutAirport(words), " "))]
	}
	for _, a := range named {
		if !slices.ContainsFunc(parts[1:], func(in string) bool { return !slices.ContainsFunc(areasCalled(in), a.meets) }) {
			return a, true
		}
	}
	return Area{}, false
}

var areaWords = wordList("area")

func (a Area) meets(b Area) bool {
	for c := range Cities() {
		if a.HoldsCity(c) && b.HoldsCity(c) {
			return true
		}
	}
	return false
}

const (
	minArea        = 3
	minForeignArea = 5
)

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

func CompleteArea(prefix, lang string) (Area, bool) {
	key := Fold(prefix)
	if len(prefix) > maxQuery || utf8.RuneCountInString(key) < minArea {
		return Area{}, false
	}
	var foreign []Area
	for _, a := range areas().all {
		if strings.HasPrefix(a.folded[max(slices.Index(Langs[:], lang), 0)], key) {
			return a, true
		}
		if slices.ContainsFunc(a.folded[:], func(name string) bool { return strings.HasPrefix(name, key) }) {
			foreign = append(foreign, a)
		}
	}
	if utf8.RuneCountInString(key) < minForeignArea || foreign == nil {
		return Area{}, false
	}
	return foreign[0], true
}
