package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

type point struct {
	code       string
	retired    bool
	name       string
	country    string
	cities     []string // cities that the airport serves, the main one first
	cityName   string
	airport    bool
	station    bool
	city       bool
	population int
	pageRank   float64 // centrality in the network of flights; 0 if no flight is known
	names      []altName
	called     []string // names without a language, or in a language of places.Langs
	province   string   // code of the province in GeoNames
	at         coordinates
	region     region
}

type coordinates struct{ north, east float64 }

// In an altName, lang is empty for a GeoNames spelling without a language.
type altName struct {
	lang, name string
	flags      string // letters: p preferred, s short, c colloquial, h historic
}

func readPoints(data []byte) ([]point, error) {
	header, rest, _ := strings.Cut(string(data), "\n")
	col := map[string]int{}
	names := strings.Split(header, "^")
	for i, name := range names {
		col[name] = i
	}
	for _, need := range []string{"iata_code", "name", "country_code", "city_code_list", "city_name_list",
		"location_type", "latitude", "longitude",
		"population", "page_rank", "date_until", "alt_name_section", "adm1_name_utf", "adm2_code", "timezone"} {
		if _, ok := col[need]; !ok {
			return nil, fmt.Errorf("read points: no column %s", need)
		}
	}
	var points []point
	for line := range strings.Lines(rest) {
		f := strings.Split(strings.TrimRight(line, "\r\n"), "^")
		if len(f) != len(names) {
			return nil, fmt.Errorf("read points: %d columns, want %d: %.60s", len(f), len(names), line)
		}
		if len(f[col["iata_code"]]) != 3 {
			continue
		}
		p := point{
			code:    f[col["iata_code"]],
			retired: f[col["date_until"]] != "",
			name:    unbracketed(f[col["name"]]),
			country: f[col["country_code"]],
			cities:  strings.Split(f[col["city_code_list"]], ","),
			airport: strings.Contains(f[col["location_type"]], "A"),
			station: strings.Contains(f[col["location_type"]], "R"),
			city:    strings.Contains(f[col["location_type"]], "C"),
			called:  []string{f[col["name"]]}, province: f[col["adm2_code"]],
		}
		p.region = region{p.country, f[col["adm1_name_utf"]], f[col["timezone"]]}
		p.at.north, _ = strconv.ParseFloat(f[col["latitude"]], 64)
		p.at.east, _ = strconv.ParseFloat(f[col["longitude"]], 64)
		p.cityName, _, _ = strings.Cut(f[col["city_name_list"]], "=")
		p.population, _ = strconv.Atoi(f[col["population"]])
		p.pageRank, _ = strconv.ParseFloat(f[col["page_rank"]], 64)
		for alt := range strings.SplitSeq(f[col["alt_name_section"]], "=") {
			parts := strings.Split(alt, "|")
			if len(parts) == 3 {
				p.names = append(p.names, altName{lang: parts[0], name: clean(parts[1]), flags: parts[2]})
				if parts[0] == "" || slices.Contains(langs, parts[0]) {
					p.called = append(p.called, parts[1])
				}
			}
		}
		points = append(points, p)
	}
	return points, nil
}

func unbracketed(name string) string {
	name, _, _ = strings.Cut(name, "(")
	return strings.Join(strings.Fields(name), " ")
}

// clean returns "" for a list of names, the name of an airport, a code, or a name with digits.
func clean(name string) string {
	name = unbracketed(name)
	if len(name) == 3 && name == strings.ToUpper(name) && name[0] < 'a' {
		return ""
	}
	if strings.ContainsAny(name, "\t/,;:|0123456789") || ofAirport.MatchString(name) {
		return ""
	}
	return name
}

var ofAirport = regexp.MustCompile(`(?i)\b(((inter)?national|regional|municipal|county) )*(airport|a[eé]roport|aeropuerto|flughafen).*`)

func townOf(airport string) string {
	return strings.TrimSpace(ofAirport.ReplaceAllString(airport, ""))
}

type service struct {
	scheduled bool
	town      string
	called    string
	region    string // ISO 3166-2 code
}

func readServices(data []byte) (map[string]service, error) {
	var rows []struct {
		Code      string `json:"iata_code"`
		Town      string `json:"municipality"`
		Scheduled string `json:"scheduled_service"`
		Region    string `json:"iso_region"`

		Name, Keywords string
	}
	if err := json.Unmarshal(data, &rows); err != nil {
		return nil, fmt.Errorf("read airport services: %w", err)
	}
	services := map[string]service{}
	for _, r := range rows {
		if len(r.Code) == 3 {
			services[r.Code] = service{r.Scheduled == "yes", clean(r.Town), r.Name + " " + r.Keywords, r.Region}
		}
	}
	return services, nil
}
