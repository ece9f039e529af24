package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"golang.org/x/text/language"
)

type city struct {
	code     string
	country  string
	busy     float64  // how central the city's airports are in the network of flights
	airports []string // the busiest comes first
	points   []point
	towns    []town

	scheduled bool
	unserved  bool // no source knows flights to the city, so the name alone does not find the city
}

type town struct {
	point
	busy    float64
	airport string
}

const unranked = 0.001

type builder struct {
	points, retired []point
	services        map[string]service
	usual           everyday
	wanted          map[string]bool
	byCode          map[string]*city
	rank            map[string]float64
	codes           map[string]string
}

func buildCities(points []point, services map[string]service, usual everyday) ([]*city, map[string]string, error) {
	b := builder{
		services: services, usual: usual, wanted: map[string]bool{},
		byCode: map[string]*city{}, rank: map[string]float64{}, codes: map[string]string{},
	}
	b.points, b.retired = succeed(points)
	for _, n := range usual.names {
		b.wanted[n.city] = true
	}
	for _, code := range usual.codes {
		b.wanted[code] = true
	}
	b.gather()
	for code := range b.wanted {
		if b.byCode[code] == nil {
			return nil, nil, fmt.Errorf("build cities: %s, named in everyday.csv, has no airport", code)
		}
	}
	b.assignCodes()
	b.gatherUnserved()
	b.describe()
	cities := slices.SortedFunc(maps.Values(b.byCode), func(a, b *city) int {
		if a.unserved != b.unserved {
			return map[bool]int{false: -1, true: 1}[a.unserved]
		}
		return cmp.Or(cmp.Compare(b.busy, a.busy), cmp.Compare(a.code, b.code))
	})
	for _, c := range cities {
		if len(c.points) == 0 {
			return nil, nil, fmt.Errorf("build cities: nothing describes %s", c.code)
		}
		slices.SortStableFunc(c.airports, func(x, y string) int {
			return cmp.Or(cmp.Compare(b.rank[y], b.rank[x]), cmp.Compare(x, y))
		})
		c.airports = b.listed(c.airports)
		c.scheduled = b.services[c.airports[0]].scheduled
		c.settle()
	}
	return cities, b.codes, nil
}

const traffic = 0.01

// listed returns the airports that a traveller may fly from: not Parma for Milan, nor a military
// base for Tokyo. The codes in the parameter all must be in order of rank.
func (b *builder) listed(all []string) []string {
	scheduled := slices.DeleteFunc(slices.Clone(all), func(code string) bool { return !b.services[code].scheduled })
	if len(scheduled) == 0 {
		return all[:1]
	}
	least := min(traffic, b.rank[scheduled[0]]/2)
	return slices.DeleteFunc(scheduled, func(code string) bool { return b.rank[code] < least })
}

func (b *builder) primary(airport point) string {
	code := airport.cities[0]
	if b.usual.separate[airport.code] {
		code = airport.code
	}
	return cmp.Or(b.usual.codes[code], code)
}

func (b *builder) gather() {
	for _, p := range b.points {
		if !p.airport || b.rank[p.code] > 0 {
			continue
		}
		code := b.primary(p)
		busy := p.pageRank
		if busy == 0 && (b.services[p.code].scheduled || b.wanted[code] && p.code == code) {
			busy = unranked
		}
		if busy == 0 {
			continue
		}
		c := b.byCode[code]
		if c == nil {
			c = &city{code: code, country: p.country}
			b.byCode[code] = c
		}
		b.rank[p.code] = busy
		c.busy += busy
		c.airports = append(c.airports, p.code)
		if name := b.services[p.code].town; name != "" {
			c.towns = append(c.towns, town{point{name: name}, busy, p.code})
		}
	}
	for _, p := range b.points {
		if code := b.primary(p); p.airport && b.wanted[code] && b.byCode[code] == nil {
			b.byCode[code] = &city{code: code, country: p.country, busy: unranked, airports: []string{p.code}}
		}
	}
}

// Some airports without known flights get cities too, because no table can prove that an airport has
// no flights.
func (b *builder) gatherUnserved() {
	described := map[string]string{}
	for _, p := range b.points {
		if p.city && townOf(p.name) != "" {
			described[p.code] = p.country
		}
	}
	for _, p := range b.points {
		_, exists := b.usual.existing[p.code]
		_, country := language.ParseRegion(p.code) // fails unless the code is also in ISO 3166, such as ESP
		if exists && country != nil && p.airport && b.codes[p.code] == "" && described[p.code] != "" && b.primary(p) == p.code {
			b.byCode[p.code] = &city{code: p.code, country: described[p.code], unserved: true, airports: []string{p.code}}
			b.codes[p.code] = p.code
		}
	}
}

func (b *builder) assignCodes() {
	for _, p := range slices.Concat(b.points, b.retired) {
		if code := b.primary(p); p.airport && b.codes[p.code] == "" && b.byCode[code] != nil {
			b.codes[p.code] = code
		}
	}
	maps.Copy(b.codes, b.usual.codes)
	for code := range b.byCode {
		b.codes[code] = code
	}
}

func (c *city) settle() {
	slices.SortStableFunc(c.points, func(a, b point) int { return cmp.Compare(b.population, a.population) })
	// If the first point has the name of an airport, the city gets the name of a town.
	if main := &c.points[0]; ofAirport.MatchString(main.name) {
		main.name = townOf(main.name)
		if len(c.towns) > 0 {
			main.name = c.towns[0].name
		}
	}
	c.country = c.points[0].country
}

func (b *builder) describe() {
	rows := map[string][]point{}
	for _, p := range b.points {
		if p.city && p.name != "" {
			rows[p.code] = append(rows[p.code], p)
		}
	}
	for code, c := range b.byCode {
		c.points = slices.Clone(rows[code])
	}
	for _, p := range b.points {
		c := b.byCode[b.primary(p)]
		if !p.airport || c == nil || len(p.cities) == 1 {
			continue
		}
		for _, code := range p.cities {
			if b.byCode[code] != nil {
				continue
			}
			if len(c.points) == 0 {
				c.points = slices.Clone(rows[code])
				continue
			}
			if b.codes[code] == "" {
				b.codes[code] = c.code
			}
			for _, row := range rows[code] {
				c.towns = append(c.towns, town{row, max(b.rank[p.code], unranked), p.code})
			}
		}
	}
}

// A retired airport has a successor only if no current airport of its city has a page rank.
func succeed(points []point) (current, retired []point) {
	type place struct{ country, city string }
	newcomers, ranked := map[place]int{}, map[place]bool{}
	for _, p := range points {
		at := place{p.country, p.cityName}
		switch {
		case p.retired && p.airport:
			retired = append(retired, p)
		case p.retired:
		default:
			if p.airport && p.pageRank > 0 {
				ranked[at] = true
			} else if p.airport {
				newcomers[at] = len(current)
			}
			current = append(current, p)
		}
	}
	for i, p := range retired {
		at := place{p.country, p.cityName}
		if successor, ok := newcomers[at]; ok && !ranked[at] {
			current[successor].pageRank = max(current[successor].pageRank, p.pageRank)
			retired[i].cities = current[successor].cities
		}
	}
	return current, retired
}
