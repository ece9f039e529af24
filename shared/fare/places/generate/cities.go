package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// city is what the table says of one city or metropolitan area.
type city struct {
	code    string
	country string
	// busy is how central the airports are in the network of flights, in sum:
	// the nearest open thing to a count of passengers.
	busy     float64
	airports []string // busiest first
	points   []point  // rows that describe the city itself, the best known first
	towns    []town   // other places that its airports serve
}

type town struct {
	point
	busy float64
}

// unranked is the busyness of an airport that has flights but no known place in the network: below all that have one.
const unranked = 0.001

// buildCities gathers the airports with scheduled flights under their cities,
// busiest city first, and says for every code known which city it belongs to.
func buildCities(points []point, services map[string]service, said everyday) ([]*city, map[string]string, error) {
	wanted := map[string]bool{} // cities that are in even if no source knows of flights
	for _, n := range said.names {
		wanted[n.city] = true
	}
	for _, code := range said.codes {
		wanted[code] = true
	}
	primary := func(airport point) string {
		code := airport.cities[0]
		if said.separate[airport.code] {
			code = airport.code
		}
		if to, ok := said.codes[code]; ok {
			code = to
		}
		return code
	}

	points, retired := succeed(points)

	byCode := map[string]*city{}
	rank := map[string]float64{}
	for _, p := range points {
		if !p.airport || rank[p.code] > 0 {
			continue
		}
		code := primary(p)
		busy := p.pageRank
		if busy == 0 && (services[p.code].scheduled || wanted[code] && p.code == code) {
			busy = unranked
		}
		if busy == 0 {
			continue
		}
		c := byCode[code]
		if c == nil {
			c = &city{code: code, country: p.country}
			byCode[code] = c
		}
		rank[p.code] = busy
		c.busy += busy
		c.airports = append(c.airports, p.code)
		if name := services[p.code].town; name != "" {
			c.towns = append(c.towns, town{point{name: name}, busy})
		}
	}
	// A city that is named by hand, and whose airport bears another code than it.
	for _, p := range points {
		if code := primary(p); p.airport && wanted[code] && byCode[code] == nil {
			byCode[code] = &city{code: code, country: p.country, busy: unranked, airports: []string{p.code}}
		}
	}

	codes := map[string]string{}
	for _, p := range points {
		if p.airport && codes[p.code] == "" && byCode[primary(p)] != nil {
			codes[p.code] = primary(p)
		}
	}
	for _, p := range retired {
		if codes[p.code] == "" && byCode[primary(p)] != nil {
			codes[p.code] = primary(p)
		}
	}
	for code, city := range said.codes {
		codes[code] = city
	}
	for code := range byCode {
		codes[code] = code
	}
	for code := range wanted {
		if byCode[code] == nil {
			return nil, nil, fmt.Errorf("build cities: %s, named in everyday.csv, has no airport", code)
		}
	}

	describe(byCode, points, codes, rank, primary)
	cities := slices.SortedFunc(maps.Values(byCode), func(a, b *city) int {
		return cmp.Or(cmp.Compare(b.busy, a.busy), cmp.Compare(a.code, b.code))
	})
	for _, c := range cities {
		if len(c.points) == 0 {
			return nil, nil, fmt.Errorf("build cities: nothing describes %s", c.code)
		}
		slices.SortStableFunc(c.airports, func(a, b string) int {
			return cmp.Or(cmp.Compare(rank[b], rank[a]), cmp.Compare(a, b))
		})
		slices.SortStableFunc(c.points, func(a, b point) int { return cmp.Compare(b.population, a.population) })
		// Where the sources know the airport only, the town it lies in is the city.
		if main := &c.points[0]; ofAirport.MatchString(main.name) {
			main.name = townOf(main.name)
			if len(c.towns) > 0 {
				main.name = c.towns[0].name
			}
		}
		c.country = c.points[0].country // an airport may lie across the border
	}
	return cities, codes, nil
}

// describe gives each city the rows that speak of it, and of the other towns that its airports serve.
func describe(byCode map[string]*city, points []point, codes map[string]string, rank map[string]float64, primary func(point) string) {
	rows := map[string][]point{}
	for _, p := range points {
		if p.city && p.name != "" {
			rows[p.code] = append(rows[p.code], p)
		}
	}
	for code, c := range byCode {
		c.points = slices.Clone(rows[code])
	}
	for _, p := range points {
		c := byCode[primary(p)]
		if !p.airport || c == nil || len(p.cities) == 1 {
			continue
		}
		for _, code := range p.cities {
			if byCode[code] != nil {
				continue
			}
			if len(c.points) == 0 {
				c.points = slices.Clone(rows[code])
				continue
			}
			if codes[code] == "" {
				codes[code] = c.code
			}
			for _, row := range rows[code] {
				c.towns = append(c.towns, town{row, max(rank[p.code], unranked)})
			}
		}
	}
}

// succeed separates the airports that are gone from the points that are in use.
// Where the city of a gone airport has one of no known rank, that is its
// successor: it takes the rank, and the gone one takes its city.
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
