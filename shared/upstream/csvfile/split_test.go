package csvfile

import (
	"encoding/csv"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/fare"
	"verdetto/shared/upstream"
)

func FuzzSplit(f *testing.F) {
	for _, seed := range []string{"a,b", `"a","b,c"`, `"a""b",`, `,,`, `"`, `a"b`, `"a"b`, `""`, `"",""`, "a,\"b\"\r",
		`"""`, `" a" ,b`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if strings.ContainsAny(line, "\r\n") || line == "" {
			return
		}
		reader := csv.NewReader(strings.NewReader(line + "\n"))
		want, wantErr := reader.Read()
		fields, err := split([]byte(line), ',', nil)
		if (err != nil) != (wantErr != nil) {
			t.Fatalf("%q: error %v, want %v", line, err, wantErr)
		}
		if err != nil {
			return
		}
		var got []string
		for _, field := range fields {
			got = append(got, string(field))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", line, diff)
		}
	})
}

// At 40 bytes each, maxRows fares take 800 MB.
func TestFareIsSmall(t *testing.T) {
	if size := reflect.TypeFor[fare.Observation]().Size(); size != 40 {
		t.Errorf("a fare takes %d bytes, want 40", size)
	}
}

func FuzzRead(f *testing.F) {
	const header = "origin,destination,observed_date,depart_date,price,currency,return_date,stops\n"
	for _, seed := range []string{
		"", header, header + "MIL,BUH,2026-01-02,2026-02-03,19.99,EUR,\n",
		header + "MIL,BUH,0000-01-01,9999-12-31,0.004,EUR\n\n\"",
		header + "LON,BUD,2026-01-02,2026-02-03,9.99,GBP,2026-02-10,1\n" +
			"LON,BUD,2026-01-02,2026-02-03,9.99,GBP,1970-01-01,-1\n",
		"\ufeff" + header + "MIL,BUH,2026-01-02T10:00:00.5+14:00,2026-02-03,1,GBP,x\r\n",
		"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff",
	} {
		f.Add(seed)
	}
	comparable := upstream.Comparable{
		CityOf: func(code string) (fare.City, bool) { city, err := fare.ParseCity(code); return city, err == nil },
		Rates:  func(fare.Day) fare.Rates { return fare.Rates{PerEuro: map[string]float64{"GBP": 0.8, "IDR": 20_000}} },
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Read(strings.NewReader(text), comparable, "")
		if err != nil {
			return
		}
		r := p.Report()
		origins, _ := p.Origins(t.Context())
		fares, returns, dropped := 0, 0, 0
		for _, origin := range origins {
			answer, err := p.Fares(t.Context(), origin, time.Time{}, time.Unix(1<<40, 0))
			if err != nil {
				t.Fatal(err)
			}
			fares += len(answer.Fares)
			for _, x := range answer.Fares {
				if x.Price <= 0 || x.Price > 20_000*fare.MaxPrice || x.Depart < x.FoundDay() || x.Found < 0 ||
					x.Nights < 0 || x.Nights > fare.MaxNights || x.Route.Origin != origin {
					t.Errorf("fare %+v", x)
				}
				if x.Nights > 0 {
					returns++
				}
			}
		}
		for _, n := range r.Dropped {
			dropped += n
		}
		if fares != r.Fares || returns != r.Returns || r.Fares+r.Duplicates+dropped != r.Rows || r.BadTotal > dropped ||
			(r.Usable() == nil) != (fares > 0) {
			t.Errorf("%d fares; report %+v", fares, r)
		}
	})
}

func TestTextIsLimited(t *testing.T) {
	text, err := io.ReadAll(&limited{strings.NewReader("a panel"), 3})
	if string(text) != "a p" || err == nil || !strings.Contains(err.Error(), "more than 4000 MB of text") {
		t.Errorf("%q, %v", text, err)
	}
}
