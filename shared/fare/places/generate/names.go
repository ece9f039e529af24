package main

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"golang.org/x/text/language"

	"verdetto/shared/fare/places"
)

var langs = places.Langs[:]

// alsoSpoken lists the languages of a country besides the main language, which CLDR supplies.
var alsoSpoken = map[string]string{
	"AF": "ps", "BA": "hr sr", "BE": "fr de", "BY": "ru", "CA": "fr", "CH": "fr it rm", "CN": "zh-CN ug bo",
	"CY": "tr", "DZ": "fr", "ES": "ca eu gl ast", "FI": "sv se", "GB": "cy gd", "HK": "yue", "IE": "ga", "IL": "ar",
	"IN": "bn ta te mr gu kn ml pa", "IQ": "ckb ku", "IT": "lld fur sc", "KG": "ru", "KZ": "ru", "LK": "ta",
	"MA": "fr", "MD": "ru", "ME": "cnr", "MK": "sq", "MO": "pt", "NO": "no nn se", "NZ": "mi", "PK": "en",
	"RS": "hu", "TW": "zh-TW", "UA": "ru", "US": "haw", "XK": "sr", "ZA": "af zu",
}

func local(country string) []string {
	base, _ := language.Make("und-" + country).Base()
	return append([]string{base.String()}, strings.Fields(alsoSpoken[country])...)
}

// If several cities have the same name, the heaviest wins. byHand is a weight;
// the other constants are multiplied by the busyness of the city or town.
const (
	byHand  = 1e6
	primary = 1.0
	byName  = 0.1
	stray   = 0.001
)

type name struct {
	key, written string
	kind         byte
	city         string
	airport      string
	weight       float64
	languages    []string
	also         bool // another city of this name comes first
}

const noCity = "---"

// longest is in bytes. Longer folded names are left out.
const longest = 128

func (c *city) written(usual everyday) []string {
	out := make([]string, len(langs))
	for i, lang := range langs {
		out[i] = best(c.points[0], lang)
		for _, n := range usual.names {
			if n.city == c.code && slices.Contains(n.written, lang) {
				out[i] = n.name
			}
		}
		if out[i] == "" && slices.Contains(local(c.country), lang) {
			out[i] = c.points[0].name
		}
	}
	out[0] = cmp.Or(out[0], c.points[0].name)
	return out
}

func best(p point, lang string) string {
	found, score := "", -1
	for _, n := range p.names {
		if n.lang != lang || n.name == "" || dated(n) {
			continue
		}
		s := 0
		if strings.Contains(n.flags, "p") {
			s += 2
		}
		if !strings.Contains(n.flags, "s") {
			s++
		}
		if s > score {
			found, score = n.name, s
		}
	}
	return found
}

func dated(n altName) bool { return strings.ContainsAny(n.flags, "hc") }

func buildNames(cities []*city, codes map[string]string, usual everyday) []name {
	byKey, unserved := map[string][]name{}, map[string]bool{}
	for _, c := range cities {
		unserved[c.code] = c.unserved
	}
	add := func(n name) {
		n.key = places.Fold(n.written)
		if n.key == "" || len(n.key) > longest {
			return
		}
		if city, ok := codes[strings.ToUpper(n.key)]; ok && !unserved[city] && n.kind == places.KindHidden && n.weight < byHand && city != n.city {
			return // a rare spelling must not hide a code
		}
		same := byKey[n.key]
		for i := range same {
			if same[i].city == n.city {
				switch {
				case n.weight > same[i].weight:
					same[i] = n
				case n.weight == same[i].weight && same[i].languages != nil: // the same name in another spelling
					same[i].languages = append(same[i].languages, n.languages...)
				}
				return
			}
		}
		byKey[n.key] = append(same, n)
	}
	for _, c := range cities {
		if c.unserved {
			continue
		}
		for _, n := range c.names(usual) {
			add(n)
			if n.kind != places.KindHidden {
				for _, v := range variants(n.written) {
					add(name{written: v, kind: places.KindHidden, city: c.code, weight: n.weight * 0.9})
				}
			}
		}
	}
	area := map[string]bool{}
	for _, written := range usual.areas {
		if key := places.Fold(written); key != "" && !area[key] {
			area[key] = true
			byKey[key] = append(byKey[key], name{written: written, kind: places.KindArea, key: key, city: noCity, weight: 2 * byHand})
		}
	}
	byKey = withCountries(byKey, cities)
	var all []name
	for _, key := range slices.Sorted(maps.Keys(byKey)) {
		same := byKey[key]
		slices.SortFunc(same, func(a, b name) int {
			return heavier(b, a)
		})
		all = append(all, same[0])
		for _, n := range same[1:] {
			if n.kind == places.KindName || n.also {
				all = append(all, n)
			}
		}
	}
	return all
}

