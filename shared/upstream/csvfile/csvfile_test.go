package csvfile_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/fare"
	"verdetto/shared/testenv"
	"verdetto/shared/upstream"
	"verdetto/shared/upstream/csvfile"
	"verdetto/shared/upstream/ecb"
)

var comparable = upstream.Comparable{
	CityOf: func(code string) (fare.City, bool) {
		if code == "BGY" {
			return "MIL", true
		}
		return fare.City(code), code != "QQQ"
	},
	Rates: func(fare.Day) fare.Rates { return fare.Rates{PerEuro: map[string]float64{"GBP": 0.8}} },
}

const header = "origin,destination,observed_date,depart_date,price,currency\n"

func read(t *testing.T, text string) *csvfile.Panel {
	t.Helper()
	p, err := csvfile.Read(strings.NewReader(text), comparable)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// lines writes fares as lines, so that a test shows what it means.
func lines(fares []fare.Fare) []string {
	var lines []string
	for _, f := range fares {
		lines = append(lines, fmt.Sprintf("%s found %s departs %s at %d", f.Route, time.Unix(f.Found, 0).UTC().Format(time.RFC3339), f.Depart, f.Price))
	}
	return lines
}

func all(t *testing.T, p *csvfile.Panel, origin fare.City) upstream.Answer {
	t.Helper()
	answer, err := p.Fares(t.Context(), origin, time.Time{}, time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func TestReadForms(t *testing.T) {
	const one = "MIL-BUH found 2026-01-02T00:00:00Z departs 2026-02-03 at 1999"
	tests := []struct {
		name, text string
		want       []string
	}{
		{"plain", header + "MIL,BUH,2026-01-02,2026-02-03,19.99,EUR\n", []string{one}},
		{"byte order mark", "\ufeff" + header + "MIL,BUH,2026-01-02,2026-02-03,19.99,EUR\n", []string{one}},
		{"CRLF", strings.ReplaceAll(header+"MIL,BUH,2026-01-02,2026-02-03,19.99,EUR\n", "\n", "\r\n"), []string{one}},
		{"no end of line", header + "MIL,BUH,2026-01-02,2026-02-03,19.99,EUR", []string{one}},
		{"blank lines", header + "\nMIL,BUH,2026-01-02,2026-02-03,19.99,EUR\n\r\n  \n\n", []string{one}},
		{"quoted", `"origin","destination","observed_date","depart_date","price","currency"` + "\n" + `"MIL","BUH","2026-01-02","2026-02-03","19.99","EUR"` + "\n", []string{one}},
		{"another order and further columns", "note,Currency, price,depart_date,observed_date,destination,origin,x\n" +
			`"a ""quoted"", note",EUR,19.99,2026-02-03,2026-01-02,BUH,MIL,` + "\n", []string{one}},
		{"airport, lower case, another currency", header + "bgy,buh,2026-01-02,2026-02-03,15.992,gbp\n", []string{one}},
		{"observed with a time", header + "MIL,BUH,2026-01-02T01:30:00+01:30,2026-02-03,19.99,EUR\n", []string{one}},
		{"observed with a time and no zone", header + "MIL,BUH,2026-01-02 10:00:00,2026-02-03,19.99,EUR\n",
			[]string{"MIL-BUH found 2026-01-02T10:00:00Z departs 2026-02-03 at 1999"}},
		{"duplicates", header + strings.Repeat("MIL,BUH,2026-01-02,2026-02-03,19.99,EUR\n", 3), []string{one}},
		{"empty return date", "origin,destination,observed_date,depart_date,price,currency,return_date\nMIL,BUH,2026-01-02,2026-02-03,19.99,EUR,\n" +
			"MIL,BUH,2026-01-02,2026-02-03,19.99,EUR\n", []string{one}},
		{"header alone", header, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := read(t, test.text)
			if diff := cmp.Diff(test.want, lines(all(t, p, "MIL").Fares)); diff != "" {
				t.Error(diff)
			}
			if r := p.Report(); r.BadTotal != 0 || r.Fault != nil || r.Fares != len(test.want) || r.Rows != r.Fares+r.Duplicates {
				t.Errorf("report %+v", r)
			}
		})
	}
}

// TestPrice reads a panel of round trips that tells the one-way fares apart.
func TestPrice(t *testing.T) {
	const text = "origin,destination,observed_date,depart_date,price,currency,return_date,outbound_price\n" +
		"MIL,BUH,2026-01-01,2026-02-01,164,EUR,2026-02-08,64.00\n" +
		"MIL,BUH,2026-01-02,2026-02-01,90,EUR,,40.50\n" +
		"MIL,BUH,2026-01-03,2026-02-01,90,EUR,2026-02-08,\n"
	for _, c := range []struct {
		name    string
		options []csvfile.Option
		want    []string
		bad     int
	}{
		{"as it stands", nil, []string{"MIL-BUH found 2026-01-02T00:00:00Z departs 2026-02-01 at 9000"}, 0},
		{"another column", []csvfile.Option{csvfile.Price("outbound_price")}, []string{
			"MIL-BUH found 2026-01-01T00:00:00Z departs 2026-02-01 at 6400",
			"MIL-BUH found 2026-01-02T00:00:00Z departs 2026-02-01 at 4050",
		}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := csvfile.Read(strings.NewReader(text), comparable, c.options...)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, lines(all(t, p, "MIL").Fares)); diff != "" {
				t.Error(diff)
			}
			if got := p.Report().BadTotal; got != c.bad {
				t.Errorf("%d bad rows, want %d", got, c.bad)
			}
		})
	}
	_, err := csvfile.Read(strings.NewReader(text), comparable, csvfile.Price("inbound"))
	if err == nil || !strings.Contains(err.Error(), "header lacks inbound: want origin, destination, observed_date, depart_date, inbound, currency") {
		t.Errorf("a column that is not there: %v", err)
	}
}

