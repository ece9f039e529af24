package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"slices"
	"strings"
)

type everyday struct {
	names    []everydayName
	codes    map[string]string // from an accepted code to the code of a city
	separate map[string]bool
	airports map[string]airport
	areas    []string
	existing regions
}

type everydayName struct {
	name, city string
	written    []string // languages in which pages use this name
	languages  []string // languages in which the name is completed; a star means any
	also       bool     // city is only the second meaning of the name
}

func readEveryday(file string) (everyday, error) {
	e := everyday{codes: map[string]string{}, separate: map[string]bool{}}
	f, err := os.Open(file)
	if err != nil {
		return e, fmt.Errorf("read everyday names: %w", err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comment = '#'
	r.FieldsPerRecord = 3
	rows, err := r.ReadAll()
	if err != nil {
		return e, fmt.Errorf("read everyday names: %w", err)
	}
	for _, row := range rows[1:] {
		name, code, lang := row[0], row[1], row[2]
		if len(code) != 3 || strings.ToUpper(code) != code || name == "" {
			return e, fmt.Errorf("read everyday names: %v: want a name and a code", row)
		}
		switch {
		case lang == "code" && name == code:
			e.separate[code] = true
		case lang == "code":
			e.codes[name] = code
		default:
			n := everydayName{name: name, city: code, also: lang == "also"}
			for l := range strings.FieldsSeq(lang) {
				l, main := strings.CutSuffix(l, "!")
				if l == "*" || slices.Contains(langs, l) {
					n.languages = append(n.languages, l)
				}
				if main {
					n.written = append(n.written, l)
				}
			}
			e.names = append(e.names, n)
		}
	}
	return e, nil
}

// A star in areas.tsv marks an area, such as New York, whose names people use rather for a city.
func readAreas(file string) (names []string, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read areas: %w", err)
	}
	for line := range strings.Lines(string(data)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasSuffix(f[0], "*") || len(f[0]) == 2 {
			continue
		}
		for _, column := range f[2:] {
			names = append(names, strings.Split(column, "|")...)
		}
	}
	return names, nil
}
