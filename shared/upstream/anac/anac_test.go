package anac_test

import (
	"archive/zip"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/fare"
	"verdetto/shared/fare/paid"
	"verdetto/shared/fare/places"
	"verdetto/shared/upstream"
	"verdetto/shared/upstream/anac"
)

const (
	header = "ANO;MES;EMPRESA;ORIGEM;DESTINO;TARIFA;ASSENTOS\n"
	later  = "nr_ano_referencia;nr_mes_referencia;sg_empresa_icao;sg_icao_origem;sg_icao_destino;" +
		"nr_tarifa;nr_assentos\n"
	march = paid.Month(12*2026 + 2)
)

// read reads a file of invented rows.
func read(t *testing.T, texts ...string) (r anac.Record, err error) {
	t.Helper()
	r.Newest = march
	for i, text := range texts {
		err = errors.Join(err, r.Read(string(rune('a'+i))+".csv", strings.NewReader(text), nil))
	}
	return r, err
}

// TestForms: both headers, decimal commas and points, quotes, a mark at the start, Windows line ends
// and further columns are read alike. Airports are taken together by city.
func TestForms(t *testing.T) {
	want := map[fare.City]paid.Origin{
		"SAO": {Source: "anac", Currency: "BRL", Routes: []paid.Route{{Destination: "RIO",
			Months: []paid.Sum{{Month: march, Seats: 4, Total: 3*28_450 + 100_000}}}}},
	}
	for name, text := range map[string]string{
		"Portuguese": header + "2026;3;AAA;SBGR;SBGL;284,50;3\n2026;3;AAA;SBSP;SBRJ;1.000,00;1\n",
		"of later":   later + "2026;3;AAA;SBGR;SBGL;284.5;3\n2026;3;AAA;SBSP;SBRJ;1000.0;1\n",
		"of Windows": "\ufeff" + strings.ReplaceAll(header+
			"2026;03;AAA;SBGR;SBGL;284,5;3\n2026;3;AAA;SBSP;SBRJ;1000;1", "\n", "\r\n"),
		"with quotes": `"ANO";"MES";"ORIGEM";"DESTINO";"TARIFA";"ASSENTOS"` + "\n" +
			`"2026";"3";"SBGR";"SBGL";"284,50";"3"` + "\n2026;3;SBSP;SBRJ;1000,00;1.0;more\n",
	} {
		r, err := read(t, text)
		if diff := cmp.Diff(want, r.Origins()); err != nil || diff != "" || len(r.Dropped) > 0 || r.Rows != 2 {
			t.Errorf("%s: %v, %d rows, %v\n%s", name, err, r.Rows, r.Dropped, diff)
		}
	}
}

// TestBadRows: a row that cannot count is counted by its reason.
func TestBadRows(t *testing.T) {
	for row, want := range map[string]upstream.Reason{
		"2026;3;AAA;SBGR;SBGL;284,50":          upstream.Malformed,
		"":                                     upstream.Malformed,
		"2026;13;AAA;SBGR;SBGL;284,50;3":       upstream.Malformed,
		"2026;março;AAA;SBGR;SBGL;284,50;3":    upstream.Malformed,
		"2026;3;AAA;SBGR;SBGL;x;3":             upstream.Malformed,
		"2026;3;AAA;SBGR;SBGL;NaN;3":           upstream.Malformed,
		"2026;3;AAA;SBGR;SBGL;284,50;1,5":      upstream.Malformed,
		"2026;3;AAA;SBGR;SBGL;284,50;1000000":  upstream.Malformed,
		"2026;4;AAA;SBGR;SBGL;284,50;3":        anac.LaterMonth,
		"2026;3;AAA;SBXX;SBGL;284,50;3":        upstream.UnknownPlace,
		"2026;3;AAA;GRU;GIG;284,50;3":          upstream.UnknownPlace,
		"2026;3;AAA;SBGR;KMIA;284,50;3":        upstream.UnknownPlace,
		"2026;3;AAA;SBGR;SBSP;284,50;3":        upstream.SamePlace,
		"2026;3;AAA;SBGR;SBGL;0;3":             upstream.BadPrice,
		"2026;3;AAA;SBGR;SBGL;-284,50;3":       upstream.BadPrice,
		"2026;3;AAA;SBGR;SBGL;284000000,50;3":  upstream.BadPrice,
		"2026;3;AAA;SBGR;SBGL;284,50;0":        anac.NoSeats,
		"2026;3;AAA;SBGR;SBGL;284,50;-1":       anac.NoSeats,
		`2026;3;AAA;"SBGR;SBGL;284,50;3` + "x": upstream.Malformed,
	} {
		good := "2026;3;AAA;SBGR;SBGL;100,00;1\n"
		r, err := read(t, header+row+"\n"+good)
		if err != nil || !maps.Equal(r.Dropped, map[upstream.Reason]int{want: 1}) || r.Rows != 2 || r.Routes() != 1 {
			t.Errorf("%s: %v, %d rows, left out %v; want %s", row, err, r.Rows, r.Dropped, want)
		}
	}
}

