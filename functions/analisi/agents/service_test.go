package agents_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"verdetto/functions/analisi"
	"verdetto/functions/analisi/agents"
	"verdetto/functions/analisi/analisitest"
	"verdetto/functions/pricetrends"
	"verdetto/shared/answer"
	"verdetto/shared/answer/view"
	"verdetto/shared/apikey"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/deals"
	"verdetto/shared/verdict/trends"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/limit"
)

var (
	now    = analisitest.Today
	today  = fare.DayOf(now)
	milbuh = analisitest.MilBuh
	millon = fare.Route{Origin: "MIL", Destination: "LON"}
)

type fares map[fare.Route]any

func (s fares) Summary(ctx context.Context, r fare.Series) (verdict.RouteSummary, error) {
	switch v := s[r.Route].(type) {
	case verdict.RouteSummary:
		return store.Summaries.Pack(v).Value()
	case error:
		return verdict.RouteSummary{}, v
	case func(context.Context):
		v(ctx)
	}
	return verdict.RouteSummary{}, store.ErrNotFound
}

func (fares) NoteDemand(context.Context, fare.Series, time.Time) error { return nil }

func (fares) RequestOrigin(context.Context, fare.City, time.Time) error { return nil }

func (fares) Trends(_ context.Context, origin fare.City) (trends.Origin, int64, error) {
	found := now.Add(-2 * time.Hour).Unix()
	switch origin {
	case "MIL":
	case "PAR":
		var many []trends.Entry
		for n := range 30 {
			many = append(many, trends.Entry{Destination: fare.City([]byte{'A', 'A', 'A' + byte(n)}), AsOf: today,
				Newest: found, Observations: 100 - n,
				Live: []trends.Live{{Depart: today + 2, Price: 1500, Found: found}}, Months: []verdict.Month{}})
		}
		return trends.Origin{}.Merge(many), 1, nil
	default:
		return trends.Origin{}, 0, store.ErrNotFound
	}
	return trends.Origin{}.Merge([]trends.Entry{
		{Destination: "LON", AsOf: today, Newest: found, Observations: 900, Sample: 60, Median: 5000,
			Minimum: 2000, Previous: 4000,
			Live:   []trends.Live{{Depart: today + 2, Price: 1500, Found: found}},
			Months: []verdict.Month{{Month: 3, Median: 4500, Minimum: 2000, Sample: 40}}},
		{Destination: "BUH", AsOf: today, Newest: found, Observations: 20, Sample: 7,
			Live: []trends.Live{{Depart: today + 3, Price: 9999, Found: found}}, Months: []verdict.Month{}},
		{Destination: "PAR", AsOf: today - 20, Newest: found, Observations: 5, Months: []verdict.Month{}},
	}), 1, nil
}

func (fares) Deals(_ context.Context, origin fare.City, _ fare.Trip) (deals.Origin, int64, error) {
	if origin != "MIL" {
		return deals.Origin{}, 0, store.ErrNotFound
	}
	var entries []deals.Entry
	for to, s := range map[fare.City]verdict.RouteSummary{"BUH": analisitest.SummaryOf(40),
		"LON": analisitest.SummaryOf(3)} {
		e := deals.Entry{Destination: to, AsOf: today, Observations: 1}
		for _, j := range verdict.CheapestAhead(s) {
			d := deals.Deal{Judged: j}
			if j.Verdict.Judged() {
				d.OwnDay = j.Verdict
			}
			e.Any.Route = append(e.Any.Route, d)
		}
		entries = append(entries, e)
	}
	return deals.Origin{}.Merge(entries), 1, nil
}

func (fares) LastRun(context.Context, store.Run) (time.Time, int64, error) { return now, 1, nil }

func (fares) Covered(_ context.Context, after fare.City, limit int) (some []fare.City, _ error) {
	for _, c := range []fare.City{"MIL", "ROM"} {
		if c > after && len(some) < limit {
			some = append(some, c)
		}
	}
	return some, nil
}

func (fares) Into(context.Context, fare.City, fare.City, int) ([]store.Into, error) { return nil, nil }

func (fares) Rates(context.Context) (fare.Rates, error) {
	return fare.Rates{Date: today - 1, PerEuro: map[string]float64{"USD": 1.25, "RON": 5}}, nil
}

type counters struct {
	mu     sync.Mutex
	taken  map[string]int64
	window map[string]string
	writes int
	reads  int
	err    error
}

