package main

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
)

type region struct{ country, name, zone string }

type regions map[string]region

func readRegions(data []byte) (regions, error) {
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("read regions: %w", err)
	}
	column := func(name string) int { return slices.Index(rows[0], name) }
	code, country, name, zone := column("iata"), column("country"), column("subd"), column("tz")
	if min(code, country, name, zone) < 0 {
		return nil, fmt.Errorf("read regions: columns are %q", rows[0])
	}
	all := regions{}
	for _, row := range rows[1:] {
		if row[code] != "" {
			// Some names are written with hyphens for spaces (Canary-Islands).
			all[row[code]] = region{row[country], strings.ReplaceAll(row[name], "-", " "), row[zone]}
		}
	}
	return all, nil
}

// complete takes from OpenTravelData the codes, names and zones that airportsdata lacks. A city
// gets the region of its busiest airport.
func (r regions) complete(points []point, cities []*city, codes map[string]string) {
	for _, p := range points {
		known := r[p.code]
		if codes[p.code] == "" || p.retired || known.country != "" && known.country != p.country {
			continue
		}
		r[p.code] = region{p.country, cmp.Or(known.name, p.region.name), cmp.Or(known.zone, p.region.zone)}
	}
	for _, c := range cities {
		r[c.code] = r[c.airports[0]]
	}
	for code, city := range codes {
		if r[code].zone == "" {
			r[code] = r[city]
		}
	}
}

func (r regions) withCodes(codes map[string]string) regions {
	known := regions{}
	for code := range codes {
		known[code] = r[code]
	}
	return known
}
