package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// write writes the four tables to the working directory. The comments in package places
// describe the columns.
func write(cities []*city, codes map[string]string, names []name, said everyday) error {
	var cityTable, codeTable, nameTable bytes.Buffer
	at := map[string]int{}
	for _, c := range cities {
		at[c.code] = cityTable.Len()
		written := c.written(said)
		for i := 1; i < len(written); i++ {
			if written[i] == written[0] {
				written[i] = ""
			}
		}
		fmt.Fprintf(&cityTable, "%s\t%s\t%s\t%s\n", c.code, c.country,
			strings.Join(c.airports, " "), strings.Join(written, "\t"))
	}
	for _, code := range slices.Sorted(maps.Keys(codes)) {
		fmt.Fprintf(&codeTable, "%s %s %06d\n", code, codes[code], at[codes[code]])
	}
	for _, n := range names {
		written := n.written
		if written == n.key {
			written = ""
		}
		fmt.Fprintf(&nameTable, "%s\t%c%s\t%s", n.key, n.kind, n.city, written)
		if n.said != nil {
			fmt.Fprintf(&nameTable, "\t%s", strings.Join(n.said, " "))
		}
		nameTable.WriteByte('\n')
	}
	countries := map[string]bool{}
	for _, c := range cities {
		countries[c.country] = true
	}
	if err := writeCountries(countries); err != nil {
		return err
	}
	for file, table := range map[string]*bytes.Buffer{
		"cities.tsv": &cityTable, "codes.tsv": &codeTable, "names.tsv": &nameTable,
	} {
		if err := os.WriteFile(file, table.Bytes(), 0o644); err != nil {
			return fmt.Errorf("write table: %w", err)
		}
	}
	return nil
}
