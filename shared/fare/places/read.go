package places

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/language"

	"verdetto/shared/fare"
)

// A query that means no known city has a Match without City.
type Match struct {
	Place
	Query string
	Part  string // airport or place that Query means, if not the whole city
	// Of is the airport that Query means, or zero if Query stands for all airports of the city.
	Of       fare.Airport
	Unlisted bool
	Reading  Reading
	shared   string // the folded name, if several cities have this name

	// Elsewhere is a name that no city has in the area that Query names, as in "Lisbon, Spain".
	Elsewhere string
	in        []Area
}

type Reading int

const (
	AsTyped   Reading = iota
	AsOther           // historic or rare name, such as Constantinople
	Qualified         // other words select the city, as in "Lisbon, Portugal"
	AsCode            // a code with small letters, such as mxp, that is no name
	AsName            // three letters that are a name, and in capitals the code of another city
	Renamed           // second or former code of an airport
	AsCountry         // abbreviation of a country that is also the code of an airport, such as USA
)

// Read looks up a city by name, ignoring case and accents, or by IATA code. For a code, the Place
// has the Italian name of the city, or else the English one.
//
// Capitals are first read as a code, unless they are the abbreviation of a country: KRK is Cracow,
// while Krk is an island.
func Read(query string) Match {
	m := readName(query)
	if rest, cut := withoutPreposition(query); cut && m.City == "" {
		if end := readName(rest); end.City != "" {
			m = end
			m.Reading = Qualified
		}
	}
	m.Query = query
	return m
}

func readName(query string) (m Match) {
	isArea := func() bool { return m.Reading == AsCountry || len(areas().byName[Fold(query)]) > 0 }
	if len(query) <= maxQuery && !m.exact(query) && strings.ContainsAny(query, " ,/(-–[;|") && !isArea() {
		if m = qualified(query); m.City == "" && m.Elsewhere == "" {
			m = qualified(strings.NewReplacer("-", " ", "–", " ").Replace(query)) // as in Köln-Bonn
		}
		if _, area := FindArea(query); m.Elsewhere != "" && area { // as in Sicily, Italy
			m = Match{}
		} else if there := m.unserved(); there.City != "" {
			m = there
		}
	}
	return m
}

// withoutPreposition cuts off the preposition, as in "to Lisbon", "da Roma" or "nach Wien".
func withoutPreposition(query string) (string, bool) {
	first, rest, ok := strings.Cut(query, " ")
	return rest, ok && len(query) <= maxQuery && slices.Contains(endWords, Fold(first))
}

var endWords = wordList("end")

// There names the area that has no city called Elsewhere. It panics if Elsewhere is empty.
func (m Match) There(lang string) string { return m.in[0].NameIn(lang) }

// ReadCode reads an upper-case code, even one that is also the abbreviation of a country.
func ReadCode(code string) (m Match) {
	if at, ok := position(code); ok {
		m.setCode(code, at)
	}
	m.Query = code
	return m
}

func besidesName(r rune) bool {
	if r <= unicode.MaxASCII {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9')
	}
	return unicode.In(r, unicode.Pi, unicode.Pf, unicode.Zs)
}

func (m *Match) exact(query string) bool {
	typed := strings.TrimFunc(query, besidesName)
	letters := typed
	if len("USA") < len(typed) && len(typed) <= len("(U.S.A.)") {
		letters = strings.ReplaceAll(typed, ".", "")
	}
	code, at, isCode := "", 0, false
	if len(letters) == len(fare.Airport{}) {
		code = strings.ToUpper(letters)
		at, isCode = position(code)
		if isCode && isUnserved(code) { // "odb" may be a word, and "RDC" a country
			isCode = letters == code && !isAbbreviation(code)
		}
	}
	switch {
	case isCode && isAbbreviation(code):
		if letters == typed {
			m.Reading = AsCountry
		}
		return false
	case isCode && letters == code:
		m.setCode(code, at)
		return true
	}
	named := sameKey(Fold(query))
	switch {
	case len(named) > 0:
	case isCode:
		m.setCode(code, at)
		m.Reading = max(m.Reading, AsCode)
		return true
	default:
		return false
	}
	e := named[0]
	for _, same := range named {
		if !isASCII(typed) && strings.EqualFold(same.written, typed) {
			e = same
			break
		}
	}
	at, ok := position(string(e.city))
	if ok { // the name of an area has no city
		m.setName(e, at, typed)
	}
	if ok && len(named) > 1 {
		m.shared = e.key
	}
	return ok
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r > unicode.MaxASCII }) < 0
}

func sameKey(key string) (all []entry) {
	for i := searchNames(key); i < len(namesTable); {
		e, next := entryAt(i)
		if e.key != key {
			break
		}
		all = append(all, e)
		i = next
	}
	return all
}

