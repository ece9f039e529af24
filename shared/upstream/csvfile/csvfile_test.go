package csvfile_test

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/unicode"

	"verdetto/shared/architecture/testenv"
	"verdetto/shared/fare"
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
	Rates: func(fare.Day) fare.Rates { return fare.Rates{PerEuro: map[string]float64{"GBP": 0.8, "IDR": 20_000}} },
}

const header = "origin,destination,observed_date,depart_date,price,currency\n"

func read(t *testing.T, text string) *csvfile.Panel {
	t.Helper()
	p, err := csvfile.Read(strings.NewReader(text), comparable, "")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func lines(fares []fare.Fare) []string {
	var lines []string
	for _, f := range fares {
		found := time.Unix(f.Found, 0).UTC().Format(time.RFC3339)
		if f.DayOnly {
			found = strings.TrimSuffix(found, "T00:00:00Z")
		}
		line := fmt.Sprintf("%s found %s departs %s at %d %s", f.Route, found, f.Depart, f.Price, f.Currency)
		if n, known := f.Stops.Number(); known {
			line += fmt.Sprintf(", stops %d", n)
		}
		if f.Nights > 0 {
			line += fmt.Sprintf(", back %s", f.Return())
		}
		lines = append(lines, line)
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
	const one = "MIL-BUH found 2026-01-02 departs 2026-02-03 at 1999 EUR"
	tests := []struct {
		name, text string
		want       []string
	}{
		{"plain", header + "MIL,BUH,2026-01-02,2026-02-03,19.99,EUR\n", []string{one}},
		{"byte order mark", "\ufeff" + header + "MIL,BUH,2026-01-02,2026-02-03,19.99,EUR\n", []string{one}},
		{"CRLF", strings.ReplaceAll(header+"MIL,BUH,2026-01-02,2026-02-03,19.99,EUR\n", "\n", "\r\n"), []string{one}},
		{"no end of line", header + "MIL,BUH,2026-01-02,2026-02-03,19.99,EUR", []string{one}},
		{"blank lines", header + "\nMIL,BUH,2026-01-02,2026-02-03,19.99,EUR\n\r\n  \n\n", []string{one}},
		{"quoted", `"origin","destination","observed_date","depart_date","price","currency"` + "\n" +
			`"MIL","BUH","2026-01-02","2026-02-03","19.99","EUR"` + "\n", []string{one}},
		{"another order and further columns", "note,Currency, price,depart_date,observed_date,destination,origin,x\n" +
			`"a ""quoted"", note",EUR,19.99,2026-02-03,2026-01-02,BUH,MIL,` + "\n", []string{one}},
		{"airport, lower case", header + "bgy,buh,2026-01-02,2026-02-03,19.99,eur\n", []string{one}},
		{"as quoted in another currency", header + "MIL,BUH,2026-01-02,2026-02-03,15.992,GBP\n",
			[]string{"MIL-BUH found 2026-01-02 departs 2026-02-03 at 1599 GBP"}},
		{"amounts beyond 32 bits", header + "MIL,BUH,2026-01-02,2026-02-03,1999999999,IDR\n",
			[]string{"MIL-BUH found 2026-01-02 departs 2026-02-03 at 199999999900 IDR"}},
		{"observed with a time", header + "MIL,BUH,2026-01-02T01:30:00+01:30,2026-02-03,19.99,EUR\n",
			[]string{"MIL-BUH found 2026-01-02T00:00:00Z departs 2026-02-03 at 1999 EUR"}},
		{"observed with a time and no zone", header + "MIL,BUH,2026-01-02 10:00:00,2026-02-03,19.99,EUR\n",
			[]string{"MIL-BUH found 2026-01-02T10:00:00Z departs 2026-02-03 at 1999 EUR"}},
		{"stops", strings.Replace(header, "\n", ",Stops\n", 1) +
			"MIL,BUH,2026-01-02,2026-02-03,19.99,EUR,0\nMIL,BUH,2026-01-02,2026-02-03,14.99,EUR,1\n" +
			"MIL,BUH,2026-01-02,2026-02-03,9.99,EUR,7\nMIL,BUH,2026-01-02,2026-02-03,29.99,EUR,\nMIL,BUH,2026-01-02,2026-02-03,39.99,EUR\n",
			[]string{
				"MIL-BUH found 2026-01-02 departs 2026-02-03 at 999 EUR, stops 2",
				"MIL-BUH found 2026-01-02 departs 2026-02-03 at 1499 EUR, stops 1",
				"MIL-BUH found 2026-01-02 departs 2026-02-03 at 1999 EUR, stops 0",
				"MIL-BUH found 2026-01-02 departs 2026-02-03 at 2999 EUR",
				"MIL-BUH found 2026-01-02 departs 2026-02-03 at 3999 EUR",
			}},
		{"returns, whose price is for both ways",
			strings.Replace(header, "\n", ",return_date\n", 1) + "MIL,BUH,2026-01-02,2026-02-03,80,EUR,2026-02-10\n" +
				"MIL,BUH,2026-01-02,2026-02-03,80,EUR,2026-02-04\nMIL,BUH,2026-01-02,2026-02-03,80,EUR,\n",
			[]string{
				"MIL-BUH found 2026-01-02 departs 2026-02-03 at 8000 EUR",
				"MIL-BUH found 2026-01-02 departs 2026-02-03 at 8000 EUR, back 2026-02-04",
				"MIL-BUH found 2026-01-02 departs 2026-02-03 at 8000 EUR, back 2026-02-10",
			}},
		{"duplicates", header + strings.Repeat("MIL,BUH,2026-01-02,2026-02-03,19.99,EUR\n", 3), []string{one}},
		{"empty return date",
			"origin,destination,observed_date,depart_date,price,currency,return_date\nMIL,BUH,2026-01-02,2026-02-03,19.99,EUR,\n" +
				"MIL,BUH,2026-01-02,2026-02-03,19.99,EUR\n", []string{one}},
		{"header alone", header, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := read(t, test.text)
			if diff := cmp.Diff(test.want, lines(all(t, p, "MIL").Fares)); diff != "" {
				t.Error(diff)
			}
			if r := p.Report(); r.BadTotal != 0 || r.Fault != nil || r.Fares != len(test.want) ||
				r.Rows != r.Fares+r.Duplicates {
				t.Errorf("report %+v", r)
			}
		})
	}
}

func TestReadDialects(t *testing.T) {
	const one = "MIL-BUH found 2026-01-02 departs 2026-12-31 at 4550 EUR"
	utf16 := func(order unicode.Endianness, text string) string {
		encoded, err := unicode.UTF16(order, unicode.UseBOM).NewEncoder().String(text)
		if err != nil {
			t.Fatal(err)
		}
		return encoded
	}
	semicolons := strings.ReplaceAll(header, ",", ";")
	for _, c := range []struct {
		name, text, reading string
		want                []string
	}{
		{"semicolons, decimal commas and dots", semicolons + "MIL;BUH;02.01.2026;31.12.2026;45,50;EUR\n",
			`days with .: "02.01.2026" as 2026-01-02 (line 2)`, []string{one}},
		{"tabs, and the sign before the price", strings.ReplaceAll(header, ",", "\t") + "MIL\tBUH\t2026-01-02\t2026-12-31\t€45.50\tEUR\n",
			`prices: "€45.50" as 45.50 EUR (line 2)`, []string{one}},
		{"UTF-16, little endian", utf16(unicode.LittleEndian, semicolons+"MIL;BUH;2026-01-02;2026-12-31;45,50 €;EUR\r\n"),
			`prices: "45,50 €" as 45.50 EUR (line 2)`, []string{one}},
		{"UTF-16, big endian", utf16(unicode.BigEndian, header+"MIL,BUH,2026-01-02,2026-12-31,45.50,EUR\n"), "", []string{one}},
		{"UTF-16 without a byte order mark", utf16(unicode.LittleEndian, header+"MIL,BUH,2026-01-02,2026-12-31,45.50,EUR\n")[2:], "", []string{one}},
		{"Windows-1252, and no column of currencies", "von;nach;gesehen;abflug;Preis\r\nMIL;BUH;2026-01-02;2026-12-31;45,50\xa0\x80\r\n",
			`prices: "45,50\u00a0€" as 45.50 EUR (line 2)`, []string{one}},
		{"other names of columns", "From,To,Search Date,Departure Date,Fare,Currency Code\nMIL,BUH,2026-01-02,2026-12-31,45.50,€\n", "", []string{one}},
		{"a separator named for Excel", "sep=;\n" + semicolons + "MIL;BUH;2026-01-02;2026-12-31;45.50;EUR\n", "", []string{one}},
		{"the day first, shown by a later line", header +
			"MIL,BUH,02/01/2026,03/04/2026,9.99,EUR\nMIL,BUH,02/01/2026,31/12/2026,45.50,EUR\n",
			`days with /: "31/12/2026" as 2026-12-31 (line 3)`,
			[]string{"MIL-BUH found 2026-01-02 departs 2026-04-03 at 999 EUR", one}},
		{"the month first, with times", header + "MIL,BUH,1/2/2026 3:04 PM,12/31/2026 10:00,45.50,EUR\n",
			`days with /: "12/31/2026 10:00" as 2026-12-31 (line 2)`,
			[]string{"MIL-BUH found 2026-01-02T15:04:00Z departs 2026-12-31 at 4550 EUR"}},
		{"days in eight figures, after blank lines", "\n \n" + header + "MIL,BUH,20260102,20261231,45.50,EUR\n", "", []string{one}},
		{"columns with accents and a unit", "Origine;Destinazione;Trovato il;Data di partenza;Prezzo (tutto compreso);Währung\nMIL;BUH;02.01.2026;31.12.2026;45,50;EUR\n",
			`days with .: "02.01.2026" as 2026-01-02 (line 2)`, []string{one}},
		{"the month in words", header + "MIL,BUH,2 Jan 2026,31-Dec-2026,45.50,EUR\n",
			`days in words: "2 Jan 2026" as 2026-01-02 (line 2)`, []string{one}},
		{"ISO with a space, minutes and a zone", header + "MIL,BUH,2026-01-02 00:30:00+01,2026-12-31T08:00,45.50 eur,EUR\n",
			`prices: "45.50 eur" as 45.50 EUR (line 2)`, []string{"MIL-BUH found 2026-01-01T23:30:00Z departs 2026-12-31 at 4550 EUR"}},
		{"thousands by dots, shown by a decimal comma", semicolons +
			"MIL;BUH;2026-01-02;2026-12-31;1.234;EUR\nMIL;BUH;2026-01-02;2026-12-31;45,50;EUR\n",
			`prices: "45,50" as 45.50 EUR (line 3)`,
			[]string{one, "MIL-BUH found 2026-01-02 departs 2026-12-31 at 123400 EUR"}},
		{"thousands by commas and by spaces", header +
			"MIL,BUH,2026-01-02,2026-12-31,45.50,EUR\nMIL,BUH,2026-01-02,2026-12-31,\"1,234\",EUR\nMIL,BUH,2026-01-02,2026-12-31,2 345.60,EUR\n",
			`prices: "1,234" as 1234.00 EUR (line 3)`,
			[]string{one, "MIL-BUH found 2026-01-02 departs 2026-12-31 at 123400 EUR", "MIL-BUH found 2026-01-02 departs 2026-12-31 at 234560 EUR"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := read(t, c.text)
			if diff := cmp.Diff(c.want, lines(all(t, p, "MIL").Fares)); diff != "" {
				t.Error(diff)
			}
			if r := p.Report(); r.BadTotal != 0 || c.reading != "" && !slices.Contains(r.Readings, c.reading) {
				t.Errorf("report %+v", r)
			}
		})
	}
}

func TestReadDialects_Fails(t *testing.T) {
	row := func(day, price string) string { return "MIL;BUH;2026-01-02;" + day + ";" + price + ";EUR\n" }
	semicolons := strings.ReplaceAll(header, ",", ";")
	for _, c := range []struct{ name, text, want string }{
		{"the order of day and month", semicolons + row("03/04/2026", "45"),
			`line 2: depart_date "03/04/2026": want a day as YYYY-MM-DD: this can be 2026-04-03 or 2026-03-04, and other lines do not tell`},
		{"both orders", semicolons + row("31/12/2026", "45") + row("12/31/2026", "45") + row("03/04/2026", "45"),
			`line 4: depart_date "03/04/2026": want a day as YYYY-MM-DD: this can be 2026-04-03 or 2026-03-04, and other lines do not tell`},
		{"a line that contradicts what was read", semicolons + row("31/12/2026", "45") + row("03/04/2026", "45") + row("12/31/2026", "45"),
			"line 2 has the day first and line 4 the month first, so that the day of line 3 is uncertain: write days as YYYY-MM-DD"},
		{"three digits", semicolons + row("2026-04-03", "1.234"),
			`line 2: price "1.234": want a decimal number, such as 45.50; no line tells whether the three digits are thousands`},
		{"a day in words", strings.Replace(semicolons, "depart_date", "Abflug", 1) + row("morgen", "45"),
			`line 2: Abflug "morgen": want a day as YYYY-MM-DD`},
		{"another currency beside the price", semicolons + row("2026-04-03", "£45"),
			`line 2: price "£45": is not in EUR, the currency beside it`},
		{"two columns", "from;origin_city;to;observed;depart;price;currency\n",
			"header has two columns that may be origin, from and origin_city: name one of them origin"},
		{"one of several fares", "from;to;observed;depart;fare;total_fare;outbound_fare;currency\n", "header lacks price"},
		{"a column with another name", "origin,destination,wann,depart_date,price,currency\n",
			"header lacks observed_date: want origin, destination, observed_date, depart_date, price, currency; the first line names wann instead"},
		{"no such day", semicolons + row("2026-04-31", "45"), `line 2: depart_date "2026-04-31": want a day as YYYY-MM-DD that the calendar has`},
		{"one day for two columns", "from;to;date;price;currency\n", "header lacks observed_date, depart_date"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := csvfile.Read(strings.NewReader(c.text), comparable, "")
			got := fmt.Sprint(err)
			if err == nil {
				got = fmt.Sprint(p.Report().Bad)
			}
			if !strings.Contains(got, c.want) {
				t.Errorf("%s\nwant %s", got, c.want)
			}
		})
	}
}

