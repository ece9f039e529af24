package analisi_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/functions/analisi"
	"verdetto/functions/analisi/analisitest"
	"verdetto/shared/fare"
)

type counted struct {
	analisitest.Coverage
	covered, trends int
	err             error
}

func (c *counted) Covered(ctx context.Context, after fare.City, limit int) ([]fare.City, error) {
	if c.covered++; c.err != nil {
		return nil, c.err
	}
	return c.Coverage.Covered(ctx, after, limit)
}

func (c *counted) Trends(ctx context.Context, origin fare.City) ([]byte, int64, error) {
	c.trends++
	return c.Coverage.Trends(ctx, origin)
}

// The store has fares from Milan to London and Bucharest, and from Rome to London.
func TestCities(t *testing.T) {
	yes, no := new(bool), new(bool)
	*yes = true
	city := func(code, name, country string, covered *bool) analisi.Offered {
		return analisi.Offered{Codice: code, Nome: name, Paese: country, Domanda: name, Seguita: covered}
	}
	for _, c := range []struct {
		name, query string
		status      int
		want        []analisi.Offered // the first ones
		all         int               // how many there are; 0: does not matter
	}{
		{"in Italian", "q=mila", 200, []analisi.Offered{city("MIL", "Milano", "IT", yes)}, 0},
		{"in English", "q=mila&lang=en", 200, []analisi.Offered{city("MIL", "Milan", "IT", yes)}, 0},
		{"in German", "q=mila&lang=de", 200, []analisi.Offered{city("MIL", "Mailand", "IT", yes)}, 0},
		{"by another name", "q=BUKARES", 200, []analisi.Offered{city("BUH", "Bucarest", "RO", no)}, 0},
		{"those that there are fares from come first", "q=r", 200,
			[]analisi.Offered{city("ROM", "Roma", "IT", yes)}, 8},
		{"but after what was typed in full", "q=rio de janeiro", 200,
			[]analisi.Offered{city("RIO", "Rio de Janeiro", "BR", no)}, 0},
		{"a destination", "q=buca&origine=milano", 200, []analisi.Offered{city("BUH", "Bucarest", "RO", yes)}, 0},
		{"a destination that there are no fares to", "q=buca&origine=ROM", 200,
			[]analisi.Offered{city("BUH", "Bucarest", "RO", no)}, 0},
		{"a destination from where there are none", "q=buca&origine=Parigi", 200,
			[]analisi.Offered{city("BUH", "Bucarest", "RO", no)}, 0},
		{"a destination from an unknown origin", "q=buca&origine=Atlantide", 200,
			[]analisi.Offered{city("BUH", "Bucarest", "RO", nil)}, 0},
		{"nothing typed: where there are fares from", "", 200,
			[]analisi.Offered{city("MIL", "Milano", "IT", yes), city("ROM", "Roma", "IT", yes)}, 2},
		{"nothing typed: where people fly to", "q=&origine=Milano&lang=en", 200,
			[]analisi.Offered{city("LON", "London", "GB", yes), city("BUH", "Bucharest", "RO", yes)}, 2},
		{"a typing error", "q=Lonfra&origine=Milano", 200, []analisi.Offered{city("LON", "Londra", "GB", yes)}, 0},
		{"a country: its cities, first those with fares", "q=regno&origine=Milano", 200,
			[]analisi.Offered{city("LON", "Londra", "GB", yes)}, 8},
		{"by traffic from the origin, not from anywhere", "q=europ&origine=Milano&lang=en", 200,
			[]analisi.Offered{city("LON", "London", "GB", yes), city("BUH", "Bucharest", "RO", yes)}, 8},
		{"a name of the language before a busier foreign one", "q=gen", 200,
			[]analisi.Offered{city("GOA", "Genova", "IT", no)}, 0},
		{"a country in another language", "q=romania&origine=Milano&lang=de", 200,
			[]analisi.Offered{city("BUH", "Bukarest", "RO", yes)}, 8},
		{"a country is no typing error", "q=spain&lang=de", 200,
			[]analisi.Offered{city("BCN", "Barcelona", "ES", no)}, 8},
		{"a city before a suburb of a busier one", "q=b&lang=de", 200,
			[]analisi.Offered{city("MIL", "Bergamo", "IT", yes), city("BKK", "Bangkok", "TH", no)}, 8},
		{"nothing", "q=qqqq", 200, nil, 0},
		{"no such language", "q=mila&lang=xx", 400, nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := analisitest.Get(t, analisitest.Site{Coverage: &counted{}}.Open(),
				"/v1/citta?"+strings.ReplaceAll(c.query, " ", "+"))
			var got analisi.Cities
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != c.status {
				t.Fatalf("%d %s %v", w.Code, w.Body, err)
			}
			if c.status == 200 && (got.Citta == nil || w.Header().Get("Cache-Control") != "public, s-maxage=86400") {
				t.Errorf("%v %s", w.Header(), w.Body)
			}
			if len(c.want) > len(got.Citta) || c.all > 0 && len(got.Citta) != c.all {
				t.Fatalf("%s", w.Body)
			}
			if diff := cmp.Diff(c.want, append([]analisi.Offered(nil), got.Citta[:len(c.want)]...)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Each list of covered cities is read once per hour. If a read fails, the service uses the last
// list, or without one still suggests city names.
func TestCoveredCitiesAreCached(t *testing.T) {
	c, now := &counted{}, analisitest.Today
	h := analisitest.Site{Coverage: c, Now: func() time.Time { return now }}.Open()
	ask := func(query string, marked bool) {
		t.Helper()
		w := analisitest.Get(t, h, "/v1/citta?"+query)
		var got analisi.Cities
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 200 || len(got.Citta) == 0 ||
			(got.Citta[0].Seguita != nil) != marked {
			t.Fatalf("%d %s %v", w.Code, w.Body, err)
		}
	}
	for range 3 {
		ask("q=mila", true)
		ask("q=buca&origine=Milano", true)
		ask("q=buca&origine=Roma", true)
		ask("q=buca&origine=Parigi", true) // not covered, so nothing is read
	}
	if c.covered != 1 || c.trends != 2 {
		t.Errorf("%d lists of origins and %d of destinations were read", c.covered, c.trends)
	}
	now = now.Add(time.Hour)
	c.err = errors.New("storage is down")
	ask("q=mila", true)
	ask("q=buca&origine=Milano", true)
	c.err = nil
	ask("q=mila", true)
	if c.covered != 4 || c.trends != 3 {
		t.Errorf("after an hour %d lists of origins and %d of destinations", c.covered, c.trends)
	}
	h = analisitest.Site{
		Coverage: &counted{err: errors.New("storage is down")}, Now: func() time.Time { return now },
	}.Open()
	ask("q=mila", false)
	ask("q=buca&origine=Milano", false)
}
