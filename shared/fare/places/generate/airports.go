package main

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"verdetto/shared/fare/places"
)

type airport struct {
	written [6]string
	others  []string
}

func readAirports(file string) (map[string]airport, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read airports: %w", err)
	}
	all := map[string]airport{}
	for line := range strings.Lines(string(data)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) < 2 || len(f) > len(langs)+2 || len(f[0]) != 3 || f[1] == "" {
			return nil, fmt.Errorf("read airports: %q: want a code, a name, its translations and other names", line)
		}
		f = append(f, make([]string, len(langs)+2-len(f))...)
		var a airport
		for i := range langs {
			if a.written[i] = f[i+1]; a.written[i] == "" {
				a.written[i] = f[1]
			}
		}
		if others := f[len(langs)+1]; others != "" {
			a.others = strings.Split(others, "|")
		}
		all[f[0]] = a
	}
	return all, nil
}

func (c *city) airportNames(usual everyday) (out []name) {
	if len(c.airports) < 2 {
		return nil
	}
	add := func(written, airport string, kind byte, weight float64) {
		out = append(out, name{written: written, kind: kind, city: c.code, airport: airport, weight: weight})
	}
	cities := c.written(usual)
	for _, code := range c.airports {
		a := usual.airports[code]
		for i, written := range a.written {
			if written != code {
				add(written, code, places.KindAirport, byHand)
			}
			if city := cmp.Or(cities[i], cities[0]); !strings.Contains(written, city) {
				add(city+" "+written, code, places.KindFull, byName*c.busy)
			}
		}
		for _, written := range a.others {
			add(written, code, places.KindFull, byHand)
		}
	}
	return out
}
