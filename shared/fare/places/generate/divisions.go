package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"verdetto/shared/fare/places"
)

// readDivisions returns names by ISO 3166-2 code: one in each language of places.Langs, and the name in GeoNames.
func readDivisions(data []byte) (map[string][]string, error) {
	var countries map[string]struct {
		Regions []struct {
			ISO   string
			Names map[string]string
		}
	}
	if err := json.Unmarshal(data, &countries); err != nil {
		return nil, fmt.Errorf("read divisions: %w", err)
	}
	all := map[string][]string{}
	for country, c := range countries {
		for _, r := range c.Regions {
			var names []string
			for _, lang := range append(slices.Clone(langs), "geonames") {
				names = append(names, strings.NewReplacer("\t", "", "|", "").Replace(r.Names[lang]))
			}
			if short := names[len(langs)]; strings.HasSuffix(names[0], short) || names[0] == "" {
				names[0] = short // as in Zurich, not Canton of Zurich
			}
			all[country+"-"+r.ISO] = names
		}
	}
	return all, nil
}

func divisionTable(names map[string][]string, points []point, services map[string]service, in regions) []byte {
	votes := map[string]map[string]int{}
	members := map[string]map[string]bool{}
	add := func(code, row string) {
		if members[code] == nil {
			members[code] = map[string]bool{}
		}
		members[code][row] = true
	}
	for code, r := range in {
		row := r.country + "/" + r.name
		if r.name == "" {
			continue
		}
		if votes[row] == nil {
			votes[row] = map[string]int{row: 0}
		}
		if iso := services[code].region; strings.HasPrefix(iso, r.country+"-") && len(names[iso]) > 0 {
			votes[row][iso]++
		}
	}
	for row, counts := range votes {
		add(slices.MaxFunc(slices.Sorted(maps.Keys(counts)), func(a, b string) int { return cmp.Compare(counts[a], counts[b]) }), row)
	}
	for _, p := range points {
		if r := in[p.code]; len(p.province) == 2 && strings.ToUpper(p.province) > "A" && r.name != "" && r.country == p.country {
			add(p.country+"-"+p.province, r.country+"/"+r.name)
		}
	}
	var b bytes.Buffer
	for _, code := range slices.Sorted(maps.Keys(members)) {
		rows := slices.Sorted(maps.Keys(members[code]))
		written := slices.Concat(names[code], make([]string, len(langs)+1))[:len(langs)+1]
		others := written[len(langs):]
		for _, row := range rows {
			if names[code] != nil || row == code {
				others = append(others, row[len("IT/"):])
			}
		}
		for i := range written[1:] {
			if written[i+1] == written[0] {
				written[i+1] = ""
			}
		}
		written[len(langs)] = strings.Trim(strings.Join(slices.Compact(others), "|"), "|")
		fmt.Fprintf(&b, "%s\t%s\t%s\n", code, strings.Join(rows, "|"), strings.Join(written, "\t"))
	}
	return b.Bytes()
}

// rare is relative to the number of airports, stations and districts. A more frequent word
// distinguishes no airport.
const rare = 0.03

var ofStation = regexp.MustCompile(`(?i)\b(railway|train|station|stn|stazione|bahnhof|hauptbahnhof|gare|estaci[oó]n|esta[cç][aã]o|ferroviaria)\b`)

func calledTable(cities []*city, codes map[string]string, points []point, services map[string]service, districts string) []byte {
	words, count := map[string]map[string]bool{}, map[string]int{}
	cityNames := map[string][]string{}
	for _, c := range cities {
		cityNames[c.code] = append(c.written(everyday{}), c.points[0].name)
	}
	wordsOf := func(names ...string) map[string]bool {
		all := map[string]bool{}
		for _, name := range names {
			for _, w := range strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) }) {
				if w = places.Fold(w); len(w) > 2 && w[0] <= unicode.MaxASCII {
					all[w] = true
				}
			}
		}
		return all
	}
	for _, p := range points {
		if city := codes[p.code]; p.airport && slices.ContainsFunc(p.cities, func(c string) bool { return codes[c] == city && city != "" }) {
			all := wordsOf(append(p.called, services[p.code].called)...)
			for w := range strings.FieldsSeq(strings.Join(cityNames[city], " ")) {
				delete(all, places.Fold(w))
			}
			words[city+" "+p.code] = all
			for w := range all {
				count[w]++
			}
		}
	}
	for _, p := range points {
		if city := codes[p.cities[0]]; p.station && city != "" {
			all := wordsOf(ofStation.ReplaceAllString(strings.Join(p.called, " "), " "))
			for w := range wordsOf(cityNames[city]...) {
				delete(all, w)
			}
			words[city+" "+city+" "+p.code] = all
		}
	}
	for line := range strings.Lines(districts) {
		city, names, _ := strings.Cut(strings.TrimSpace(line), "\t")
		for name := range strings.SplitSeq(names, "|") {
			words[city+" "+city+" "+name] = wordsOf(name)
		}
	}
	var b bytes.Buffer
	for _, airport := range slices.Sorted(maps.Keys(words)) {
		maps.DeleteFunc(words[airport], func(w string, _ bool) bool { return float64(count[w]) > rare*float64(len(words)) })
		if len(words[airport]) > 0 {
			fmt.Fprintf(&b, "%s %s\n", airport[:len("BGY MIL")], strings.Join(slices.Sorted(maps.Keys(words[airport])), " "))
		}
	}
	return b.Bytes()
}