func (c *counters) Query(_ context.Context, r store.Range) (items []store.Item, _ error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reads++
	if n, ok := c.taken[r.Partition]; ok && c.window[r.Partition] > r.After {
		items = append(items, store.Item{Key: store.Key{Partition: r.Partition, Sort: c.window[r.Partition]},
			Data: store.CounterData(n)})
	}
	return items, c.err
}

func (c *counters) Take(_ context.Context, key store.Key, n, most int64, _ time.Time) (int64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.taken[key.Partition] >= most {
		return most, store.ErrLimit
	}
	c.taken[key.Partition] += n
	c.window[key.Partition] = key.Sort
	c.writes++
	return c.taken[key.Partition], nil
}

func (c *counters) names() map[string]int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := map[string]int64{}
	for key, n := range c.taken {
		out[strings.Split(key, "#")[1]] += n
	}
	return out
}

type customers map[apikey.CustomerID]store.Customer

func (c customers) Customer(_ context.Context, id apikey.CustomerID) (store.Customer, error) {
	if found, ok := c[id]; ok {
		return found, nil
	}
	return store.Customer{}, store.ErrNotFound
}

func (c customers) key(t *testing.T, email string, until time.Time) string {
	t.Helper()
	id := apikey.CustomerIDOf([]byte("pepper"), email)
	text, hash, err := apikey.Mint(rand.Reader, id)
	if err != nil {
		t.Fatal(err)
	}
	c[id] = store.Customer{ID: id, Hash: hash[:], Until: until}
	return text
}

type fixture struct {
	*httpapi.API
	counters  *counters
	customers customers
	logs      *bytes.Buffer
}

func open(t testing.TB, s fares, data string) *fixture {
	t.Helper()
	return openAt(t, "", s, data)
}

func openAt(t testing.TB, base string, s fares, data string) *fixture {
	t.Helper()
	d := &fixture{counters: &counters{taken: map[string]int64{}, window: map[string]string{}}, customers: customers{},
		logs: &bytes.Buffer{}}
	clock := func() time.Time { return now }
	log := slog.New(slog.NewTextHandler(d.logs, nil))
	d.API = httpapi.New(httpapi.Config{
		AllFares: true, PaidCalls: true,
		Now: clock, Log: log, Limiter: limit.New(d.counters, clock), Customers: d.customers,
		Pepper: []byte("pepper"), Data: data,
	})
	verdicts := &analisi.Service{BaseURL: base, Reader: answer.NewReader(struct {
		fares
		analisitest.Sheets
	}{s, analisitest.Sheets{{Route: milbuh}: analisitest.DeparturesOf(60)}}, clock, log)}
	verdicts.Register(d.API)
	reader := &view.Reader{Reader: verdicts.Reader, AllFares: true}
	(&pricetrends.Service{Trends: reader}).Register(d.API)
	(&agents.Service{Answers: verdicts.Answers(), Pages: verdicts.Pages(), Trends: reader, Log: log}).Register(d.API)
	return d
}

func knownRoutes() fares {
	return fares{milbuh: analisitest.SummaryOf(40), millon: analisitest.SummaryOf(3)}
}

func (d *fixture) send(t *testing.T, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
	}
	for pair := range slices.Chunk(headers, 2) {
		r.Header.Del(pair[0])
		if pair[1] != "" {
			r.Header.Set(pair[0], pair[1])
		}
	}
	w := httptest.NewRecorder()
	d.ServeHTTP(w, r)
	return w
}

type result struct {
	Content []struct {
		Type, Text string
	}
	StructuredContent json.RawMessage
	IsError           bool
}

func (r result) code(t *testing.T) string {
	t.Helper()
	if !r.IsError || len(r.Content) != 1 || r.StructuredContent != nil {
		t.Fatalf("not a refusal: %+v", r)
	}
	code, _, _ := strings.Cut(r.Content[0].Text, ": ")
	return code
}

func (d *fixture) call(t *testing.T, tool, arguments string, headers ...string) (result, http.Header) {
	t.Helper()
	w := d.send(t, http.MethodPost, "/mcp",
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"`+tool+`","arguments":`+arguments+`}}`,
		headers...)
	var m struct {
		ID     int
		Result result
		Error  json.RawMessage
	}
	decode(t, bytes.NewReader(w.Body.Bytes()), &m)
	if w.Code != http.StatusOK || m.ID != 7 || m.Error != nil {
		t.Fatalf("%s %s: %d %s", tool, arguments, w.Code, w.Body)
	}
	return m.Result, w.Header()
}

func decode(t *testing.T, from io.Reader, into any) {
	t.Helper()
	if err := json.NewDecoder(from).Decode(into); err != nil {
		t.Fatal(err)
	}
}
