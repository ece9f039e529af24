package analisi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/functions/analisi"
	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/published"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/trends"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/limit"
)

// summaries is a store of route summaries in memory; an error in it is what reading gives.
type summaries map[fare.Route]any

func (s summaries) Summary(_ context.Context, r fare.Series, _ store.Consistency) ([]byte, int64, error) {
	if r.Trip != fare.OneWay {
		return nil, 0, store.ErrNotFound
	}
	switch v := s[r.Route].(type) {
	case verdict.RouteSummary:
		return v.Encode(), 1, nil
	case []byte:
		return v, 1, nil
	case error:
		return nil, 0, v
	}
	return nil, 0, store.ErrNotFound
}

var (
	milbuh = fare.Route{Origin: "MIL", Destination: "BUH"}
	today  = time.Date(2016, 3, 1, 12, 0, 0, 0, time.UTC)
)

// euroOnly knows no other currency.
type euroOnly struct{}

func (euroOnly) Rates(context.Context) (fare.Rates, error) { return fare.Rates{}, nil }

// summaryOf is a route seen on so many past days, and today.
func summaryOf(days int) verdict.RouteSummary {
	return verdict.Build(observationsOf(days), verdict.RouteSummary{}, fare.DayOf(today), verdict.Options{})
}

func observationsOf(days int) (all []fare.Observation) {
	d := fare.DayOf(today)
	for i := 0; i <= days; i++ {
		for _, ahead := range []fare.Day{5, 25, 50, 70} {
			found := d - fare.Day(i)
			price := fare.Cents(3000 + 17*i + 100*int(50-min(ahead, 50)))
			all = append(all, fare.Observation{Found: found.Time().Unix() + 3600, Depart: found + ahead, Price: price})
		}
	}
	return all
}

// originRequests remembers the origins that were requested; an error in it is what requesting gives.
type originRequests struct {
	noted  []fare.City
	demand []string // series, and until when each is in demand
	until  time.Time
	err    error
}

func (w *originRequests) NoteDemand(_ context.Context, s fare.Series, until time.Time) error {
	if w.err != nil {
		return w.err
	}
	w.demand = append(w.demand, s.String()+" "+until.Format(time.DateOnly))
	return nil
}

func (w *originRequests) RequestOrigin(_ context.Context, origin fare.City, until time.Time) error {
	if w.err != nil {
		return w.err
	}
	w.noted, w.until = append(w.noted, origin), until
	return nil
}

// unlimited counts nothing.
type unlimited struct{ limit.Counters }

func (unlimited) Take(context.Context, store.Key, int64, int64, time.Time) (int64, error) {
	return 1, nil
}

func serve(t *testing.T, s summaries) *httpapi.API {
	t.Helper()
	return serveWith(t, &analisi.Service{Reader: &answer.Reader{Summaries: s, Demand: &originRequests{}}})
}

func serveWith(t *testing.T, s *analisi.Service) *httpapi.API {
	t.Helper()
	s.Now = func() time.Time { return today }
	s.Log = slog.New(slog.DiscardHandler)
	api := httpapi.New(httpapi.Config{Now: s.Now, Log: s.Log, AllFares: true, Limiter: limit.New(unlimited{}, s.Now)})
	s.Register(api)
	return api
}

func get(t *testing.T, h http.Handler, target string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	path, query, _ := strings.Cut(target, "?")
	r.URL = &url.URL{Path: path, RawQuery: query}
	h.ServeHTTP(w, r)
	return w
}

