package cli

import (
	"bufio"
	"compress/gzip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"verdetto/shared/architecture/testenv"
)

// TestEvidenceImportKilled kills the import of 200,000 recorded fares 50 times.
func TestEvidenceImportKilled(t *testing.T) {
	file, err := os.Open(filepath.Join(testenv.Data(t), "fares", "eu_wizzair_2015_2016_full.csv.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	zipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(zipped)
	lines.Scan()
	header := lines.Text()
	observed := slices.Index(strings.Split(header, ","), "observed_date")
	day := func(row string) string { return strings.Split(row, ",")[observed] }
	var rows []string
	for lines.Scan() {
		rows = append(rows, lines.Text())
	}
	if lines.Err() != nil || len(rows) < 200_000 {
		t.Fatal(len(rows), lines.Err())
	}
	slices.SortStableFunc(rows, func(a, b string) int { return strings.Compare(day(a), day(b)) })
	rows = rows[:200_000]
	first, err := time.Parse(time.DateOnly, day(rows[0]))
	if err != nil {
		t.Fatal(err)
	}
	last, err := time.Parse(time.DateOnly, day(rows[len(rows)-1]))
	if err != nil {
		t.Fatal(err)
	}
	killedImports(t, header+"\n"+strings.Join(rows, "\n")+"\n", first, last, 50)
}