// withCountries makes the name of a country, such as Egypt, mean the country and not a city
// elsewhere. But Granada, the Spanish name of Grenada, is the city.
func withCountries(byKey map[string][]name, cities []*city) map[string][]name {
	byCode, countries := map[string]*city{}, map[string]bool{}
	for _, c := range cities {
		byCode[c.code], countries[c.country] = c, true
	}
	for country := range countries {
		english := places.Fold(nameOf(country, "en"))
		for _, lang := range langs {
			written := nameOf(country, lang)
			key := places.Fold(written)
			first := slices.MaxFunc(append(slices.Clone(byKey[key]), name{}), heavier)
			leader := byCode[first.city]
			if leader != nil && (first.kind == places.KindName || first.weight < byHand/2) && leader.country != country && (key == english || places.Fold(leader.written(everyday{})[0]) != key) {
				byKey[key] = append(byKey[key], name{written: written, kind: places.KindArea, key: key, city: noCity, weight: 2 * byHand})
			}
		}
	}
	return byKey
}

func heavier(a, b name) int {
	return cmp.Or(cmp.Compare(a.weight, b.weight), cmp.Compare(b.city, a.city))
}

// If two spellings have equal keys and weights, buildNames keeps the first, so the local spelling
// precedes the translations.
func (c *city) names(usual everyday) []name {
	var out []name
	add := func(written string, kind byte, weight float64) {
		if written != "" {
			out = append(out, name{written: written, kind: kind, city: c.code, weight: weight})
		}
	}
	for _, n := range usual.names {
		if n.city == c.code {
			kind := byte(places.KindHidden)
			if n.written != nil {
				kind = places.KindName
			} else if n.languages != nil {
				kind = places.KindPlace
			}
			if n.also {
				out = append(out, name{written: n.name, kind: places.KindPlace, city: c.code, also: true})
				continue
			}
			add(n.name, kind, byHand)
			if kind == places.KindPlace && !slices.Contains(n.languages, "*") {
				out[len(out)-1].languages = n.languages
			}
		}
	}
	spoken := local(c.country)
	add(c.points[0].name, places.KindName, primary*c.busy)
	written := c.written(usual)
	for _, i := range []int{1, 0, 2, 3, 4, 5} {
		add(written[i], places.KindName, primary*c.busy)
	}
	for _, lang := range spoken {
		add(best(c.points[0], lang), places.KindName, primary*c.busy)
	}
	out = append(out, c.airportNames(usual)...)
	for i, p := range c.points {
		kind := byte(places.KindName)
		if i > 0 {
			kind = places.KindPlace
			add(p.name, kind, primary*c.busy)
		}
		for _, n := range p.names {
			known := slices.Contains(langs, n.lang) || slices.Contains(spoken, n.lang)
			switch {
			case known && !dated(n):
				add(n.name, kind, byName*c.busy)
			case known || n.lang == "":
				add(n.name, places.KindHidden, stray*c.busy)
			}
		}
	}
	for _, t := range c.towns {
		kind := byte(places.KindPlace)
		if !slices.Contains(c.airports, t.airport) {
			kind = places.KindUnlisted
		}
		add(t.name, kind, primary*t.busy)
		for _, n := range t.names {
			if slices.Contains(langs, n.lang) && !dated(n) {
				add(n.name, kind, byName*t.busy)
			}
		}
	}
	return out
}

func variants(written string) []string {
	var out []string
	words := strings.FieldsFunc(written, func(r rune) bool { return r == ' ' || r == '-' || r == '.' })
	for i, w := range words {
		for _, other := range abbreviations[strings.ToLower(w)] {
			changed := slices.Clone(words)
			changed[i] = other
			out = append(out, strings.Join(changed, " "))
		}
	}
	if spelled := umlauts.Replace(written); spelled != written {
		out = append(out, spelled)
	}
	return out
}

var abbreviations = map[string][]string{
	"saint": {"St"}, "sainte": {"Ste"}, "sankt": {"St"}, "fort": {"Ft"}, "mount": {"Mt"}, "port": {"Pt"},
	"st": {"Saint", "Sankt"}, "ste": {"Sainte"}, "ft": {"Fort"}, "mt": {"Mount"},
}

var umlauts = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "Ä", "Ae", "Ö", "Oe", "Ü", "Ue",
	"å", "aa", "Å", "Aa", "ø", "oe", "Ø", "Oe")
