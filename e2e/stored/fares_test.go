package stored

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/functions/analisi"
	"verdetto/functions/refresh"
	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/store/storetest"
	"verdetto/shared/upstream"
	"verdetto/shared/verdict"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/limit"
)

// fareFacts holds the answers that version 4a76271 gave over its own store file.
type fareFacts struct {
	Now     time.Time
	Answers map[string]json.RawMessage
}

// laterDays is the fare source for the days after the store file was made. Its fares have the
// quoted currency, as today's sources do. It returns one fare a day to requests by city. To
// requests by route it returns three departures, one of them with a stop.
type laterDays struct{ gbp fare.Currency }

func (laterDays) Name() string { return "travelpayouts" }

func (laterDays) Origins(context.Context) ([]fare.City, error) {
	return []fare.City{"LON", "MIL"}, nil
}

func (s laterDays) fares(r fare.Route, now time.Time, stops ...int) (all []fare.Fare) {
	for i, n := range stops {
		o := fare.Observation{
			Found: fare.DayOf(now).Time().Unix() + 6*3600, Depart: fare.DayOf(now) + 40 + fare.Day(i), Price: 5000,
			Stops: fare.StopsOf(n),
		}
		if r.Origin == "LON" {
			o.Price, o.Currency = 1849, s.gbp
		}
		all = append(all, fare.Fare{Route: r, Observation: o})
	}
	return all
}

func (s laterDays) Fares(_ context.Context, origin fare.City, _, until time.Time) (answer upstream.Answer, err error) {
	for _, r := range []fare.Route{{Origin: "MIL", Destination: "BUH"}, {Origin: "LON", Destination: "PRG"}} {
		if r.Origin == origin {
			answer.Fares = append(answer.Fares, s.fares(r, until, 0)...)
		}
	}
	return answer, nil
}

func (s laterDays) Departures(_ context.Context, q upstream.Question, until time.Time) (upstream.Answer, error) {
	if q.NonStop {
		return upstream.Answer{Fares: s.fares(q.Route, until, 0)}, nil
	}
	return upstream.Answer{Fares: s.fares(q.Route, until, 0, 1, 0)}, nil
}