func TestPrice(t *testing.T) {
	const text = "origin,destination,observed_date,depart_date,price,currency,return_date,outbound_price\n" +
		"MIL,BUH,2026-01-01,2026-02-01,164,EUR,2026-02-08,64.00\n" +
		"MIL,BUH,2026-01-02,2026-02-01,90,EUR,,40.50\n" +
		"MIL,BUH,2026-01-03,2026-02-01,90,EUR,2026-02-08,\n"
	for _, c := range []struct {
		name, column string
		want         []string
		bad          int
	}{
		{"as it stands", "", []string{
			"MIL-BUH found 2026-01-01 departs 2026-02-01 at 16400 EUR, back 2026-02-08",
			"MIL-BUH found 2026-01-02 departs 2026-02-01 at 9000 EUR",
			"MIL-BUH found 2026-01-03 departs 2026-02-01 at 9000 EUR, back 2026-02-08",
		}, 0},
		{"another column", "outbound_price", []string{
			"MIL-BUH found 2026-01-01 departs 2026-02-01 at 6400 EUR",
			"MIL-BUH found 2026-01-02 departs 2026-02-01 at 4050 EUR",
		}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := csvfile.Read(strings.NewReader(text), comparable, c.column)
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
	_, err := csvfile.Read(strings.NewReader(text), comparable, "inbound")
	if err == nil || !strings.Contains(err.Error(),
		"header lacks inbound: want origin, destination, observed_date, depart_date, inbound, currency") {
		t.Errorf("a column that is not there: %v", err)
	}
}

func TestReadRefuses(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"empty", "", "origin, destination, observed_date"},
		{"a byte order mark alone", "\ufeff", "empty file: want a header with origin"},
		{"blank lines alone", "\n\n", "empty file: want a header with origin"},
		{"no header", "MIL,BUH,2026-01-01,2026-02-01,164,EUR\n", "; the first line names MIL, BUH, 2026-01-01, 2026-02-01, 164, EUR instead"},
		{"missing columns", "origin,destination,observed_date,notes\n", "lacks depart_date, price, currency"},
		{"a column twice", "origin,origin,destination,observed_date,depart_date,price,currency\n", "origin twice"},
		{"a header without end", strings.Repeat("x", 1<<20), "longer than"},
		{"a broken quote", `"origin,destination` + "\n", "quotation"},
		{"no price, but a column like it", strings.Replace(header, "price", "outbound_price,inbound_price,total_price",
			1),
			"header lacks price: want origin, destination, observed_date, depart_date, price, currency; or take the fare from another column: -price outbound_price"},
		{"gzip of nothing", "\x1f\x8b", "archive is damaged: it ends too early; fetch the file again"},
		{"gzip with a wrong header", "\x1f\x8b\x09\x00\x00\x00\x00\x00\x00\xff",
			"archive is damaged: its header is none of gzip's"},
		{"gzip cut in the header of the panel", string(zip(t, header)[:15]),
			"header: the gzip archive is damaged: it ends too early"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := csvfile.Read(strings.NewReader(test.text), comparable, "")
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want it to speak of %q", err, test.want)
			}
		})
	}
	if _, err := csvfile.Open(filepath.Join(t.TempDir(), "none.csv"), comparable, ""); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

