package verdict

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/shared/architecture/testenv"
	"verdetto/shared/fare"
	"verdetto/shared/upstream"
	"verdetto/shared/verdict"
)

// withFlights states the same flight with every fare, or none.
type withFlights struct {
	upstream.Source
	flight func(fare.Observation) fare.Flight
}

func (s withFlights) Fares(ctx context.Context, of fare.City, since, until time.Time) (upstream.Answer, error) {
	a, err := s.Source.Fares(ctx, of, since, until)
	return s.change(a), err
}

func (s withFlights) change(a upstream.Answer) upstream.Answer {
	fares := make([]fare.Fare, len(a.Fares))
	for i, f := range a.Fares {
		f.Flight = s.flight(f.Observation)
		fares[i] = f
	}
	a.Fares = fares
	return a
}

func withoutFlights(of any) any {
	switch of := of.(type) {
	case map[string]any:
		for _, field := range []string{"aeroporti", "vettore", "durataMinuti"} {
			delete(of, field)
		}
		for name, value := range of {
			of[name] = withoutFlights(value)
		}
	case []any:
		for i, value := range of {
			of[i] = withoutFlights(value)
		}
	}
	return of
}

// The first half of the days of real fares is judged as recorded, without airports, and with a
// flight stated for each fare. Apart from the flights, the answers about cities have equal fields.
func TestWithoutFlights(t *testing.T) {
	t.Parallel()
	file := filepath.Join(testenv.Data(t), "fares", "travelpayouts_daily_2025_2026.csv.gz")
	panel, partly, err := onemachine.OpenSource(t.Context(), "csv:"+file, "",
		&onemachine.Options{Log: slog.New(slog.DiscardHandler)}, io.Discard)
	if err != nil || partly {
		t.Fatal(partly, err)
	}
	half := func() time.Time { return time.Date(2026, 1, 7, 12, 0, 0, 0, time.UTC) } // day 214 of 428
	recorded := withFlights{panel, func(o fare.Observation) fare.Flight { return o.Flight }}
	stated := withFlights{panel, func(o fare.Observation) fare.Flight {
		return fare.Flight{From: fare.Airport([]byte([]string{"JFK", "EWR", "CDG"}[o.Depart%3])), To: fare.Airport{'L', 'H', 'R'},
			Airline: fare.Airline{'B', 'A'}, Minutes: int16(100 + o.Price%300)}
	}}
	var bodies [2]map[string]string
	for i, source := range []upstream.Source{recorded, stated} {
		table := fixture.Bolt(t, half)
		fixture.Refreshed(t, table, source, half)
		bodies[i] = aboutRoutes(t, fixture.New(t, onemachine.Options{Table: table, Source: source, Now: half}).API)
	}
	digest, flights := sha256.New(), 0
	for target, plain := range bodies[0] {
		if strings.Contains(plain, `"vettore"`) {
			t.Errorf("%s: a flight that was not recorded: %s", target, plain)
		}
		if bodies[1][target] != plain {
			flights++
		}
		if diff := cmp.Diff(bare(t, plain), bare(t, bodies[1][target])); diff != "" {
			t.Errorf("%s (-without flights +with): %s", target, diff)
		}
	}
	for _, target := range slices.Sorted(maps.Keys(bodies[0])) {
		fmt.Fprintln(digest, target, bare(t, bodies[0][target]))
	}
	t.Logf("%d answers, %d with a flight, digest %.8x", len(bodies[0]), flights, digest.Sum(nil))
	if len(bodies[0]) < 100 || flights < 100 {
		t.Errorf("%d answers, %d with a flight", len(bodies[0]), flights)
	}
}

func aboutRoutes(t *testing.T, h http.Handler) map[string]string {
	t.Helper()
	all := map[string]string{}
	ask := func(target string) string {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", target, nil)
		r.RemoteAddr = fmt.Sprintf("192.0.2.%d:1", len(all)/20+1) // each caller has a quota
		h.ServeHTTP(w, r)
		if w.Code != http.StatusOK { // no fare in that month
			return fmt.Sprintf(`{"status":%d}`, w.Code)
		}
		return w.Body.String()
	}
	var covered struct {
		Rotte []struct{ Origine, Destinazione struct{ Codice string } }
	}
	var next struct{ Successiva string }
	for page := "/v1/rotte"; page != ""; {
		body := []byte(ask(page))
		next.Successiva = ""
		listed := slices.Clone(covered.Rotte)
		if err := errors.Join(json.Unmarshal(body, &covered), json.Unmarshal(body, &next)); err != nil {
			t.Fatal(err)
		}
		covered.Rotte = append(listed, covered.Rotte...)
		if page = ""; next.Successiva != "" {
			page = "/v1/rotte?page=" + next.Successiva
		}
	}
	for _, route := range covered.Rotte {
		ends := "origine=" + route.Origine.Codice + "&destinazione=" + route.Destinazione.Codice
		for _, path := range []string{"/v1/analisi?", "/v1/analisi?mese=2026-03&", "/v1/calendario?"} {
			all[path+ends] = ask(path + ends)
		}
	}
	return all
}

func bare(t *testing.T, body string) string {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(body), &value); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(withoutFlights(value))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A code that means no airport in use, or an airport of the same city, is refused without counting.
// A metropolitan code means the city.
func TestBadAirports(t *testing.T) {
	t.Parallel()
	h := serving(t, aroundMilanAndLondon(t))
	for query, want := range map[string]string{
		"origine=PMF&destinazione=Londra":    "400 richiesta-non-valida",
		"origine=Milano&destinazione=BQH":    "400 richiesta-non-valida",
		"origine=BGY&destinazione=MXP":       "400 stessa-citta",
		"origine=Bergamo&destinazione=Milan": "400 stessa-citta",
		"origine=QQQ&destinazione=STN":       "404 citta-sconosciuta",
		"origine=MIL&destinazione=LON":       "200 ",
		"origine=BGY&destinazione=LON":       "200 BGY-",
		"origine=MIL&destinazione=Stansted":  "200 -STN",
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "/v1/analisi?"+query, nil))
		var got struct {
			verdict.Analysis
			Code string
		}
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if tratta := got.Tratta; tratta != nil {
			got.Code = tratta.Origine + "-" + tratta.Destinazione
		}
		if is := fmt.Sprintf("%d %s", w.Code, got.Code); is != want {
			t.Errorf("%s: %s, want %s", query, is, want)
		}
	}
}
