package pricetrends_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/functions/pricetrends"
	"verdetto/shared/answer"
	"verdetto/shared/answer/view"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/trends"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/limit"
)

var (
	today = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC) // a Wednesday
	day   = fare.DayOf(today)
)

// fares is a store with three routes from Milan: one popular with current fares, one with few fares
// and one with stale fares.
type fares struct {
	answer.Fares
	rates     *fare.Rates
	requested []fare.City
	pairs     map[string]verdict.RouteSummary // of airports, by series
	demanded  []string
	err       error
}

func (f *fares) Covered(context.Context, fare.City, int) ([]fare.City, error) {
	return []fare.City{"MIL"}, nil
}

func entries() []trends.Entry {
	found := today.Add(-2 * time.Hour).Unix()
	return []trends.Entry{
		{Destination: "LON", AsOf: day, Newest: found, Observations: 900, Sample: 60, Median: 5000, Minimum: 2000,
			Previous: 4000,
			Live: []trends.Live{
				{Depart: day, Price: 1500, Found: found}, {Depart: day + 20, Price: 3000, Found: found},
			},
			Months: []trends.Month{
				{
					Month: 3, Median: 4500, Minimum: 2000, Sample: 40,
				}, {Month: 7, Median: 9000, Minimum: 8000, Sample: 12},
			}},
		{Destination: "BUH", AsOf: day, Newest: found - 10, Observations: 20, Sample: 7, Median: 5000, Minimum: 2000,
			Live: []trends.Live{{Depart: day + 3, Price: 9999, Found: found}}, Months: []trends.Month{}},
		{Destination: "PAR", AsOf: day - 20, Newest: found - 20*86400, Observations: 500, Sample: 50, Median: 5000,
			Minimum: 2000,
			Live:    []trends.Live{{Depart: day + 30, Price: 3000, Found: found - 20*86400}}, Months: []trends.Month{}},
	}
}

func (f *fares) Trends(_ context.Context, origin fare.City) ([]byte, int64, error) {
	if f.err != nil {
		return nil, 0, f.err
	}
	if origin != "MIL" {
		return nil, 0, store.ErrNotFound
	}
	return trends.Origin{}.Merge(entries()).Encode(), 1, nil
}

func (f *fares) Summary(_ context.Context, r fare.Series, _ store.Consistency) ([]byte, int64, error) {
	if r.Airports != (fare.Airports{}) {
		if pair, ok := f.pairs[r.String()]; ok {
			return pair.Encode(), 1, nil
		}
		return nil, 0, store.ErrNotFound
	}
	s := verdict.RouteSummary{AsOf: day}
	for ago, price := range map[fare.Day]fare.Cents{1: 4000, 2: 3000, 3: 3500, 9: 2000, 363: 1000, 364: 700, 400: 500} {
		s.Lows = append(s.Lows, verdict.Low{Day: day - ago, Price: price})
	}
	slices.SortFunc(s.Lows, func(a, b verdict.Low) int { return int(a.Price - b.Price) })
	return s.Encode(), 1, nil
}

func (f *fares) Rates(context.Context) (fare.Rates, error) {
	if f.rates == nil {
		return fare.Rates{}, store.ErrNotFound
	}
	return *f.rates, nil
}

func (f *fares) NoteDemand(_ context.Context, of fare.Series, _ time.Time) error {
	f.demanded = append(f.demanded, of.String())
	return nil
}

func (f *fares) RequestOrigin(_ context.Context, origin fare.City, _ time.Time) error {
	f.requested = append(f.requested, origin)
	return nil
}

type counters struct {
	limit.Counters
	taken int
}

func (c *counters) Take(context.Context, store.Key, int64, int64, time.Time) (int64, error) {
	c.taken++
	return 1, nil
}

