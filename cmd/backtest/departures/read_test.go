package departures

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/fare"
)

const header = "origin,destination,observed_date,depart_date,price,currency"

// In these invented rates, 1 euro is worth 2 US dollars.
func perEuro(fare.Day) func(float64, string) (fare.Cents, bool) {
	return func(amount float64, currency string) (fare.Cents, bool) {
		rate, ok := map[string]float64{"EUR": 1, "USD": 2}[currency]
		return fare.Cents(100 * amount / max(rate, 1)), ok
	}
}

func listed(t *Panel) (rows []string) {
	for _, q := range t.Rows {
		rows = append(rows, fmt.Sprintf("%s %s %d %d", t.Routes[q.Route], q.Day, q.Lead, q.Price))
	}
	return rows
}

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name, panel, price string
		rows               []string
		dropped            map[string]int
		trips, notes       int
	}{
		{
			name: "rows in any order, columns too, a time of day, further columns",
			panel: "note,price,depart_date,destination,origin,observed_date,currency\n" +
				"x,20.5,2026-01-09,BBB,AAA,2026-01-02,EUR\n,10,2026-01-09,BBB,AAA,2026-01-01T10:00:00Z,EUR\n",
			rows: []string{"AAA-BBB 2026-01-01 8 1000", "AAA-BBB 2026-01-02 7 2050"}, trips: 1,
		},
		{
			name:    "of several fares on a day the cheapest",
			panel:   header + "\nAAA,BBB,2026-01-01,2026-01-09,30,EUR\nAAA,BBB,2026-01-01,2026-01-09,10,EUR\nAAA,BBB,2026-01-01,2026-01-10,20,EUR\n",
			rows:    []string{"AAA-BBB 2026-01-01 8 1000", "AAA-BBB 2026-01-01 9 2000"},
			dropped: map[string]int{"a cheaper fare of the departure was seen that day": 1}, trips: 2,
		},
		{
			name: "what cannot be read is counted, and the rest is read",
			panel: header + "\nAAA,BBB,2026-01-40,2026-01-09,30,EUR\nAAA,BBB,2026-01-10,2026-01-09,30,EUR\nAAA,BBB,2026-01-01,2026-01-09,,EUR\n" +
				"AAA,BBB,2026-01-01,2026-01-09,-3,EUR\nAAA,BBB,2026-01-01,2026-01-09,NaN,EUR\nAAA,BBB\nAAA,\"B\"B,2026-01-01,2026-01-09,5,EUR\nAAA,BBB,2026-01-01,2026-01-09,5,EUR\n",
			rows:    []string{"AAA-BBB 2026-01-01 8 500"},
			dropped: map[string]int{"malformed day": 2, "after departure": 1, "no price": 3, "malformed": 1}, trips: 1,
		},
		{
			name: "a round trip is left out, unless it has an outbound price",
			panel: header + ",return_date,outbound_price\nAAA,BBB,2026-01-01,2026-01-09,30,EUR,2026-01-12,12\nAAA,BBB,2026-01-01,2026-01-09,9,EUR,2026-01-12,\n" +
				"AAA,BBB,2026-01-01,2026-01-09,33,EUR,,\n",
			rows:    []string{"AAA-BBB 2026-01-01 8 1200"},
			dropped: map[string]int{"round trip": 1, "a cheaper fare of the departure was seen that day": 1}, trips: 1, notes: 1,
		},
		{
			name: "a column that is named is taken, whatever return_date says", price: "outbound_price",
			panel: header + ",return_date,outbound_price\nAAA,BBB,2026-01-01,2026-01-09,30,EUR,2026-01-12,12\n",
			rows:  []string{"AAA-BBB 2026-01-01 8 1200"}, trips: 1,
		},
		{
			name: "a route of one currency stays as quoted, a mixture is converted",
			panel: header + "\nAAA,BBB,2026-01-01,2026-01-09,30,USD\nAAA,CCC,2026-01-01,2026-01-09,30,USD\nAAA,CCC,2026-01-02,2026-01-09,30,EUR\n" +
				"AAA,CCC,2026-01-03,2026-01-09,30,XXX\n",
			rows:    []string{"AAA-BBB 2026-01-01 8 3000", "AAA-CCC 2026-01-01 8 1500", "AAA-CCC 2026-01-02 7 3000"},
			dropped: map[string]int{"no rate of its currency": 1}, trips: 2, notes: 1,
		},
		{
			name:  "flights without a calendar, all over the same days, follow one another",
			panel: "route,flight,tdate,days_before,fare_usd,dow\nAAA_BBB,7,0,1,203,4\nAAA_BBB,7,1,0,205,4\nAAA_BBB,8,0,1,300,5\n",
			rows: []string{"AAA_BBB 1970-01-01 1 20300", "AAA_BBB 1970-01-02 0 20500",
				"AAA_BBB 1970-01-02 1 30000"}, trips: 2, notes: 1,
		},
		{
			name:  "flights without a calendar that leave on different days stay where they are",
			panel: "route,flight,tdate,days_before,fare_usd\nAAA_BBB,7,0,1,203\nAAA_BBB,8,0,4,300\n",
			rows:  []string{"AAA_BBB 1970-01-01 1 20300", "AAA_BBB 1970-01-01 4 30000"}, trips: 2,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var zipped bytes.Buffer
			w := gzip.NewWriter(&zipped)
			w.Write([]byte(c.panel))
			w.Close()
			for _, in := range []string{c.panel, zipped.String(), "\ufeff" + c.panel} {
				got, err := read(strings.NewReader(in), c.price, perEuro)
				if err != nil {
					t.Fatal(err)
				}
				if c.dropped == nil {
					c.dropped = map[string]int{}
				}
				if diff := cmp.Diff(c.rows, listed(got)); diff != "" {
					t.Error(diff)
				}
				if diff := cmp.Diff(c.dropped, got.Dropped); diff != "" {
					t.Error(diff)
				}
				if got.Departures != c.trips || len(got.Notes) != c.notes {
					t.Errorf("%d departures, notes %q", got.Departures, got.Notes)
				}
			}
		})
	}
}

func TestRead_Refuses(t *testing.T) {
	for _, c := range []struct{ name, panel, price, want string }{
		{"an empty file", "", "", "empty file"},
		{"no price", "origin,destination,observed_date,depart_date\n", "", "header lacks price"},
		{"no such column", header + "\n", "one_way", "header lacks one_way"},
		{"no route", "observed_date,depart_date,price\n", "", "header lacks origin and destination"},
		{"no days", "origin,destination,price,observed_date\n", "", "header lacks observed_date and depart_date"},
		{"no rows", header + "\n", "", "none of 0 rows"},
		{"only bad rows", header + "\nAAA,BBB,yesterday,2026-01-01,5,EUR\n", "", "malformed day:1"},
		{"cut gzip", "\x1f\x8b\x08", "", "un-gzip"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := read(strings.NewReader(c.panel), c.price, perEuro)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}
