package main

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
)

// Codes are reused, so locate prefers an airport that serves the city of the code.
func locate(points []point, codes map[string]string) map[string]coordinates {
	at := map[string]coordinates{}
	for _, serves := range []func(point) bool{
		func(p point) bool { return p.airport && slices.Contains(p.cities, codes[p.code]) },
		func(p point) bool { return codes[p.code] == p.code },
	} {
		for _, p := range points {
			if _, ok := at[p.code]; !ok && !p.retired && serves(p) && p.at != (coordinates{}) {
				at[p.code] = p.at
			}
		}
	}
	return at
}

func hundredths(degrees float64) int { return int(math.Round(100 * degrees)) }

func write(cities []*city, codes map[string]string, at map[string]coordinates, in regions, names []name,
	usual everyday,
) error {
	var cityTable, codeTable, nameTable, regionTable bytes.Buffer
	lines := map[string]int{}
	for _, c := range cities {
		lines[c.code] = cityTable.Len()
		written := c.written(usual)
		for i := 1; i < len(written); i++ {
			if written[i] == written[0] {
				written[i] = ""
			}
		}
		fmt.Fprintf(&cityTable, "%s\t%s\t%s\t%s\n", c.code, c.country,
			strings.Join(c.airports, " "), strings.Join(written, "\t"))
	}
	used := map[region]int{}
	for code := range codes {
		used[in[code]] = 0
	}
	for _, r := range slices.SortedFunc(maps.Keys(used), func(a, b region) int {
		return cmp.Or(cmp.Compare(a.country, b.country), cmp.Compare(a.name, b.name), cmp.Compare(a.zone, b.zone))
	}) {
		used[r] = regionTable.Len()
		fmt.Fprintf(&regionTable, "%s\t%s\t%s\n", r.country, r.name, r.zone)
	}
	served := map[string]string{}
	for _, c := range cities {
		switch {
		case c.unserved:
			served[c.code] = "c"
		case c.scheduled:
			served[c.code] = "s"
		default:
			served[c.code] = "-"
		}
	}
	for _, code := range slices.Sorted(maps.Keys(codes)) {
		point, ok := at[code]
		if !ok {
			point = at[codes[code]]
		}
		fmt.Fprintf(&codeTable, "%s %s %06d %+06d %+06d %05d %s\n", code, codes[code], lines[codes[code]],
			hundredths(point.north), hundredths(point.east), used[in[code]], served[codes[code]])
	}
	for _, n := range names {
		written := n.written
		if written == n.key {
			written = ""
		}
		fmt.Fprintf(&nameTable, "%s\t%c%s\t%s", n.key, n.kind, cmp.Or(n.airport, n.city), written)
		if n.languages != nil {
			fmt.Fprintf(&nameTable, "\t%s", strings.Join(n.languages, " "))
		}
		nameTable.WriteByte('\n')
	}
	countries := map[string]bool{}
	for _, c := range cities {
		countries[c.country] = countries[c.country] || !c.unserved
	}
	maps.DeleteFunc(countries, func(_ string, served bool) bool { return !served })
	if err := writeCountries(countries); err != nil {
		return err
	}
	for file, table := range map[string]*bytes.Buffer{
		"cities.tsv": &cityTable, "codes.tsv": &codeTable, "names.tsv": &nameTable,
		"regions.tsv": &regionTable,
	} {
		if err := os.WriteFile(file, table.Bytes(), 0o644); err != nil {
			return fmt.Errorf("write table: %w", err)
		}
	}
	return nil
}