func open(f *fares) (*httpapi.API, *counters) {
	now := func() time.Time { return today }
	c := &counters{}
	api := httpapi.New(
		httpapi.Config{AllFares: true, Now: now, Log: slog.New(slog.DiscardHandler), Limiter: limit.New(c, now)},
	)
	(&pricetrends.Service{
		Trends: &view.Reader{Reader: answer.NewReader(f, now, slog.New(slog.DiscardHandler)), AllFares: true},
	}).Register(api)
	return api, c
}

func dollars() *fares {
	return &fares{rates: &fare.Rates{Date: day - 1, PerEuro: map[string]float64{"USD": 1.25, "RON": 5}}}
}

func get(t *testing.T, api *httpapi.API, target string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest("GET", target, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	api.ServeHTTP(w, r)
	return w
}

func TestTrends(t *testing.T) {
	api, _ := open(dollars())
	w := get(t, api, "/api/v1/price-trends?origin=mil")
	want := `{"origin":"MIL","city":"Milan","currency":"USD","rate":1.25,"rateDate":"2026-03-03","updatedAt":"2026-03-04T10:00:00Z","popularity":"observations","destinations":[` +
		`{"destination":"LON","city":"London","cheapest":{"amountCents":1875,"departure":"2026-03-04","found":"2026-03-04T10:00:00Z"},"medianCents":6250,"minimumCents":2500,"sample":60,"observations":900,"changeCents":-3125,"changePercent":-62.5,` +
		`"months":[{"month":3,"medianCents":5625,"minimumCents":2500,"sample":40},{"month":7,"medianCents":11250,"minimumCents":10000,"sample":12}]},` +
		`{"destination":"BUH","city":"Bucharest","cheapest":{"amountCents":12499,"departure":"2026-03-07","found":"2026-03-04T10:00:00Z"},"medianCents":null,"minimumCents":null,"sample":7,"observations":20,"changeCents":null,"changePercent":null,"months":[]}]}`
	if diff := cmp.Diff(want, w.Body.String()); diff != "" {
		t.Error(diff)
	}
	h := w.Header()
	if h.Get("Cache-Control") != "public, s-maxage=21600" || h.Get("Content-Type") != "application/json" ||
		h.Get("Vary") != "X-Api-Key, Authorization" ||
		h.Get("X-RateLimit-Limit") != "100" || h.Get("X-RateLimit-Remaining") != "99" ||
		h.Get("X-RateLimit-Reset") != "1772668800" {
		t.Errorf("headers %v", h)
	}
}

func TestOneDestination(t *testing.T) {
	api, _ := open(dollars())
	w := get(t, api, "/api/v1/price-trends?origin=MIL&destination=lhr&currency=EUR")
	var got view.Trends
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 200 {
		t.Fatal(w.Code, w.Body, err)
	}
	want := []view.WeeklyLow{
		{Week: "2025-03-03", AmountCents: 1000}, {Week: "2026-02-23", AmountCents: 2000},
		{Week: "2026-03-02", AmountCents: 3000},
	}
	want[0].Week = got.WeeklyLows[0].Week
	if len(got.Destinations) != 1 || got.Destinations[0].City != "London" || got.Currency != "EUR" || got.Rate != 1 {
		t.Errorf("%s", w.Body)
	}
	var weeks []string
	for _, l := range got.WeeklyLows {
		weeks = append(weeks, l.Week)
		if l.Week <= "2025-03-03" {
			t.Errorf("%s is more than 52 weeks ago", l.Week)
		}
	}
	if !slices.IsSorted(weeks) {
		t.Errorf("weeks %v", weeks)
	}
	// A route without a current fare is listed without a cheapest fare.
	w = get(t, api, "/api/v1/price-trends?origin=MIL&destination=PAR")
	if w.Code != 200 || strings.Contains(w.Body.String(), `"cheapest"`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// Three letters that are the code of a city mean that city.
func TestNames(t *testing.T) {
	api, _ := open(dollars())
	want := get(t, api, "/api/v1/price-trends?origin=MIL&destination=LON").Body.String()
	for _, query := range []string{
		"origin=Milano&destination=Londra", "origin=mailand&destination=London", "origin=mil&destination=lon",
		"origin=%20milan%20&destination=LONDRES",
	} {
		if w := get(t, api, "/api/v1/price-trends?"+query); w.Code != 200 || w.Body.String() != want {
			t.Errorf("%s: %d %.200s", query, w.Code, w.Body)
		}
	}
	if w := get(t, api, "/api/v1/price-trends?origin=GOA"); !strings.Contains(w.Body.String(), "from GOA") {
		t.Errorf("GOA is the code of Genova: %s", w.Body)
	}
}

func TestETag(t *testing.T) {
	api, c := open(dollars())
	for _, target := range []string{"/api/v1/price-trends?origin=MIL", "/api/v1"} {
		first := get(t, api, target)
		tag := first.Header().Get("ETag")
		for header, status := range map[string]int{
			tag: 304, "W/" + tag: 304, `"other", ` + tag: 304, "*": 200, `"other"`: 200,
		} {
			w := get(t, api, target, "If-None-Match", header)
			if w.Code != status || w.Header().Get("ETag") != tag || (status == 304) != (w.Body.Len() == 0) ||
				w.Header().Get("Cache-Control") != first.Header().Get("Cache-Control") {
				t.Errorf("%s with %s: %d %v", target, header, w.Code, w.Header())
			}
		}
		if other := get(t, api, target+"&currency=ron").Header().Get("ETag"); strings.Contains(target, "?") &&
			other == tag {
			t.Error("another currency has the same ETag")
		}
	}
	if c.taken != 7 {
		t.Errorf("%d calls were counted, want 7: the index is free", c.taken)
	}
}

func TestProblems(t *testing.T) {
	f := dollars()
	api, c := open(f)
	down, _ := open(&fares{rates: dollars().rates, err: store.ErrUnavailable})
	empty, _ := open(&fares{})
	for _, p := range []struct {
		name   string
		api    *httpapi.API
		query  string
		status int
		code   string
		names  string
		counts int
	}{
		{"no origin", api, "", 400, "richiesta-non-valida", "origin", 0},
		{"an empty origin", api, "origin=", 400, "richiesta-non-valida", "origin", 0},
		{"a name that is none", api, "origin=MILA", 404, "origine-sconosciuta", "origin", 1},
		{"origin of digits", api, "origin=123", 404, "origine-sconosciuta", "origin", 1},
		{"letters that shorten in upper case", api, "origin=%C5%BFk", 404, "origine-sconosciuta", "origin", 1},
		{"malformed currency", api, "origin=MIL&currency=dollars", 400, "richiesta-non-valida", "currency", 0},
		{"currency without a rate", api, "origin=MIL&currency=xau", 400, "valuta-sconosciuta", "currency", 0},
		{
			"a destination that is none", api, "origin=MIL&destination=L", 404, "destinazione-sconosciuta",
			"destination", 1,
		},
		{"same city by name", api, "origin=Milano&destination=Bergamo", 400, "stessa-citta", "destination", 0},
		{"same city", api, "origin=MIL&destination=BGY", 400, "stessa-citta", "destination", 0},
		{"repeated", api, "origin=MIL&origin=ROM", 400, "richiesta-non-valida", "origin", 0},
		{"unknown origin", api, "origin=QQQ", 404, "origine-sconosciuta", "origin", 1},
		{"unknown destination", api, "origin=MIL&destination=QQQ", 404, "destinazione-sconosciuta", "destination", 1},
		{"origin not covered", api, "origin=ROM", 404, "rotta-non-coperta", "", 1},
		{"route not covered", api, "origin=MIL&destination=TYO", 404, "rotta-non-coperta", "", 1},
		{"storage is down", down, "origin=MIL", 503, "servizio-non-disponibile", "", 0},
		{
			"before the first refresh only the euro is known", empty, "origin=MIL", 400, "valuta-sconosciuta",
			"currency", 0,
		},
	} {
		t.Run(p.name, func(t *testing.T) {
			c.taken = 0
			w := get(t, p.api, "/api/v1/price-trends?"+p.query)
			var got httpapi.Problem
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
				t.Fatal(err, w.Body)
			}
			var names []string
			for _, e := range got.Errors {
				names = append(names, e.Name)
			}
			if w.Code != p.status || got.Code != p.code || strings.Join(names, " ") != p.names || c.taken != p.counts {
				t.Errorf("%d %s, counted %d times", w.Code, w.Body, c.taken)
			}
			if w.Header().Get("Cache-Control") != "no-store" ||
				w.Header().Get("Content-Type") != "application/problem+json" {
				t.Errorf("headers %v", w.Header())
			}
		})
	}
	w := get(t, api, "/api/v1/price-trends?origin=MIL&currency=xau")
	if !strings.Contains(w.Body.String(), `"suggestions":["eur","ron","usd"]`) {
		t.Errorf("the currencies are not listed: %s", w.Body)
	}
	if w := get(
		t, api, "/api/v1/price-trends?origin=Millano",
	); !strings.Contains(w.Body.String(), `"suggestions":["Milano"`) {
		t.Errorf("what may have been meant is not said: %s", w.Body)
	}
	if diff := cmp.Diff([]fare.City{"ROM", "MIL"}, f.requested); diff != "" {
		t.Errorf("requested: %s", diff)
	}
}

func TestIndex(t *testing.T) {
	api, _ := open(&fares{})
	for _, path := range []string{"/api/v1", "/v1"} {
		w := get(t, api, path)
		var got map[string]json.RawMessage
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 200 {
			t.Fatal(w.Code, w.Body, err)
		}
		for _, field := range []string{"name", "description", "endpoints", "auth", "cache", "license", "pro"} {
			if len(got[field]) < 3 {
				t.Errorf("%s: %s is %s", path, field, got[field])
			}
		}
		if !strings.Contains(
			w.Body.String(),
			`{"method":"GET","path":"/v1/price-trends","alias":"/api/v1/price-trends","free":"100 a day (UTC)","pro":"60 a minute"}`,
		) {
			t.Errorf("%s", got["endpoints"])
		}
	}
}

// Bergamo–Stansted has lows of 9 days of its own. Linate to London has too few: it is compared with
// the cities, at one step less certainty, and shows neither a change nor weekly lows. The refresh
// then asks for both.
func TestAirports(t *testing.T) {
	pair := func(lows int, price fare.Cents) verdict.RouteSummary {
		s := verdict.RouteSummary{AsOf: day, View: verdict.View{Observations: lows,
			Newest: today.Add(-time.Hour).Unix(),
			Live:   []verdict.Live{{Depart: day + 5, Price: price, Found: today.Add(-time.Hour).Unix()}}}}
		for i := range lows {
			s.Lows = append(s.Lows, verdict.Low{Day: day - 1 - fare.Day(i), Price: fare.Cents(3000 + 100*i)})
		}
		return s
	}
	f := dollars()
	few := pair(9, 4000)
	few.Basis = &verdict.Basis{Ratio: 1.2, Departures: 3}
	f.pairs = map[string]verdict.RouteSummary{"MIL-LON@BGY-STN": pair(9, 2500), "MIL-LON@LIN-": few,
		"MIL-LON@-LTN": pair(7, 2500), "MIL-LON@-LGW": pair(8, 2500), "MIL-LON@-SEN": {AsOf: day}}
	api, _ := open(f)
	ask := func(query string) (got view.Trends) {
		t.Helper()
		w := get(t, api, "/v1/price-trends?currency=eur&"+query)
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 200 || len(got.Destinations) != 1 {
			t.Fatalf("%s: %d %s %v", query, w.Code, w.Body, err)
		}
		return got
	}
	for _, query := range []string{"origin=BGY&destination=stn", "origine=Bergamo&destinazione=London+Stansted"} {
		got := ask(query)
		d := got.Destinations[0]
		if diff := cmp.Diff(&view.Airports{Origin: "BGY", Destination: "STN", Basis: "airports"}, got.Airports); diff != "" {
			t.Errorf("%s (-want +got): %s", query, diff)
		}
		if got.Origin != "MIL" || d.Destination != "LON" || d.Cheapest.AmountCents != 2500 || *d.MedianCents != 3400 ||
			*d.ChangeCents != 2500-3600 || d.Sample != 9 || d.Level != verdict.Ottimo || len(got.WeeklyLows) != 2 ||
			got.WholeCities != nil {
			t.Errorf("%s: %+v %+v", query, d, got)
		}
	}
	got := ask("origin=Linate&destination=Londra&lang=it")
	d := got.Destinations[0]
	if got.Airports == nil || !strings.Contains(got.Airports.Note, "20") {
		t.Fatalf("%+v", got.Airports)
	}
	got.Airports.Note = ""
	if diff := cmp.Diff(&view.Airports{Origin: "LIN", Basis: "cities", DifferencePercent: new(20), Departures: new(3)},
		got.Airports); diff != "" {
		t.Errorf("(-want +got): %s", diff)
	}
	if d.Cheapest.AmountCents != 4000 || d.ChangeCents != nil || got.WeeklyLows != nil || d.Certainty != verdict.Bassa {
		t.Errorf("%+v %+v", d, got)
	}
	for query, shown := range map[string]bool{"LTN": false, "LGW": true} { // 7 and 8 days
		if got := ask("origin=MIL&destination=" + query); shown != (got.WeeklyLows != nil) ||
			shown != (got.Destinations[0].ChangeCents != nil) {
			t.Errorf("%s: %+v", query, got)
		}
	}
	if got := ask("origin=MIL&destination=SEN"); got.Airports != nil || len(got.WholeCities) != 1 {
		t.Errorf("airports without a fare: %+v", got)
	}
	f.demanded = slices.DeleteFunc(f.demanded, func(of string) bool { return strings.Contains(of, "@-") })
	if diff := cmp.Diff([]string{"MIL-LON@BGY-STN", "MIL-LON@LIN-"}, f.demanded); diff != "" {
		t.Errorf("in demand (-want +got): %s", diff)
	}
}

// Trends of one of a city's airports are those of the city if there is no destination or no fare of
// the airports is known. The answer says so.
func TestWholeCities(t *testing.T) {
	api, _ := open(dollars())
	of := func(parameter, asked, city string) view.WholeCity {
		return view.WholeCity{Parameter: parameter, Asked: asked, City: city}
	}
	for query, want := range map[string][]view.WholeCity{
		"origin=MIL&destination=LON":      nil,
		"origin=Milano":                   nil,
		"origin=bgy":                      {of("origin", "BGY", "MIL")},
		"origin=Bergamo&destination=STN":  {of("origin", "Bergamo", "MIL"), of("destination", "STN", "LON")},
		"origin=MXP&destination=Stansted": {of("origin", "MXP", "MIL"), of("destination", "Stansted", "LON")},
	} {
		for _, lang := range []string{"", "&lang=it"} {
			w := get(t, api, "/v1/price-trends?"+query+lang)
			var got view.Trends
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 200 || got.Origin != "MIL" {
				t.Fatalf("%s: %d %s %v", query, w.Code, w.Body, err)
			}
			for i, c := range got.WholeCities {
				word := map[string]string{"": "airports", "&lang=it": "aeroporti"}[lang]
				if !strings.Contains(c.Note, word) || !strings.Contains(c.Note, c.Asked) {
					t.Errorf("%s%s: %q", query, lang, c.Note)
				}
				got.WholeCities[i].Note = ""
			}
			if diff := cmp.Diff(want, got.WholeCities); diff != "" {
				t.Errorf("%s (-want +got): %s", query, diff)
			}
		}
	}
}
