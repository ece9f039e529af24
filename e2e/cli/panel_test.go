package cli

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"verdetto/e2e/fixture"
)

const returns = "origin,destination,observed_date,depart_date,price,currency,return_date,outbound_price\n" +
	"MIL,BUH,2016-02-25,2016-03-20,164,EUR,2016-03-27,60\n" +
	"MIL,BUH,2016-02-27,2016-03-22,164,EUR,2016-03-29,59.99\n"

func gzipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPanelWithFaults(t *testing.T) {
	t.Parallel()
	var many strings.Builder
	many.WriteString(fixture.CSVHeader)
	for i := range 3000 {
		fmt.Fprintf(&many, "MIL,BUH,2016-02-%02d,2016-04-%02d,%d.%02d,EUR\n", 1+i%28, 1+i%30, 20+i%61, i%100)
	}
	zipped := gzipped(t, many.String())
	for _, c := range []struct {
		name, file, panel string
		says              []string
	}{
		{"bad rows", "panel.csv", fixture.CSVHeader +
			"MIL,BUH,2016-02-25,2016-03-20,30.00,EUR\n" +
			"MIL,BUH,2016-02-2x,2016-03-20,30.00,EUR\n" +
			"MIL,BUH,2016-02-26,2016-03-21,dear,EUR\n" +
			"MIL,BUH,2016-02-26\n" +
			"MIL,BUH,2016-02-27,2016-03-22,29.99,EUR\n",
			[]string{"5 rows, 2 fares", "1: a date that cannot be read", "1: a price that is no decimal number", "1: fewer fields", `line 3: observed_date "2016-02-2x": want a day as YYYY-MM-DD`, `line 4: price "dear": want a decimal number`, "line 5: 3 fields, want 6", "2 new"}},
		{"more bad rows than are listed", "panel.csv", fixture.CSVHeader + strings.Repeat("?\n", 100) + "MIL,BUH,2016-02-27,2016-03-22,29.99,EUR\n",
			[]string{"101 rows, 1 fares", "line 2: 1 fields", "and 80 more bad rows", "1 new"}},
		{"gzip cut short", "panel.csv.gz", zipped[:len(zipped)/2], []string{"fault", "after line ", "the gzip archive is damaged: it ends too early", "the rows before it are loaded", "1 seen, 1 changed"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := fixture.NewShell(t)
			d.Write(c.file, c.panel)
			got := d.Want(3, "", "refresh", "-store", "bolt:new.db", "-upstream", "csv:"+c.file, "-now", "2016-03-01")
			fixture.Has(t, "stdout", got.Stdout, c.says...)
			fixture.Has(t, "stderr", got.Stderr, "error: part of the input was left out")
		})
	}
}

func TestPrice(t *testing.T) {
	t.Parallel()
	d := fixture.NewShell(t)
	d.Write("returns.csv", returns)
	got := d.Want(0, "", "refresh", "-store", "bolt:returns.db", "-upstream", "csv:returns.csv", "-now", "2016-03-01")
	fixture.Has(t, "stdout", got.Stdout, "2 rows, 2 fares (2 of them returns)", "2 new", "routes        0 seen", "returns       1 seen, 1 changed, by route and length of stay; ask with notti")
	for _, price := range []string{"price", "outbound_price"} {
		got := d.Want(0, "", "refresh", "-store", "bolt:"+price+".db", "-upstream", "csv:returns.csv", "-price", price, "-now", "2016-03-01")
		fixture.Has(t, "stdout", got.Stdout, "2 rows, 2 fares\n", "2 new", "routes        1 seen, 1 changed")
	}
	s := d.Serve("-upstream", "csv:returns.csv", "-price", "outbound_price", "-now", "2016-03-01")
	response, err := http.Get(s.URL + fixture.Question)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var answer struct {
		Prezzo struct{ Cent int }
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || response.StatusCode != http.StatusOK || answer.Prezzo.Cent != 5999 {
		t.Errorf("%s %+v %v", response.Status, answer, err)
	}
	s.End(t)
}

func TestSameReport(t *testing.T) {
	t.Parallel()
	d := fixture.NewShell(t)
	var panel strings.Builder
	panel.WriteString(strings.Replace(fixture.CSVHeader, "\n", ",return_date,stops\n", 1))
	for day := range 20 {
		fmt.Fprintf(&panel, "MIL,BUH,2016-02-%02d,2016-04-01,%d,RON,,0\n", 1+day, 100+day)
	}
	panel.WriteString("MIL,BUH,2016-02-01,2016-04-01,300,RON,2016-04-08,1\n" +
		"MIL,BUH,2016-02-01,2016-04-01,300,RON,2016-04-01,1\n" +
		"MIL,BUH,2016-02-01,2016-04-01,300,XTS,,\n" +
		"MIL,BUH,2016-02-01,2016-04-01,300,RON,,many\n" +
		"MIL,BUH,2016-02-01,2016-04-01\n")
	d.Write("panel.csv", panel.String())
	const report = "panel         25 rows, 21 fares (1 of them returns)\n" +
		"  left out    1: currency without a reference rate\n" +
		"  left out    1: fewer fields than the header names\n" +
		"  left out    1: return on the day of departure or before it\n" +
		"  left out    1: stops that are no number\n" +
		"  bad row     line 25: stops \"many\": want 0, 1, 2 or more, or nothing\n" +
		"  bad row     line 26: 4 fields, want 6\n"

	refreshed := d.Run("refresh", "-store", "bolt:new.db", "-upstream", "csv:panel.csv", "-now", "2016-03-01")
	fixture.Has(t, "refresh", refreshed.Stdout, report)
	s := d.Serve("-upstream", "csv:panel.csv", "-now", "2016-03-01")
	fixture.Has(t, "serve", s.Stdout, report)
	for command, code := range map[string]int{"refresh": refreshed.Code, "serve": s.Stop(t)} {
		if code != 3 {
			t.Errorf("%s: exit code %d, want 3", command, code)
		}
	}
}