// TestFaults: a file of another form, a file without a usable row, and a month in two files.
func TestFaults(t *testing.T) {
	row := "2026;3;AAA;SBGR;SBGL;284,50;3\n"
	for _, c := range []struct {
		texts []string
		want  error
		says  string
	}{
		{[]string{""}, anac.ErrForm, "the header lacks ANO"},
		{[]string{"origin,destination,price\nMIL,BUH,30\n"}, anac.ErrForm, "the header lacks ANO"},
		{[]string{"ANO;MES;EMPRESA;ORIGEM;DESTINO;TARIFA\n"}, anac.ErrForm, "the header lacks ASSENTOS"},
		{[]string{strings.Repeat("x", 1<<17)}, anac.ErrForm, "more than"},
		{[]string{header + row + strings.Repeat("x", 1<<17)}, anac.ErrForm, "more than"},
		{[]string{header}, anac.ErrNothing, "0 rows"},
		{[]string{header + "2026;3;AAA;KJFK;KMIA;284,50;3\n"}, anac.ErrNothing, "1: place without a city"},
		{[]string{header + row, header + row}, anac.ErrTwice, "2026-03 is in a.csv and in b.csv"},
	} {
		if _, err := read(t, c.texts...); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%.40q: %v; want %v with %q", c.texts, err, c.want, c.says)
		}
	}
}

// TestMonths: the months of several files are those of the record.
func TestMonths(t *testing.T) {
	r, err := read(t, header+"2026;3;AAA;SBGR;SBGL;284,50;3\n2026;1;AAA;SBGR;SBGL;284,50;3\n",
		later+"2025;12;AAA;SBGL;SBGR;284.5;3\n")
	diff := cmp.Diff([]paid.Month{march - 3, march - 2, march}, r.Months())
	if err != nil || diff != "" || r.Routes() != 2 {
		t.Errorf("%v, %d routes %s", err, r.Routes(), diff)
	}
}

// TestOpen: a file is read as it is, or from an archive with one file. Other archives are refused.
func TestOpen(t *testing.T) {
	plain, err := os.ReadFile("testdata/200001.csv")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	archive := func(name string, members ...string) string {
		file, err := os.Create(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		z := zip.NewWriter(file)
		for _, m := range members {
			w, err := z.Create(m)
			if err == nil {
				_, err = w.Write(plain)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(z.Close(), file.Close()); err != nil {
			t.Fatal(err)
		}
		return file.Name()
	}
	cut := archive("cut.zip", "200001.CSV")
	if err := os.Truncate(cut, 100); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"testdata/200001.csv": "", archive("one.zip", "200001.CSV", "read.me"): "",
		archive("two.ZIP", "a.csv", "b.csv"): "holds 2 CSV files, want 1; unpack it",
		archive("none.zip"):                  "holds 0 CSV files",
		cut:                                  "fetch the file again",
		filepath.Join(folder, "missing.csv"): "no such file",
	} {
		var got []byte
		file, err := anac.Open(name)
		if err == nil {
			got, err = io.ReadAll(file)
			err = errors.Join(err, file.Close())
		}
		if want == "" && (err != nil || string(got) != string(plain)) {
			t.Errorf("%s: %v %q", name, err, got)
		}
		if want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

// TestAirports: the busy airports of Brazil are known, each with its city, and no airport is of
// another country.
func TestAirports(t *testing.T) {
	table, err := os.ReadFile("airports.tsv")
	if err != nil {
		t.Fatal(err)
	}
	cities := map[string]fare.City{}
	for line := range strings.Lines(string(table)) {
		icao, iata, _ := strings.Cut(strings.TrimSpace(line), "\t")
		city, _ := places.CityOf(iata)
		if p, ok := places.Get(city); !ok || p.Country != "BR" {
			t.Errorf("%s %s is of %q", icao, iata, city)
		}
		cities[icao] = city
	}
	for icao, want := range map[string]fare.City{"SBGR": "SAO", "SBSP": "SAO", "SBKP": "SAO",
		"SBGL": "RIO", "SBRJ": "RIO",
		"SBBR": "BSB", "SBCF": "BHZ", "SBRF": "REC", "SBSV": "SSA", "SBFZ": "FOR", "SBPA": "POA", "SBCT": "CWB",
		"SBEG": "MAO", "SBBE": "BEL", "SBSG": "NAT"} {
		if cities[icao] != want {
			t.Errorf("%s: %s, want %s", icao, cities[icao], want)
		}
	}
}
