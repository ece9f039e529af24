package verdict

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/shared/fare"
	"verdetto/shared/runtime/lambdahttp"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/store/dynamostore/dynamolocal"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/trends"
)

// A floor is the least program that makes the same calls to the store and sends the same answer.

var floorLines = []struct{ name, target string }{
	{"verdict", fixture.Question},
	{"departure", fixture.Question + "&partenza=2016-04-20"},
	{"month", fixture.Question + "&mese=2016-04"},
	{"trends of 50", "/v1/price-trends?origin=ROM"},
	{"trends of 500", "/v1/price-trends?origin=PAR"},
	{"page", "/?da=Milano&a=Bucarest"},
}

const calendarQuestion = "/v1/calendario?origine=Milano&destinazione=Bucarest"

const mcpVerdict = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"flight_price_verdict",` +
	`"arguments":{"origin":"Milano","destination":"Bucarest"}}}`

// BenchmarkFloorLambda measures processor time over DynamoDB Local.
func BenchmarkFloorLambda(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(200)) // as on Lambda
	table := &replayed{Table: floorData(b, fixture.Unlimited{Table: dynamolocal.Table(b, today)})}
	api := floorService(b, table)
	example, err := os.ReadFile(fixture.Path(b, "events", "analisi.json"))
	if err != nil {
		b.Fatal(err)
	}
	for _, line := range floorLines {
		b.Run(line.name, func(b *testing.B) {
			var event events.APIGatewayV2HTTPRequest
			if err := json.Unmarshal(example, &event); err != nil {
				b.Fatal(err)
			}
			event.RawPath, event.RawQueryString, _ = strings.Cut(line.target, "?")
			payload, err := json.Marshal(event)
			if err != nil {
				b.Fatal(err)
			}
			invoke := func(h lambda.Handler) []byte {
				answer, err := h.Invoke(b.Context(), payload)
				if err != nil || !bytes.HasPrefix(answer, []byte(`{"statusCode":200`)) {
					b.Fatalf("%.300s %v", answer, err)
				}
				return answer
			}
			ours := lambda.NewHandler(lambdahttp.Adapt(api))
			invoke(ours) // reads what a process reads once
			var last []byte
			calls := table.record(func() { last = invoke(ours) })
			var answer events.APIGatewayV2HTTPResponse
			if err := json.Unmarshal(last, &answer); err != nil {
				b.Fatal(err)
			}
			floor := lambda.NewHandler(func(ctx context.Context, _ events.APIGatewayV2HTTPRequest) (
				events.APIGatewayV2HTTPResponse, error) {
				return answer, calls.replay(ctx)
			})
			compare(b, 200, func() { invoke(ours) }, func() { invoke(floor) })
		})
	}
}

// BenchmarkFloorInProcess measures processor time over a store in memory, as a multiple of a
// verdict's.
func BenchmarkFloorInProcess(b *testing.B) {
	api := floorService(b, &inMemory{Table: floorData(b, fixture.Bolt(b, today)), items: map[store.Key]store.Item{}})
	call := func(method, target, body string) func() {
		return func() {
			r := httptest.NewRequest(method, target, strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			api.ServeHTTP(w, r)
			if w.Code != http.StatusOK || strings.Contains(w.Body.String(), `"isError"`) {
				b.Fatalf("%d %.300s", w.Code, w.Body)
			}
		}
	}
	unit := call("GET", fixture.Question, "")
	b.Run("MCP verdict", func(b *testing.B) { compare(b, 1000, call("POST", "/mcp", mcpVerdict), unit) })
	b.Run("calendar", func(b *testing.B) { compare(b, 300, call("GET", calendarQuestion, ""), unit) })
	b.Run("page", func(b *testing.B) { compare(b, 300, call("GET", "/?da=Milano&a=Bucarest", ""), unit) })
}

// BenchmarkFloorOneMachine calls one machine and a bare server over 64 connections. Both count
// calls in the same group commits. It reports the bare server's processor time, with its callers,
// as a part of one machine's: on an idle machine this is the part of its rate.
func BenchmarkFloorOneMachine(b *testing.B) {
	table, err := boltstore.Open(filepath.Join(b.TempDir(), "bare.db"), today)
	if err != nil {
		b.Fatal(err)
	}
	defer table.Close()
	replayed := &replayed{Table: floorData(b, fixture.Unlimited{Table: table})}
	api := floorService(b, replayed)
	var answer *httptest.ResponseRecorder
	ask := func() {
		answer = httptest.NewRecorder()
		api.ServeHTTP(answer, httptest.NewRequest("GET", fixture.Question, nil))
	}
	ask()
	calls := replayed.record(ask)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	bare := &httptest.Server{Listener: listener, Config: &http.Server{Handler: http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			if err := calls.replay(r.Context()); err != nil {
				b.Error(err)
			}
			for name, values := range answer.Header() {
				w.Header()[name] = values
			}
			_, _ = w.Write(answer.Body.Bytes()) // an error means that the caller has disconnected
		})}}
	bare.Start()
	defer bare.Close()
	ours := service(b, func(t store.Table) store.Table { return t })
	spent := func(address string) (perAnswer, perSecond float64) {
		before := processor(b)
		perSecond, _, _ = load(b, address, 64, 0, false, time.Second)
		return float64(processor(b)-before) / perSecond, perSecond
	}
	var parts, rates []float64
	for range rounds {
		own, perSecond := spent(ours)
		least, _ := spent(listener.Addr().String())
		parts, rates = append(parts, least/own), append(rates, perSecond)
	}
	report(b, parts, "of-floor")
	b.ReportMetric(middle(rates), "verdicts/s")
}

const rounds = 6

// compare makes both calls in turn, and reports ours as a multiple of the floor's processor time.
func compare(b *testing.B, calls int, ours, floor func()) {
	spent := func(call func()) float64 {
		before := processor(b)
		for range calls {
			call()
		}
		return float64((processor(b) - before).Nanoseconds()) / float64(calls) / 1000
	}
	spent(ours)
	spent(floor)
	var ratios, own []float64
	for range rounds {
		own = append(own, spent(ours))
		ratios = append(ratios, own[len(own)-1]/spent(floor))
	}
	report(b, ratios, "x-floor")
	b.ReportMetric(middle(own), "cpu-µs")
}

// report replaces the time per call by the median, the least and the greatest of figures.
func report(b *testing.B, figures []float64, unit string) {
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(middle(figures), unit)
	b.ReportMetric(slices.Min(figures), "min")
	b.ReportMetric(slices.Max(figures), "max")
}

func middle(figures []float64) float64 {
	sorted := slices.Sorted(slices.Values(figures))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

func today() time.Time { return fixture.Today }

// floorService logs the lines of Lambda's log.
func floorService(b *testing.B, table store.Table) http.Handler {
	return fixture.New(b, onemachine.Options{Table: table, Source: fixture.Fares(nil), Now: today,
		Log: slog.New(slog.NewJSONHandler(io.Discard, nil))}).API
}

// floorData fills a table with a route with fares of about 300 departures, and the price trends of
// Rome with 50 and of Paris with 500 destinations.
func floorData(b *testing.B, table store.Table) store.Table {
	day := fare.DayOf(fixture.Today)
	fixture.Refreshed(b, table, fixture.Invent(45_000, verdict.HistoryDays-1, day), today)
	for origin, n := range map[fare.City]int{"ROM": 50, "PAR": 500} {
		var all []trends.Entry
		for i := range n {
			e := trends.Entry{Destination: fare.City([]byte{byte('A' + i/676), byte('A' + i/26%26), byte('A' + i%26)}),
				AsOf: day, Newest: fixture.Today.Unix() - int64(i), Observations: 7*i + 1, Median: 4000, Minimum: 1500,
				Sample: 1 + i, Live: []trends.Live{{Depart: day + fare.Day(i%300), Price: fare.Cents(3000 + i),
					Found: fixture.Today.Unix() - int64(i), Level: verdict.Buono, Certainty: verdict.Alta,
					Percentile: i % 100}}}
			for m := range 12 {
				e.Months = append(e.Months, trends.Month{Month: m + 1, Median: fare.Cents(4000 + 31*i*m%5000),
					Minimum: 2000, Sample: i + m})
			}
			all = append(all, e)
		}
		data := trends.Origin{}.Merge(all).Encode()
		if err := (store.Fares{Table: table}).PutTrends(b.Context(), origin, data, 0, nil); err != nil {
			b.Fatal(err)
		}
	}
	return table
}

// replayed records calls, so that a floor makes the same.
type replayed struct {
	store.Table
	recording bool
	calls     calls
}

type calls []func(context.Context) error

func (c calls) replay(ctx context.Context) (err error) {
	for _, call := range c {
		err = cmp.Or(err, call(ctx))
	}
	return err
}

func (r *replayed) record(f func()) calls {
	r.recording, r.calls = true, nil
	f()
	r.recording = false
	return r.calls
}

func (r *replayed) note(call func(context.Context) error) {
	if r.recording {
		r.calls = append(r.calls, call)
	}
}

func (r *replayed) Get(ctx context.Context, key store.Key, read store.Consistency) (store.Item, error) {
	r.note(func(ctx context.Context) error {
		_, err := r.Table.Get(ctx, key, read)
		return err
	})
	return r.Table.Get(ctx, key, read)
}

func (r *replayed) Query(ctx context.Context, of store.Range) ([]store.Item, error) {
	r.note(func(ctx context.Context) error {
		_, err := r.Table.Query(ctx, of)
		return err
	})
	return r.Table.Query(ctx, of)
}

func (r *replayed) Take(ctx context.Context, key store.Key, n, limit int64, expires time.Time) (int64, error) {
	r.note(func(ctx context.Context) error {
		_, err := r.Table.Take(ctx, key, n, limit, expires)
		return err
	})
	return r.Table.Take(ctx, key, n, limit, expires)
}

// inMemory reads each item once. It refuses no call and stores nothing.
type inMemory struct {
	store.Table
	items map[store.Key]store.Item
}

func (m *inMemory) Get(ctx context.Context, key store.Key, read store.Consistency) (item store.Item, err error) {
	item, ok := m.items[key]
	if !ok {
		item, err = m.Table.Get(ctx, key, read)
		m.items[key] = item
	}
	return item, err
}

func (*inMemory) Take(context.Context, store.Key, int64, int64, time.Time) (int64, error) {
	return 1, nil
}

func (*inMemory) Write(context.Context, ...store.Op) error { return nil }