func TestVerdict(t *testing.T) {
	h := serve(t, summaries{milbuh: summaryOf(40)})
	for _, path := range []string{"/v1/analisi", "/api/v1/analisi"} {
		w := get(t, h, path+"?origine=MILANO&destinazione=bucure%C8%99ti")
		if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "application/json" || w.Header().Get("Cache-Control") != "no-store" {
			t.Fatalf("%s: %d %v %s", path, w.Code, w.Header(), w.Body)
		}
		var got map[string]any
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		fields := func(v any) []string {
			var names []string
			for name := range v.(map[string]any) {
				names = append(names, name)
			}
			slices.Sort(names)
			return names
		}
		for _, c := range []struct {
			of   any
			want []string
		}{
			{got, []string{"aggiornatoIl", "ambito", "anticipoConsigliato", "destinazione", "destinazioneIata", "luoghi", "mesiPerConvenienza", "origine", "origineIata", "osservazioni", "prezzo", "valuta", "verdetto"}},
			{got["prezzo"], []string{"cent", "etaOre", "partenza", "precisione", "quotato", "trovatoIl", "valuta"}},
			{got["verdetto"], []string{"affidabilita", "campione", "livello", "medianaCent", "minimoCent", "percentile", "scartoMedianaCent", "stagionale"}},
			{got["mesiPerConvenienza"].([]any)[0], []string{"campione", "medianaCent", "mese"}},
			{got["anticipoConsigliato"], []string{"aGiorni", "campione", "daGiorni", "medianaCent", "risparmioCent"}},
		} {
			if diff := cmp.Diff(c.want, fields(c.of)); diff != "" {
				t.Errorf("%s: fields: %s", path, diff)
			}
		}
		if got["origine"] != "Milano" || got["destinazione"] != "București" || got["valuta"] != "EUR" || got["aggiornatoIl"] != "2016-03-01T01:00:00Z" {
			t.Errorf("%s: %s", path, w.Body)
		}
	}
}

