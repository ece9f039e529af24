// Package counted recounts published numbers from recorded fares. It reads the files itself and
// shares no arithmetic with the service.
package counted

import (
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/shared/architecture/testenv"
	"verdetto/shared/fare/places"
)

// days holds the lowest fare of each day, in hundredths, by day and by route.
type days map[string]map[string]int64

// read returns the lowest fares of a panel on the days up to a day, without fares of departures
// that had left.
func read(t *testing.T, file, column, until string) days {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	rows := csv.NewReader(z)
	header, err := rows.Read()
	if err != nil {
		t.Fatal(err)
	}
	at := func(row []string, name string) string { return row[slices.Index(header, name)] }
	found := days{}
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			t.Fatal(err)
		}
		price, err := strconv.ParseFloat(at(row, column), 64)
		day := at(row, "observed_date")
		if err != nil || price <= 0 || day > until || at(row, "depart_date") < day {
			continue
		}
		from, known := places.CityOf(at(row, "origin"))
		to, alsoKnown := places.CityOf(at(row, "destination"))
		if !known || !alsoKnown {
			continue
		}
		route := string(from) + "-" + string(to)
		if found[route] == nil {
			found[route] = map[string]int64{}
		}
		cents := int64(math.Round(100 * price))
		if low, ok := found[route][day]; !ok || cents < low {
			found[route][day] = cents
		}
	}
}

type verdetto struct {
	Livello, Dal                                        string
	Percentile, GiorniInferiori, GiorniUguali, Campione int
	MedianaCent, MinimoCent, ScartoMedianaCent          int64
	Intervallo                                          struct{ Da, A int }
}

type answer struct {
	OrigineIata, DestinazioneIata string
	Verdetto                      verdetto
	Prezzo                        struct {
		Cent     int64
		Quotato  struct{ Importo float64 }
		Partenza string
	}
}

type trend struct {
	Destination, Level        string
	Percentile                *int
	MedianCents, MinimumCents *int64
}

// TestRoutes recounts the verdict of every route of four panels: days, percentile, level, median
// and minimum. Price trends must state the same.
func TestRoutes(t *testing.T) {
	data := testenv.Data(t)
	for _, panel := range []struct{ file, column, day string }{
		{"travelpayouts_daily_2025_2026", "price", "2026-07-01"},
		{"travelpayouts_history_2026", "outbound_price", "2026-08-20"},
		{"google2026", "price", "2026-07-22"},
		{"eu_wizzair_weekly", "price", "2016-04-04"},
	} {
		t.Run(panel.file, func(t *testing.T) {
			file := filepath.Join(data, "fares", panel.file+".csv.gz")
			today, err := time.Parse(time.DateOnly, panel.day)
			if err != nil {
				t.Fatal(err)
			}
			now := func() time.Time { return today.Add(12 * time.Hour) }
			source, partly, err := onemachine.OpenSource(t.Context(), "csv:"+file, panel.column,
				&onemachine.Options{Log: slog.New(slog.DiscardHandler)}, io.Discard)
			if err != nil || partly {
				t.Fatal(partly, err)
			}
			table := fixture.Bolt(t, now)
			fixture.Refreshed(t, table, source, now)
			service := fixture.Instance(t, table, source, now)
			judged, byLevel := 0, map[string]int{}
			for route, lows := range read(t, file, panel.column, panel.day) {
				var a answer
				if !get(t, service, "/v1/analisi", url.Values{"origine": {route[:3]}, "destinazione": {route[4:]}}, &a) ||
					a.Verdetto.Livello == "dati-insufficienti" {
					continue
				}
				judged++
				byLevel[a.Verdetto.Livello]++
				recount(t, route, lows, today, a)
				var list struct{ Destinations []trend }
				get(t, service, "/v1/price-trends", url.Values{"origin": {route[:3]}, "destination": {route[4:]},
					"currency": {"eur"}}, &list)
				for _, d := range list.Destinations {
					if d.Destination == route[4:] && (d.Level != a.Verdetto.Livello || *d.Percentile != a.Verdetto.Percentile ||
						*d.MedianCents != a.Verdetto.MedianaCent || *d.MinimumCents != a.Verdetto.MinimoCent) {
						t.Errorf("%s: price trends say %+v, the verdict %+v", route, d, a.Verdetto)
					}
				}
			}
			t.Logf("%d routes judged: %v", judged, byLevel)
			if judged < 15 {
				t.Errorf("only %d routes have a verdict", judged)
			}
		})
	}
}

var calls int

func get(t *testing.T, service http.Handler, path string, of url.Values, into any) bool {
	t.Helper()
	w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path+"?"+of.Encode(), nil)
	calls++ // from many addresses, because an address has 30 verdicts a day
	r.RemoteAddr = fmt.Sprintf("198.51.%d.%d:1", calls/250, calls%250)
	service.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		return false
	}
	if err := json.Unmarshal(w.Body.Bytes(), into); err != nil {
		t.Fatal(err)
	}
	return true
}

// recount compares a verdict with a plain count of the days before today.
func recount(t *testing.T, route string, lows map[string]int64, today time.Time, a answer) {
	t.Helper()
	price := int64(math.Round(100 * a.Prezzo.Quotato.Importo))
	perCent := float64(a.Prezzo.Cent) / float64(price)
	first, lower, equal := "9999", 0, 0
	var all []int64
	for day, low := range lows {
		on, _ := time.Parse(time.DateOnly, day)
		if back := today.Sub(on); back <= 0 || back >= 400*24*time.Hour {
			continue
		}
		all, first = append(all, low), min(first, day)
		switch {
		case low < price:
			lower++
		case low == price:
			equal++
		}
	}
	slices.Sort(all)
	n := len(all)
	median := float64(all[(n-1)/2]+all[n/2]) / 2
	share, place := 100*float64(lower)/float64(n), 100*(float64(lower)+float64(equal)/2)/float64(n)
	level := "normale"
	switch apart := float64(price) / median; {
	case place <= 10 && apart <= .98:
		level = "ottimo"
	case place <= 35 && apart <= .98:
		level = "buono"
	case place > 70 && apart >= 1.02:
		level = "caro"
	}
	v := a.Verdetto
	if v.Campione != n || v.GiorniInferiori != lower || v.GiorniUguali != equal || v.Dal != first ||
		math.Abs(float64(v.Percentile)-share) > .5+1e-9 && v.Percentile != 1 && v.Percentile != 99 || (v.Percentile == 0) != (lower == 0) || (v.Percentile == 100) != (lower == n) ||
		math.Abs(float64(v.MedianaCent)-median*perCent) > 1+median*perCent/1e4 ||
		math.Abs(float64(v.MinimoCent)-float64(all[0])*perCent) > 1+float64(all[0])*perCent/1e4 ||
		v.ScartoMedianaCent != a.Prezzo.Cent-v.MedianaCent || v.Livello != level ||
		v.Percentile < v.Intervallo.Da || v.Percentile > v.Intervallo.A {
		t.Errorf("%s at %d: %+v; counted %d days since %s, %d lower, %d equal, median %.1f, minimum %d, %s", route, price, v,
			n, first, lower, equal, median, all[0], level)
	}
}