func (m *Match) setName(e entry, position int, typed string) {
	c, _ := cityAt(position)
	m.Place = c.place(e.written)
	switch e.kind {
	case KindHidden:
		m.Reading = AsOther
	case KindUnlisted:
		m.Name = c.name("it")
	}
	if e.kind == KindPlace || e.kind == KindUnlisted || e.airport != "" {
		m.Part = e.written
	}
	if e.airport != "" && e.airport != string(c.code) && len(m.Airports) > 1 && slices.Contains(m.Airports, e.airport) {
		copy(m.Of[:], e.airport)
	}
	if len(typed) == 3 {
		if city, ok := CityOf(strings.ToUpper(typed)); ok && city != e.city && !isUnserved(string(city)) {
			m.Reading = AsName
		}
	}
}

// Namesakes returns other cities of the same name that have scheduled flights.
func (m Match) Namesakes() (others []fare.City) {
	for _, same := range sameKey(m.shared) {
		if same.city != m.City && hasFlights(same.city) {
			others = append(others, same.city)
		}
	}
	return others
}

const sameAirportKm = 5

// at is the offset of the city in cities.tsv.
func (m *Match) setCode(code string, at int) {
	c, _ := cityAt(at)
	m.Place = c.place(c.name("it"))
	if code == string(c.code) {
		return
	}
	m.Part = code
	if slices.Contains(m.Airports, code) {
		if len(m.Airports) > 1 {
			copy(m.Of[:], code)
		}
		return
	}
	if km, _ := Km(code, m.Airports[0]); km < sameAirportKm {
		m.Reading = Renamed
		return
	}
	copy(m.Of[:], code)
	m.Unlisted = true
}