func TestTooLittleData(t *testing.T) {
	w := get(t, serve(t, summaries{milbuh: summaryOf(3)}), "/v1/analisi?origine=Milano&destinazione=Bucarest")
	var got struct {
		Verdetto     map[string]any `json:"verdetto"`
		Osservazioni int            `json:"osservazioni"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != http.StatusOK {
		t.Fatalf("%d %s %v", w.Code, w.Body, err)
	}
	if diff := cmp.Diff(map[string]any{"livello": "dati-insufficienti", "campione": 3.0}, got.Verdetto); diff != "" || got.Osservazioni != 16 {
		t.Errorf("%s", w.Body)
	}
}

func TestProblems(t *testing.T) {
	stale := summaryOf(40)
	stale.AsOf -= 30
	h := serve(t, summaries{
		milbuh:                              summaryOf(40),
		{Origin: "MIL", Destination: "ROM"}: stale,
		{Origin: "MIL", Destination: "PAR"}: fmt.Errorf("read: %w", store.ErrUnavailable),
		{Origin: "MIL", Destination: "MAD"}: errors.New("secret internal text"),
		{Origin: "MIL", Destination: "BCN"}: []byte("not a summary"),
	})
	long := strings.Repeat("a", 101)
	for _, c := range []struct {
		name, query string
		status      int
		code        string
		parameters  string // those named as faulty
		suggestion  string
	}{
		{"both missing", "", 400, "richiesta-non-valida", "origine destinazione", ""},
		{"one missing", "origine=Milano", 400, "richiesta-non-valida", "destinazione", ""},
		{"empty", "origine=&destinazione=Bucarest", 400, "richiesta-non-valida", "origine", ""},
		{"blank", "origine=Milano&destinazione=%20%20", 400, "richiesta-non-valida", "destinazione", ""},
		{"over-long", "origine=" + long + "&destinazione=Bucarest", 400, "richiesta-non-valida", "origine", ""},
		{"100 runes are not over-long", "origine=" + strings.Repeat("%C3%A9", 100) + "&destinazione=Bucarest", 404, "citta-sconosciuta", "origine", ""},
		{"control character", "origine=Mil%00ano&destinazione=Bucarest", 400, "richiesta-non-valida", "origine", ""},
		{"line break", "origine=Milano&destinazione=Buca%0Arest", 400, "richiesta-non-valida", "destinazione", ""},
		{"invalid UTF-8", "origine=Mil%ffano&destinazione=Bucarest", 400, "richiesta-non-valida", "origine", ""},
		{"repeated", "origine=Milano&origine=Roma&destinazione=Bucarest", 400, "richiesta-non-valida", "origine", ""},
		{"repeated alike", "origine=Milano&destinazione=Bucarest&destinazione=Bucarest", 400, "richiesta-non-valida", "destinazione", ""},
		{"bad escape", "origine=Mil%zzano&destinazione=Bucarest", 400, "richiesta-non-valida", "", ""},
		{"same city", "origine=Milano&destinazione=Milan", 400, "stessa-citta", "destinazione", ""},
		{"unknown city", "origine=Milano&destinazione=Bukarestt", 404, "citta-sconosciuta", "destinazione", "Bukarest"},
		{"nothing like a city", "origine=qqqqqqqqqqqq&destinazione=Bucarest", 404, "citta-sconosciuta", "origine", ""},
		{"not covered", "origine=Bucarest&destinazione=Milano", 404, "rotta-non-coperta", "", ""},
		{"no live fare", "origine=Milano&destinazione=Roma", 404, "nessuna-tariffa", "", ""},
		{"storage is down", "origine=Milano&destinazione=Parigi", 503, "servizio-non-disponibile", "", ""},
		{"storage fails", "origine=Milano&destinazione=Madrid", 500, "errore-interno", "", ""},
		{"summary is broken", "origine=Milano&destinazione=Barcellona", 500, "errore-interno", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := get(t, h, "/v1/analisi?"+c.query)
			var p httpapi.Problem
			if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
				t.Fatalf("%s: %v", w.Body, err)
			}
			var parameters []string
			for _, f := range p.Errors {
				parameters = append(parameters, f.Name)
			}
			if w.Code != c.status || p.Status != c.status || p.Code != c.code || strings.Join(parameters, " ") != c.parameters {
				t.Errorf("%d %s", w.Code, w.Body)
			}
			if w.Header().Get("Content-Type") != "application/problem+json" || w.Header().Get("Cache-Control") != "no-store" {
				t.Errorf("headers %v", w.Header())
			}
			if c.suggestion != "" && !slices.Contains(p.Suggestions, c.suggestion) {
				t.Errorf("suggestions %q lack %s", p.Suggestions, c.suggestion)
			}
			if strings.Contains(w.Body.String(), "internal text") || strings.Contains(w.Body.String(), "not known") {
				t.Errorf("internal text is told: %s", w.Body)
			}
			if p.Detail == "" || p.Title == "" || p.Type == "" {
				t.Errorf("incomplete: %s", w.Body)
			}
		})
	}
}

func TestDemand(t *testing.T) {
	w := &originRequests{err: errors.New("storage is down")}
	service := &analisi.Service{Reader: &answer.Reader{Summaries: summaries{milbuh: summaryOf(40)}, Demand: w}}
	h := serveWith(t, service)
	ask := func(query string, status int) {
		t.Helper()
		if got := get(t, h, "/v1/analisi?"+query); got.Code != status {
			t.Fatalf("%s: %d %s", query, got.Code, got.Body)
		}
	}
	ask("origine=Roma&destinazione=Parigi", 404) // the answers do not suffer
	ask("origine=Milano&destinazione=Bucarest", 200)
	w.err = nil
	for range 3 {
		ask("origine=Roma&destinazione=Parigi", 404)
		ask("origine=Roma&destinazione=Londra", 404)
		ask("origine=Milano&destinazione=Bucarest", 200)
		ask("origine=Atlantide&destinazione=Londra", 404)
	}
	if diff := cmp.Diff([]fare.City{"ROM"}, w.noted); diff != "" || w.until.Before(today.Add(14*24*time.Hour)) {
		t.Errorf("noted %v until %v", w.noted, w.until)
	}
	// A series in demand is noted once a process and day, by whichever way it is asked for.
	get(t, h, "/?da=Milano&a=Bucarest")
	get(t, h, "/card/MIL-BUH-it.png")
	service.Now = func() time.Time { return today.AddDate(0, 0, 1) }
	ask("origine=Milano&destinazione=Bucarest", 200)
	ask("origine=Milano&destinazione=Bucarest", 200)
	day := func(n int) string { return "MIL-BUH " + today.AddDate(0, 0, n).Format(time.DateOnly) }
	if diff := cmp.Diff([]string{day(8), day(9)}, w.demand); diff != "" {
		t.Errorf("demand: %s", diff)
	}
}

// coverage is two origins.
type coverage struct{}

func (coverage) Trends(_ context.Context, origin fare.City) ([]byte, int64, error) {
	at := today.Add(-time.Hour).Unix()
	var o trends.Origin
	switch origin {
	case "MIL":
		o = o.Merge([]trends.Entry{{Destination: "BUH", Observations: 5, Sample: 2, Newest: at}, {Destination: "LON", Observations: 9, Sample: 8, Newest: at}})
	case "ROM":
		o = o.Merge([]trends.Entry{{Destination: "LON", Observations: 1, Newest: at}})
	default:
		return nil, 0, store.ErrNotFound
	}
	data, err := o.Encode()
	return data, 1, err
}

func (coverage) Deals(context.Context, fare.City, fare.Trip) ([]byte, int64, error) {
	return nil, 0, store.ErrNotFound
}

func (coverage) Covered(_ context.Context, after fare.City, limit int) (some []fare.City, _ error) {
	for _, c := range []fare.City{"MIL", "ROM"} {
		if c > after && len(some) < limit {
			some = append(some, c)
		}
	}
	return some, nil
}

func (coverage) Into(_ context.Context, destination, after fare.City, limit int) (some []store.Into, _ error) {
	for n := range 150 {
		origin := fare.City(fmt.Sprintf("A%c%c", 'A'+n/26, 'A'+n%26))
		if origin > after && len(some) < limit && destination == "LON" {
			some = append(some, store.Into{Origin: origin, Coverage: store.Coverage{Observations: n}})
		}
	}
	return some, nil
}

func TestRoutes(t *testing.T) {
	h := serveWith(t, &analisi.Service{Reader: &answer.Reader{Summaries: summaries{}, Demand: &originRequests{}}, Coverage: coverage{}})
	for _, c := range []struct {
		name, query string
		status      int
		routes      string // the first two
		count       int
		next        string
	}{
		{"all, first page", "", 200, "MIL-LON MIL-BUH", 2, "MIL"},
		{"all, second page", "page=MIL", 200, "ROM-LON", 1, ""},
		{"all, beyond the end", "page=ROM", 200, "", 0, ""},
		{"from a city", "origine=milan", 200, "MIL-LON MIL-BUH", 2, ""},
		{"from a city by its code", "origine=MIL", 200, "MIL-LON MIL-BUH", 2, ""},
		{"from a city that is not covered", "origine=Parigi", 200, "", 0, ""},
		{"one route", "origine=Milano&destinazione=Londra", 200, "MIL-LON", 1, ""},
		{"one that is not", "origine=Milano&destinazione=Parigi", 200, "", 0, ""},
		{"into a city", "destinazione=Londra", 200, "AAA-LON AAB-LON", 100, "ADV"},
		{"into a city, second page", "destinazione=Londra&page=ADV", 200, "ADW-LON ADX-LON", 50, ""},
		{"unknown city", "origine=Atlantide", 404, "", 0, ""},
		{"bad page", "page=2", 400, "", 0, ""},
		{"repeated", "origine=Milano&origine=Roma", 400, "", 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := get(t, h, "/v1/rotte?"+c.query)
			var got published.Routes
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
				t.Fatal(err)
			}
			var routes []string
			for _, r := range got.Rotte {
				routes = append(routes, r.Origine.Codice+"-"+r.Destinazione.Codice)
			}
			if w.Code != c.status || len(routes) != c.count || strings.Join(routes[:min(2, len(routes))], " ") != c.routes || got.Successiva != c.next {
				t.Errorf("%d %.300s", w.Code, w.Body)
			}
		})
	}
	w := get(t, h, "/v1/rotte?origine=Roma")
	want := `{"rotte":[{"origine":{"codice":"ROM","nome":"Roma"},"destinazione":{"codice":"LON","nome":"Londra"},"osservazioni":1,"campione":0,"aggiornatoIl":"2016-03-01T11:00:00Z"}]}`
	if got := strings.TrimSpace(w.Body.String()); got != want {
		t.Errorf("%s", got)
	}
}