func TestReadRefuses(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"empty", "", "origin, destination, observed_date"},
		{"a byte order mark alone", "\ufeff", "header lacks origin"},
		{"missing columns", "origin,destination,observed_date,fare\n", "lacks depart_date, price, currency"},
		{"a column twice", "origin,origin,destination,observed_date,depart_date,price,currency\n", "origin twice"},
		{"a header without end", strings.Repeat("x", 1<<20), "longer than"},
		{"a broken quote", `"origin,destination` + "\n", "quotation"},
		{"gzip of nothing", "\x1f\x8b", "un-gzip"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := csvfile.Read(strings.NewReader(test.text), comparable)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want it to speak of %q", err, test.want)
			}
		})
	}
	if _, err := csvfile.Open(filepath.Join(t.TempDir(), "none.csv"), comparable); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

func TestBadRowsAreToldAndTheRestLoads(t *testing.T) {
	text := "origin,destination,observed_date,depart_date,price,currency,return_date\n" +
		"MIL,BUH,2026-01-02,2026-02-03,19.99,EUR,\n" + // line 2
		"MIL,BUH,2026-01-02,2026-02-30,19.99,EUR,\n" +
		"MIL,BUH,yesterday,2026-02-03,19.99,EUR,\n" +
		"MIL,BUH,2026-01-02\n" +
		"MIL,BUH,2026-01-02,2026-02-03,cheap,EUR,\n" +
		"MIL,BUH,2026-01-02,2026-02-03,NaN,EUR,\n" +
		"MIL,BUH,2026-01-02,2026-02-03,1e2,EUR,\n" +
		"Milano,BUH,2026-01-02,2026-02-03,19.99,EUR,\n" +
		"MIL,BUH,2026-01-02,2026-02-03,19.99,€,\n" +
		"MIL,\"BUH,2026-01-02,2026-02-03,19.99,EUR,\n" +
		"MIL,B\"UH,2026-01-02,2026-02-03,19.99,EUR,\n" +
		"MIL,BUH,2026-01-02,2026-02-03,19.99,EUR," + strings.Repeat("x", 1<<20) + "\n" +
		"MIL,BUH,2026-01-02,2026-02-03,29.99,EUR,\n" // line 14
	p := read(t, text)
	if got := all(t, p, "MIL").Fares; len(got) != 2 {
		t.Errorf("fares %v", lines(got))
	}
	r := p.Report()
	if r.BadTotal != 11 || r.Rows != 13 || r.Fares != 2 {
		t.Errorf("%d bad of %d rows, %d fares", r.BadTotal, r.Rows, r.Fares)
	}
	for i, bad := range r.Bad {
		if bad.Line != i+3 || bad.Why == "" || len(bad.Why) > 120 {
			t.Errorf("bad row %d: %v", i, bad)
		}
	}

	many := read(t, header+strings.Repeat("x\n", 1000)).Report()
	if many.BadTotal != 1000 || len(many.Bad) != 20 {
		t.Errorf("%d bad rows told of %d", len(many.Bad), many.BadTotal)
	}
}