func separated(query string) (parts []string) {
	query = strings.NewReplacer(" - ", ",", " – ", ",", " — ", ",", "/", ",", "(", ",", ")", ",", "[", ",", "]", ",",
		";", ",", "|", ",", "·", ",").Replace(query)
	for part := range strings.SplitSeq(query, ",") {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

const maxQualified = 8

func qualified(query string) (m Match) {
	parts := separated(query)
	elsewhere := Match{}
	try := func(name string, qualifiers ...string) bool {
		found, ok := qualify(name, qualifiers, len(parts) > 1)
		switch {
		case ok:
			m = found
		case isName(found.Elsewhere) && !isName(elsewhere.Elsewhere), elsewhere.Elsewhere == "" && len(parts) > 1:
			elsewhere = found
		}
		return ok
	}
	if len(parts) > 1 {
		if try(parts[0], parts[1:]...) || try(parts[len(parts)-1], parts[:len(parts)-1]...) {
			return m
		}
	}
	words := strings.Fields(strings.Join(parts, " "))
	if name := withoutAirport(words); len(parts) == 1 && len(name) < len(words) && try(strings.Join(name, " ")) {
		return m
	}
	for i := len(words) - 1; len(parts) == 1 && i > 0; i-- {
		name, behind := strings.Join(words[:i], " "), strings.Join(words[i:], " ")
		if isClear(behind) && try(name, behind) || isClear(name) && try(behind, name) {
			return m
		}
		if found, ok := qualify(name, []string{behind}, false); ok && !isClear(behind) && len(areasCalled(behind)) > 0 { // as in lisbon pt
			return found
		}
		if in := areasCalled(behind); len(in) > 0 && isClear(behind) && len(words) <= maxQualified { // as in Portland Maine USA
			if inner := qualified(name); inner.City != "" && (qualifier{areas: in}).holds(inner) {
				return inner
			}
		}
	}
	if len(parts) > 1 && strings.ContainsAny(query, ",([") {
		if near, ok := nearby(parts[0], strings.Join(parts[1:], " ")); ok {
			return near
		}
	}
	return elsewhere
}

const nearKm = 130

// nearby reads two names such as Barcelona (Girona) and returns the less busy city.
func nearby(left, right string) (less Match, ok bool) {
	var a, b Match
	if !a.exact(left) || !b.exact(right) || a.City == b.City {
		return a, false
	}
	km, _ := Km(string(a.City), string(b.City))
	at, _ := position(string(a.City))
	if other, _ := position(string(b.City)); other > at {
		a = b
	}
	a.Reading, a.shared = Qualified, ""
	return a, km <= nearKm
}

// unservedCities maps folded names to cities without known flights, which a name alone does not
// find.
var unservedCities = sync.OnceValue(func() map[string][]city {
	all := map[string][]city{}
	for i := 0; i < len(citiesTable); {
		c, next := cityAt(i)
		for name := range strings.SplitSeq(c.names, "\t") {
			if isUnserved(string(c.code)) && name != "" {
				all[Fold(name)] = append(all[Fold(name)], c)
			}
		}
		i = next
	}
	return all
})

// unserved returns the city or airport that m.Elsewhere means in one of the areas m.in, as in
// "Cordoba, Spain".
func (m Match) unserved() (found Match) {
	words := wordsOf(m.Elsewhere)
	for _, a := range m.in {
		if name := a.NameIn("en"); name != "" {
			found.exact(m.Elsewhere + " " + name)
		}
		for _, c := range unservedCities()[Fold(m.Elsewhere)] {
			if found.City == "" && a.HoldsCity(c.code) {
				found.Place = c.place(m.Elsewhere)
			}
		}
		for line := range strings.Lines(calledTable) {
			if found.City != "" || len(words) == 0 {
				break
			}
			city, airport := fare.City(line[:3]), line[4:7]
			if strings.Contains(line, " "+words[0]) && a.HoldsCity(fare.City(airport)) && (qualifier{words: words}).calls(city) == airport {
				at, _ := position(airport)
				found.setCode(airport, at)
			}
		}
		if found.City != "" {
			found.Reading = Qualified
			break
		}
	}
	return found
}

func isName(text string) bool {
	_, known := lookup(Fold(text))
	at := strings.LastIndexByte(text, ' ')
	return known || at > 0 && len(areasCalled(text[at+1:])) > 0 && isName(text[:at])
}

// isClear rejects lower-case words such as "or", which mean an area (OR, Oregon) only in capitals or
// after a comma.
func isClear(qualifier string) bool {
	letters := strings.ReplaceAll(qualifier, ".", "")
	upper := strings.ToUpper(letters)
	return len(letters) > 3 || letters == upper || upper == "UK" || isAbbreviation(upper) || isTerminal(upper)
}

// In qualify, apart is true if a comma or another sign separates the qualifiers.
func qualify(name string, qualifiers []string, apart bool) (m Match, ok bool) {
	var first Match
	var candidates []Match
	typed, known := name, first.exact(name)
	if !known {
		name = strings.Join(withoutAirport(strings.Fields(name)), " ")
		known = first.exact(name)
	}
	if known {
		candidates = append(candidates, first)
	}
	for _, e := range sameKey(Fold(name)) {
		if at, ok := position(string(e.city)); ok && e.city != first.City {
			var other Match
			other.setName(e, at, name)
			candidates = append(candidates, other)
		}
	}
	var meant []qualifier
	for _, q := range qualifiers {
		one := qualifierOf(q)
		if one.isEmpty() {
			return m, false
		}
		meant = append(meant, one)
	}
	if apart {
		candidates = append(candidates, longer(name, meant)...)
	}
	for _, q := range meant { // CA is California beside Los Angeles, and Canada beside Toronto
		all := candidates
		for _, one := range []qualifier{{airport: q.airport}, q.states(), q} {
			candidates = slices.DeleteFunc(slices.Clone(all), func(c Match) bool { return !one.holds(c) })
			if len(candidates) > 0 {
				break
			}
		}
	}
	if len(candidates) > 0 {
		m = candidates[0]
		for _, q := range meant {
			if q.airport.Of != (fare.Airport{}) {
				m.Part, m.Of, m.Unlisted = q.airport.Part, q.airport.Of, q.airport.Unlisted
			} else if code := q.calls(m.City); code != "" && m.Of == (fare.Airport{}) && !q.lies(m) && q.airport.City != m.City {
				at, _ := position(string(m.City))
				name := m.Name
				m.setCode(code, at)
				m.Name = name
			}
		}
		if m.Reading = Qualified; len(meant) > 0 {
			m.shared = ""
		}
		return m, true
	}
	for _, q := range meant {
		if len(q.areas) > 0 && Fold(name) != "" {
			m.Elsewhere, m.in = typed, q.areas
		}
	}
	return m, false
}

// longer completes a name, as in "Santiago, Spain" for Santiago de Compostela. If several cities that
// agree with the qualifiers fit, longer returns nil.
func longer(name string, in []qualifier) (found []Match) {
	key := Fold(name)
	if len(key) < minTypo || !slices.ContainsFunc(in, func(q qualifier) bool { return len(q.areas) > 0 }) {
		return nil
	}
	seen := fare.City("")
	for _, c := range withPrefix(key, func(e entry) bool { return e.kind == KindName }) {
		rest, cut := strings.CutPrefix(strings.ToLower(c.written), strings.ToLower(name))
		if !cut || rest == "" || unicode.IsLetter([]rune(rest)[0]) ||
			slices.ContainsFunc(in, func(q qualifier) bool { return !q.holds(Match{Place: Place{City: c.city}}) }) || c.city == seen {
			continue
		}
		if seen != "" {
			return nil
		}
		full, _ := cityAt(c.position)
		seen, found = c.city, []Match{{Place: full.place(c.written)}}
	}
	return found
}

type qualifier struct {
	areas   []Area
	airport Match
	words   []string // folded, perhaps part of an airport's name
	neutral bool     // true if there are only words such as "airport" or "all airports"
}

func (q qualifier) isEmpty() bool {
	return len(q.areas) == 0 && q.airport.City == "" && !q.neutral && len(q.words) == 0
}

// calls returns the code in called.tsv whose words include all words of q, as in Napoli
// Capodichino.
func (q qualifier) calls(c fare.City) string {
	_, lines, ok := strings.Cut("\n"+calledTable, "\n"+string(c)+" ")
	for ok && len(q.words) > 0 {
		var line string
		line, lines, _ = strings.Cut(lines, "\n")
		called := strings.Fields(line)
		if !slices.ContainsFunc(q.words, func(w string) bool { return !slices.Contains(called[1:], w) }) {
			return called[0]
		}
		lines, ok = strings.CutPrefix(lines, string(c)+" ")
	}
	return ""
}

func (q qualifier) states() qualifier {
	return qualifier{areas: slices.DeleteFunc(slices.Clone(q.areas), func(a Area) bool { return !a.IsRegion() })}
}

func (q qualifier) holds(m Match) bool {
	none := fare.Airport{}
	if q.airport.City == m.City && (q.airport.Of == none || m.Of == none || q.airport.Of == m.Of) {
		return true
	}
	return q.neutral || q.lies(m) || q.calls(m.City) != ""
}

func (q qualifier) lies(m Match) bool {
	return slices.ContainsFunc(q.areas, func(a Area) bool {
		beside := func(airport string) bool { // the airport EWR is in New Jersey, but its city is New York
			return (m.Of == (fare.Airport{}) || m.Of.String() == airport) && a.HoldsCity(fare.City(airport))
		}
		return a.HoldsCity(m.City) || slices.Contains(a.territories, m.Country) || m.Part != "" && slices.ContainsFunc(m.Airports, beside)
	})
}

func qualifierOf(whole string) (q qualifier) {
	words := withoutAirport(strings.Fields(whole))
	if !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(neutralWords, Fold(w)) }) {
		return qualifier{neutral: true}
	}
	text := strings.Join(words, " ")
	q.words, q.areas = wordsOf(text), areasCalled(whole)
	if len(q.areas) == 0 {
		q.areas = areasCalled(text)
	}
	if !q.airport.exact(text) && q.airport.Reading == AsCountry {
		q.airport = ReadCode(strings.ToUpper(text))
	}
	return q
}