func TestBadRowsAreReportedAndTheRestLoads(t *testing.T) {
	good := func(price string) string { return "MIL,BUH,2026-01-02,2026-02-03," + price + ",EUR,,0" }
	bad := []struct {
		row    string
		reason upstream.Reason
	}{
		{"MIL,BUH,2026-01-02,2026-02-30,19.99,EUR,,", csvfile.BadDate},
		{"MIL,BUH,yesterday,2026-02-03,19.99,EUR,,", csvfile.BadDate},
		{"MIL,BUH,,2026-02-03,19.99,EUR,,", csvfile.BadDate},
		{"MIL,BUH,1969-12-31,1970-01-01,19.99,EUR,,", csvfile.BadDate},
		{"MIL,BUH,1969-12-31T23:59:59Z,1970-01-01,19.99,EUR,,", csvfile.BadDate},
		{"MIL,BUH,2026-01-02,2026-02-03,19.99,EUR,soon,", csvfile.BadDate},
		{"MIL,BUH,2026-01-02,2026-02-03,19.99,EUR,2026-13-01,", csvfile.BadDate},
		{"MIL,BUH,2026-01-02", csvfile.FewFields},
		{"?", csvfile.FewFields},
		{"MIL,BUH,2026-01-02,2026-02-03,cheap,EUR,,", csvfile.BadNumber},
		{"MIL,BUH,2026-01-02,2026-02-03,NaN,EUR,,", csvfile.BadNumber},
		{"MIL,BUH,2026-01-02,2026-02-03,1e2,EUR,,", csvfile.BadNumber},
		{"MIL,BUH,2026-01-02,2026-02-03,,EUR,,", csvfile.BadNumber},
		{"Milano,BUH,2026-01-02,2026-02-03,19.99,EUR,,", csvfile.BadCode},
		{"MIL,B\x00H,2026-01-02,2026-02-03,19.99,EUR,,", csvfile.BadCode},
		{"MIL,BUH,2026-01-02,2026-02-03,19.99,$,,", csvfile.BadCode},
		{"MIL,BUH,2026-01-02,2026-02-03,19.99,,,", csvfile.BadNumber},
		{"MIL,BUH,2026-01-02,2026-02-03,$19.99,EUR,,", csvfile.BadNumber},
		{"MIL,BUH,2026-01-02,2026-02-03,19,99,EUR,,0", csvfile.ManyFields},
		{"MIL,BUH,tomorrow,2026-02-03,19.99,EUR,,", csvfile.BadDate},
		{"MIL,\"BUH,2026-01-02,2026-02-03,19.99,EUR,,", csvfile.StrayQuote},
		{"MIL,B\"UH,2026-01-02,2026-02-03,19.99,EUR,,", csvfile.StrayQuote},
		{"MIL,BUH,2026-01-02,2026-02-03,19.99,EUR,,-1", csvfile.BadStops},
		{"MIL,BUH,2026-01-02,2026-02-03,19.99,EUR,,none", csvfile.BadStops},
		{"MIL,BUH,2026-01-02,2026-02-03,19.99,EUR,," + strings.Repeat("x", 1<<20), csvfile.LongLine},
	}
	text := "origin,destination,observed_date,depart_date,price,currency,return_date,stops\n" + good("19.99") + "\n"
	want := map[upstream.Reason]int{}
	for _, b := range bad {
		text += b.row + "\n"
		want[b.reason]++
	}
	p := read(t, text+good("29.99")+"\n")
	if got := all(t, p, "MIL").Fares; len(got) != 2 {
		t.Errorf("fares %v", lines(got))
	}
	r := p.Report()
	if r.BadTotal != len(bad) || r.Rows != len(bad)+2 || r.Fares != 2 || !r.Partly() || r.Usable() != nil {
		t.Errorf("%d bad of %d rows, %d fares", r.BadTotal, r.Rows, r.Fares)
	}
	if diff := cmp.Diff(want, r.Dropped); diff != "" {
		t.Error(diff)
	}
	for i, row := range r.Bad {
		if row.Line != i+3 || row.Why == "" || len(row.Why) > 120 {
			t.Errorf("bad row %d: %v", i, row)
		}
	}

	many := read(t, header+strings.Repeat("x\n", 1000)).Report()
	if many.BadTotal != 1000 || len(many.Bad) != 20 || many.Dropped[csvfile.FewFields] != 1000 {
		t.Errorf("%d bad rows told of %d", len(many.Bad), many.BadTotal)
	}
}