func TestDropped(t *testing.T) {
	p := read(t, "origin,destination,observed_date,depart_date,price,currency,return_date\n"+
		"MIL,BUH,2026-01-02,2026-02-03,19.99,EUR,\n"+
		"MIL,BUH,2026-01-02,2026-02-03,19.99,EUR,2026-02-09\n"+
		"MIL,BUH,2026-01-02,2026-02-03,19.99,EUR,2026-02-09\n"+
		"MIL,BUH,2026-01-09,2026-01-03,19.99,EUR,\n"+
		"MIL,BGY,2026-01-02,2026-02-03,19.99,EUR,\n"+
		"QQQ,BUH,2026-01-02,2026-02-03,19.99,EUR,\n"+
		"MIL,BUH,2026-01-02,2026-02-03,-5,EUR,\n"+
		"ROM,BUH,2026-01-02,2026-02-03,19.99,XTS,\n")
	want := map[upstream.Reason]int{upstream.RoundTrip: 2, upstream.Departed: 1, upstream.SamePlace: 1, upstream.UnknownPlace: 1, upstream.BadPrice: 1, upstream.NoRate: 1}
	if diff := cmp.Diff(want, p.Report().Dropped); diff != "" {
		t.Error(diff)
	}
	answer, err := p.Fares(t.Context(), "MIL", time.Time{}, time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	want = map[upstream.Reason]int{upstream.RoundTrip: 2, upstream.SamePlace: 1, upstream.BadPrice: 1}
	if diff := cmp.Diff(want, answer.Dropped); diff != "" {
		t.Errorf("of a window: %s", diff)
	}
	origins, err := p.Origins(t.Context())
	if diff := cmp.Diff([]fare.City{"MIL"}, origins); diff != "" || err != nil {
		t.Errorf("origins: %s, error %v", diff, err)
	}
}

func TestWindow(t *testing.T) {
	p := read(t, header+
		"MIL,BUH,2026-01-04,2026-02-03,40,EUR\nMIL,LON,2026-01-02,2026-02-03,20,EUR\n"+
		"MIL,BUH,2026-01-03T12:00:00Z,2026-02-03,30,EUR\nROM,LON,2026-01-03,2026-02-03,50,EUR\n")
	at := func(day, hour int) time.Time { return time.Date(2026, 1, day, hour, 0, 0, 0, time.UTC) }
	tests := []struct {
		name         string
		origin       fare.City
		since, until time.Time
		want         []fare.Cents
	}{
		{"everything", "MIL", time.Time{}, at(30, 0), []fare.Cents{2000, 3000, 4000}},
		{"up to and with until", "MIL", time.Time{}, at(3, 12), []fare.Cents{2000, 3000}},
		{"after since", "MIL", at(2, 0), at(30, 0), []fare.Cents{3000, 4000}},
		{"nothing in it", "MIL", at(3, 12), at(3, 23), nil},
		{"upside down", "MIL", at(9, 0), at(1, 0), nil},
		{"another origin", "ROM", time.Time{}, at(30, 0), []fare.Cents{5000}},
		{"not in the file", "PAR", time.Time{}, at(30, 0), nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			answer, err := p.Fares(t.Context(), test.origin, test.since, test.until)
			if err != nil {
				t.Fatal(err)
			}
			var got []fare.Cents
			for _, f := range answer.Fares {
				got = append(got, f.Price)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func zip(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestGzip(t *testing.T) {
	var text strings.Builder
	text.WriteString(header)
	for i := range 20_000 {
		fmt.Fprintf(&text, "MIL,BUH,2026-01-02T%02d:%02d:%02d,2026-02-03,%d.%02d,EUR\n", i/3600, i/60%60, i%60, 10+i*7919%500, i*104729%100)
	}
	whole := zip(t, text.String())
	path := filepath.Join(t.TempDir(), "fares.csv.gz")
	for name, test := range map[string]struct {
		data  []byte
		least int
		most  int
		fault bool
	}{
		"whole":             {whole, 20_000, 20_000, false},
		"cut":               {whole[:len(whole)/2], 8_000, 12_000, true},
		"cut at the sum":    {whole[:len(whole)-4], 20_000, 20_000, true},
		"wrong sum":         {append(bytes.Clone(whole[:len(whole)-8]), 1, 2, 3, 4, 5, 6, 7, 8), 20_000, 20_000, true},
		"two, one after it": {append(bytes.Clone(whole), zip(t, "MIL,LON,2026-01-02,2026-02-03,10,EUR\n")...), 20_001, 20_001, false},
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(path, test.data, 0o600); err != nil {
				t.Fatal(err)
			}
			p, err := csvfile.Open(path, comparable)
			if err != nil {
				t.Fatal(err)
			}
			r := p.Report()
			if r.Fares < test.least || r.Fares > test.most || (r.Fault != nil) != test.fault || r.BadTotal != 0 {
				t.Errorf("%d fares, %d bad rows, fault %v", r.Fares, r.BadTotal, r.Fault)
			}
			// Every fare that was kept is one that was told: no line was cut and still read.
			for _, f := range all(t, p, "MIL").Fares {
				i := f.Found - time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC).Unix()
				if want := fare.Cents((10+i*7919%500)*100 + i*104729%100); f.Route.Destination == "BUH" && f.Price != want {
					t.Fatalf("fare %d has price %d, want %d", i, f.Price, want)
				}
			}
		})
	}
}

// withRates takes every code for a city's and converts with the real rates.
var withRates = upstream.Comparable{CityOf: func(code string) (fare.City, bool) { return fare.City(code), true }, Rates: ecb.Table().On}

// TestRecordedPanels: nothing in the recorded panels is bad.
func TestRecordedPanels(t *testing.T) {
	folder := testenv.Data(t)
	tests := []struct {
		file        string
		rows, fares int
		origins     int
	}{
		{"eu_wizzair_2015_2016_full.csv.gz", 767_346, 767_346, 12},
		{"eu_wizzair_weekly.csv.gz", 107_642, 107_642, 12},
		{"travelpayouts_history_2026.csv.gz", 2_406, 0, 0}, // round trips
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			p, err := csvfile.Open(filepath.Join(folder, "fares", test.file), withRates)
			if err != nil {
				t.Fatal(err)
			}
			r := p.Report()
			origins, _ := p.Origins(t.Context())
			if r.Rows != test.rows || r.Fares != test.fares || r.BadTotal != 0 || r.Fault != nil || len(origins) != test.origins {
				t.Errorf("%d origins, report %+v", len(origins), r)
			}
		})
	}
}