// TestFaresOf4a76271GoOn opens a store file of version 4a76271, which stored only one-way fares in
// EUR, without the number of stops. Today's code reads the same fares, sample sizes and months.
// Refreshes by city and by route add to the histories and lose nothing. The lowest fare of a day
// changes only as testdata/README.md says.
func TestFaresOf4a76271GoOn(t *testing.T) {
	var facts fareFacts
	readJSON(t, "4a76271.json", &facts)
	gbp, err := fare.ParseCurrency("GBP")
	storetest.Must(t, err)
	now := facts.Now
	clock := func() time.Time { return now }
	table, err := boltstore.Open(unpackedFile(t, "4a76271.db.gz"), clock, boltstore.Scratch)
	storetest.Must(t, err)
	defer table.Close()
	fares, quiet := store.Fares{Table: table}, slog.New(slog.DiscardHandler)
	api := httpapi.New(httpapi.Config{
		Now: clock, Log: quiet, Pepper: []byte("made up for a stored file, 32 b."), Limiter: limit.New(table, clock),
		Customers: store.Customers{Table: table},
	})
	(&analisi.Service{Reader: answer.NewReader(fares, clock, quiet)}).Register(api)
	ask := func(name string) (body []byte, a verdict.Analysis) {
		t.Helper()
		w := httptest.NewRecorder()
		api.ServeHTTP(w, httptest.NewRequest("GET", "/v1/analisi?origine="+name[:3]+"&destinazione="+name[4:], nil))
		if err := json.Unmarshal(w.Body.Bytes(), &a); w.Code != 200 || err != nil {
			t.Fatalf("%s: %d %s %v", name, w.Code, w.Body, err)
		}
		return w.Body.Bytes(), a
	}
	for name, answer := range facts.Answers {
		var then, is any
		body, _ := ask(name)
		storetest.Must(t, json.Unmarshal(answer, &then))
		storetest.Must(t, json.Unmarshal(body, &is))
		judged := then.(map[string]any)["verdetto"].(map[string]any)
		for field := range judged {
			// All other fields depend on the rule for verdicts, which has changed since version
			// 4a76271.
			if field != "campione" && field != "minimoCent" {
				delete(judged, field)
			}
		}
		if diff := cmp.Diff(then, fieldsOf(then, is)); diff != "" {
			t.Errorf("%s (-4a76271 +now):\n%s", name, diff)
		}
	}

	routes := []string{"MIL-BUH", "LON-PRG", "MIL-LON"}
	old := map[string][]fare.Observation{}
	for _, name := range routes {
		if old[name] = historyOf(t, fares, name); len(old[name]) == 0 {
			t.Fatalf("%s has no history", name)
		}
	}
	rates := fare.Rates{PerEuro: map[string]float64{"GBP": 0.87}}
	r := refresh.Refresher{Source: laterDays{gbp}, Fares: fares, Now: clock, Rates: rates}
	for day := range 3 {
		now = facts.Now.AddDate(0, 0, 1+day)
		if report, err := r.Run(t.Context()); err != nil || report.Failed > 0 || report.New != 2 {
			t.Fatal(report, err)
		}
		report, err := r.Deepen(t.Context())
		if err != nil || report.Failed > 0 || report.Calls != 2*report.Answered {
			t.Fatal(report, err)
		}
	}
	for _, name := range routes {
		all := historyOf(t, fares, name)
		for _, o := range old[name] {
			if !slices.Contains(all, o) {
				t.Errorf("%s: %+v is lost", name, o)
			}
		}
		_, a := ask(name)
		if a.Osservazioni != len(all) {
			t.Errorf("%s: %d observations are judged, %d are stored", name, a.Osservazioni, len(all))
		}
		if name == "MIL-LON" {
			continue // too little data, then and now
		}
		if len(all) <= len(old[name]) {
			t.Errorf("%s: nothing new is stored", name)
		}
		if diff := cmp.Diff(lowsByHand(all, fare.DayOf(now), rates), lowsOf(t, fares, name)); diff != "" {
			t.Errorf("%s: lows (-by hand +stored): %s", name, diff)
		}
	}
	if _, a := ask("LON-PRG"); a.Prezzo.Quotato != (verdict.Quotato{Importo: 18.49, Valuta: "GBP"}) ||
		a.Prezzo.Soste == nil {
		t.Errorf("%+v", a.Prezzo)
	}
}

// lowsByHand returns the cheapest fare of each day before today, in EUR cents. It assumes that all
// fares of a day were found on that day, because the file's routes were refreshed daily at the same
// hour.
func lowsByHand(all []fare.Observation, today fare.Day, rates fare.Rates) map[fare.Day]fare.Cents {
	lows := map[fare.Day]fare.Cents{}
	for _, o := range all {
		euro, _ := rates.Euro(float64(o.Price)/100, o.Currency.String())
		if low, ok := lows[o.FoundDay()]; o.FoundDay() < today && (!ok || euro < low) {
			lows[o.FoundDay()] = euro
		}
	}
	return lows
}

func lowsOf(t *testing.T, fares store.Fares, name string) map[fare.Day]fare.Cents {
	t.Helper()
	of, err := fare.ParseSeries(name)
	storetest.Must(t, err)
	data, _, err := fares.Summary(t.Context(), of, store.Strong)
	storetest.Must(t, err)
	s, err := verdict.Decode(data)
	storetest.Must(t, err)
	lows := map[fare.Day]fare.Cents{}
	for _, l := range s.Lows {
		lows[l.Day] = s.Euro(l.Price)
	}
	return lows
}

func historyOf(t *testing.T, fares store.Fares, name string) (all []fare.Observation) {
	t.Helper()
	of, err := fare.ParseSeries(name)
	storetest.Must(t, err)
	blocks, err := fares.Blocks(t.Context(), of, store.Strong)
	storetest.Must(t, err)
	for _, b := range blocks {
		if all, err = fare.Unpack(all, b.Data); err != nil {
			t.Fatal(err)
		}
	}
	return all
}