func TestDropped(t *testing.T) {
	p := read(t, "origin,destination,observed_date,depart_date,price,currency,return_date\n"+
		"MIL,BUH,2026-01-02,2026-02-03,19.99,EUR,\n"+
		"MIL,BUH,2026-01-02,2026-02-03,19.99,EUR,2026-02-03\n"+
		"MIL,BUH,2026-01-02,2026-02-03,19.99,EUR,2026-02-02\n"+
		"MIL,BUH,2026-01-02,2026-02-03,19.99,EUR,2027-02-09\n"+
		"MIL,BUH,2026-01-02,2026-02-03,19.99,EUR,1970-01-01\n"+
		"MIL,BUH,2026-01-09,2026-01-03,19.99,EUR,\n"+
		"MIL,BGY,2026-01-02,2026-02-03,19.99,EUR,\n"+
		"QQQ,BUH,2026-01-02,2026-02-03,19.99,EUR,\n"+
		"MIL,BUH,2026-01-02,2026-02-03,-5,EUR,\n"+
		"ROM,BUH,2026-01-02,2026-02-03,19.99,XTS,\n")
	want := map[upstream.Reason]int{
		upstream.BadReturn: 2, upstream.LongStay: 1, upstream.RoundTrip: 1, upstream.Departed: 1,
		upstream.SamePlace: 1, upstream.UnknownPlace: 1, upstream.BadPrice: 1, upstream.NoRate: 1,
	}
	if diff := cmp.Diff(want, p.Report().Dropped); diff != "" {
		t.Error(diff)
	}
	if p.Report().Partly() {
		t.Error("rows that can be read are none that cannot")
	}
	answer, err := p.Fares(t.Context(), "MIL", time.Time{}, time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	want = map[upstream.Reason]int{upstream.BadReturn: 2, upstream.LongStay: 1, upstream.RoundTrip: 1,
		upstream.SamePlace: 1, upstream.BadPrice: 1}
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

var withRates = upstream.Comparable{CityOf: func(code string) (fare.City,
	bool) {
	return fare.City(code), true
}, Rates: ecb.Table().RatesOn}

func TestRecordedPanels(t *testing.T) {
	folder := testenv.Data(t)
	tests := []struct {
		file                 string
		rows, fares, returns int
		origins              int
	}{
		{"eu_wizzair_2015_2016_full.csv.gz", 767_346, 767_346, 0, 12},
		{"eu_wizzair_weekly.csv.gz", 107_642, 107_642, 0, 12},
		{"travelpayouts_history_2026.csv.gz", 2_406, 1_757, 1_757, 3},
		{"travelpayouts_daily_2025_2026.csv.gz", 197_505, 197_505, 0, 5},
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			p, err := csvfile.Open(filepath.Join(folder, "fares", test.file), withRates, "")
			if err != nil {
				t.Fatal(err)
			}
			r := p.Report()
			origins, _ := p.Origins(t.Context())
			if r.Rows != test.rows || r.Fares != test.fares || r.Returns != test.returns || r.BadTotal != 0 ||
				r.Fault != nil || len(origins) != test.origins {
				t.Errorf("%d origins, report %+v", len(origins), r)
			}
		})
	}
}
