package places

import (
	_ "embed"
	"sort"
	"strconv"
	"strings"

	"verdetto/shared/fare"
)

// Command generate writes the embedded tables, except words.tsv.
var (
	// The columns of names.tsv are: folded name; a letter for the kind, with the code of the city or
	// airport (nMIL); written name (empty if equal to the folded name); and languages of an everyday
	// name (none: any). If cities have the same name, Find prefers the first.
	//go:embed names.tsv
	namesTable string

	// The columns of cities.tsv are: city, country, airports, and the name in each of Langs (empty
	// if equal to the English one). The busiest city comes first.
	//go:embed cities.tsv
	citiesTable string

	// The columns of codes.tsv are: airport or city, city, offset of the city in cities.tsv,
	// latitude and longitude in hundredths of a degree, offset of the region in regions.tsv, and s
	// if the city has scheduled flights, or c if its name alone does not find it.
	//go:embed codes.tsv
	codesTable string

	// The columns of regions.tsv are: country, name of the region in English or a local language (empty
	// if unknown), and time zone.
	//go:embed regions.tsv
	regionsTable string

	// Each line of called.tsv has a city, one of its airports, and words from the airport's names. For
	// stations and districts, the code of the city stands in place of the airport.
	//go:embed called.tsv
	calledTable string

	// Each line of words.tsv has a role that words play beside a name, and the folded words of that
	// role in six languages.
	//go:embed words.tsv
	wordsTable string
)

func wordList(role string) []string {
	_, line, _ := strings.Cut("\n"+wordsTable, "\n"+role+"\t")
	line, _, _ = strings.Cut(line, "\n")
	return strings.Fields(line)
}

const regionColumn = len("BGY MIL 000000 +04567 +00970 ")

const codeLine = len("BGY MIL 000000 +04567 +00970 00000 s\n")

// Langs lists the languages in cities.tsv. English must come first, because every city has an
// English name.
var Langs = [...]string{"en", "it", "fr", "de", "es", "pt"}

const (
	KindName   = 'n'
	KindPlace  = 'p' // another place that the city's airports serve, or an everyday name of the city
	KindHidden = 'h' // a historic or rare name, which is found but not suggested

	// KindUnlisted is a place that only unlisted airports serve, such as Parma under Milan. The place
	// is found but not suggested.
	KindUnlisted = 'u'

	// KindAirport is the everyday name of one of several airports (Stansted), and KindFull another
	// name of such an airport (London Stansted).
	KindAirport = 'r'
	KindFull    = 's'

	// KindArea is the name of an area, which takes precedence over a city of the same name.
	KindArea = 'a'
)

type entry struct {
	key       string
	kind      byte
	city      fare.City
	airport   string
	written   string
	languages string // separated by spaces; empty means any language
}

func (e entry) isFull() bool { return e.kind == KindFull }

func (e entry) isShown() bool { return isSuggested(e.kind) && !e.isFull() }

func isSuggested(kind byte) bool {
	return kind != KindHidden && kind != KindUnlisted && kind != KindArea
}

func (e entry) isUsedIn(lang string) bool {
	return e.languages == "" || strings.Contains(e.languages, lang)
}

func entryAt(i int) (e entry, next int) {
	line := namesTable[i:]
	line = line[:strings.IndexByte(line, '\n')]
	next = i + len(line) + 1
	key, rest, _ := strings.Cut(line, "\t")
	e = entry{key: key, kind: rest[0], city: fare.City(rest[1:4])}
	if e.kind == KindAirport || e.kind == KindFull {
		e.airport = rest[1:4]
		e.city, _ = CityOf(e.airport)
	}
	e.written, e.languages, _ = strings.Cut(rest[5:], "\t")
	if e.written == "" {
		e.written = key
	}
	return e, next
}

// searchNames compares whole lines, because the tab after a key sorts before every character of a
// key.
func searchNames(key string) int {
	lo, hi := 0, len(namesTable)
	for lo < hi {
		mid := lo + (hi-lo)/2
		mid += strings.IndexByte(namesTable[mid:], '\n') + 1
		if mid >= hi {
			// No line starts in the upper half.
			mid = lo
		}
		if line := namesTable[mid:]; line < key {
			lo = mid + strings.IndexByte(line, '\n') + 1
		} else if mid > lo {
			hi = mid
		} else {
			break
		}
	}
	return lo
}

// position returns an offset in cities.tsv. Busier cities have lower offsets.
func position(code string) (int, bool) {
	line, ok := codeLineOf(code)
	if !ok {
		return 0, false
	}
	p, err := strconv.Atoi(line[8:14])
	return p, err == nil
}

func codeLineOf(code string) (string, bool) {
	if len(code) != 3 {
		return "", false
	}
	at := sort.Search(len(codesTable)/codeLine, func(i int) bool { return codesTable[i*codeLine:][:3] >= code })
	line := codesTable[at*codeLine:]
	if !strings.HasPrefix(line, code) {
		return "", false
	}
	return line[:codeLine], true
}

type city struct {
	code     fare.City
	country  string
	airports string
	names    string // in the order of Langs, separated by tabs
}

func cityAt(i int) (c city, next int) {
	line := citiesTable[i:]
	line = line[:strings.IndexByte(line, '\n')]
	c = city{code: fare.City(line[:3]), country: line[4:6]}
	c.airports, c.names, _ = strings.Cut(line[7:], "\t")
	return c, i + len(line) + 1
}

func (c city) name(lang string) string {
	english, rest, _ := strings.Cut(c.names, "\t")
	for _, l := range Langs[1:] {
		var name string
		name, rest, _ = strings.Cut(rest, "\t")
		if l == lang && name != "" {
			return name
		}
	}
	return english
}

func (c city) place(name string) Place {
	return Place{City: c.code, Name: name, Country: c.country, Airports: strings.Split(c.airports, " ")}
}