// wordsOf drops short words, such as the article of El Prat, because called.tsv has none.
func wordsOf(text string) (words []string) {
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if w = Fold(w); len(w) > 2 {
			words = append(words, w)
		}
	}
	return words
}

func withoutAirport(words []string) []string {
	var kept []string
	after := false
	for i, w := range words {
		key := Fold(w)
		switch {
		case slices.Contains(airportWords, key), isTerminal(strings.ToUpper(key)), len(key) < 3 && i > 0 && Fold(words[i-1]) == "terminal",
			i == 0 && slices.Contains(islandWords, key), i > 0 && key == "islands":
			after = true
			continue
		case after && slices.Contains(airportPrepositions, key):
			continue
		}
		if elided, ok := cutElision(w); ok && after {
			w = elided
		}
		kept, after = append(kept, w), false
	}
	return kept
}

func isTerminal(upper string) bool {
	return len(upper) > 1 && len(upper) < 4 && upper[0] == 'T' && upper[1] >= '0' && upper[1] <= '9'
}

// cutElision drops the d' of French and the dell' of Italian.
func cutElision(word string) (string, bool) {
	for _, mark := range []string{"'", "’"} {
		if before, rest, ok := strings.Cut(word, mark); ok && slices.Contains(airportPrepositions, Fold(before)) {
			return rest, true
		}
	}
	return word, false
}

var (
	airportWords        = wordList("airport")
	airportPrepositions = wordList("of")
	islandWords         = wordList("island")
	neutralWords        = wordList("any")
)

func areasCalled(text string) []Area {
	all := slices.Clone(areas().byName[Fold(text)])
	letters := strings.ToUpper(strings.ReplaceAll(text, ".", ""))
	if len(letters) != 2 && len(letters) != 3 {
		return all
	}
	coded := func(countries ...string) {
		for _, country := range countries {
			if a, ok := AreaOf(country + "-" + letters); ok {
				all = append(all, a)
			}
		}
	}
	coded("US", "CA", "AU")
	if r, err := language.ParseRegion(letters); err == nil {
		if a, ok := AreaOf(r.Canonicalize().String()); ok && len(a.Code) == 2 {
			all = append(all, a)
		}
	}
	coded("BR", "IT", "MX", "ES", "CH")
	return all
}
