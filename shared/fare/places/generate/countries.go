package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"slices"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// continents lists the UN M.49 codes of Africa, Oceania, North America, South America, Asia and
// Europe.
var continents = []string{"002", "009", "003", "005", "142", "150"}

func nameOf(code, lang string) string {
	if lang == "pt" {
		lang = "pt-PT"
	}
	return display.Regions(language.MustParse(lang)).Name(language.MustParseRegion(code))
}

func writeCountries(countries map[string]bool) error {
	var b bytes.Buffer
	for _, code := range slices.Concat(slices.Sorted(maps.Keys(countries)), continents) {
		region, err := language.ParseRegion(code)
		if err != nil {
			return fmt.Errorf("country %s: %w", code, err)
		}
		fmt.Fprintf(&b, "%s\t", code)
		for _, c := range continents {
			if at := language.MustParseRegion(c); at.Contains(region) && at != region {
				b.WriteString(c)
				break
			}
		}
		for _, lang := range langs {
			b.WriteString("\t" + nameOf(code, lang))
		}
		b.WriteByte('\n')
	}
	return os.WriteFile("countries.tsv", b.Bytes(), 0o644)
}
