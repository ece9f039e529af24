package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/functions/refresh"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/upstream"
	"verdetto/shared/verdict"
)

// These tests and benchmarks show that the cost of a verdict does not grow with
// the history of its route.

// sizes are how many observations a route is given, spread over all days that are kept.
var sizes = []int{100, 10_000, 1_000_000}

// told is a source that has been told what it knows, in order of found.
type told []fare.Fare

func (told) Name() string { return "told" }

func (s told) Origins(ctx context.Context) ([]fare.City, error) {
	return []fare.City{"MIL"}, ctx.Err()
}

func (s told) Fares(ctx context.Context, origin fare.City, since, until time.Time) (upstream.Answer, error) {
	at := func(moment time.Time) int {
		i, _ := slices.BinarySearchFunc(s, moment.Unix()+1, func(f fare.Fare, found int64) int { return int(f.Found - found) })
		return i
	}
	first := 0
	if !since.IsZero() {
		first = at(since)
	}
	return upstream.Answer{Fares: slices.Clone(s[first:max(first, at(until))])}, ctx.Err()
}

// invent makes n fares from Milan to Bucharest, spread over so many days before
// last and departing up to 330 days ahead.
func invent(n, days int, last fare.Day) told {
	chance := rand.New(rand.NewPCG(7, uint64(n)))
	fares := make(told, n)
	for i := range fares {
		found := last - fare.Day(days) + fare.Day(i*days/n)
		fares[i] = fare.Fare{
			Route: fare.Route{Origin: "MIL", Destination: "BUH"},
			Observation: fare.Observation{
				Found:  found.Time().Unix() + int64(chance.IntN(24*60*60)),
				Depart: found + fare.Day(chance.IntN(331)),
				Price:  fare.Cents(1999 + 100*chance.IntN(200)),
			},
		}
	}
	slices.SortFunc(fares, func(a, b fare.Fare) int { return a.Compare(b.Observation) })
	return fares
}

// observed makes a store in which the route from Milan to Bucharest has so many observations.
func observed(t testing.TB, observations int, at time.Time) store.Table {
	t.Helper()
	now := func() time.Time { return at }
	table, err := boltstore.Open(filepath.Join(t.TempDir(), "test.db"), now, boltstore.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { table.Close() })
	r := refresh.Refresher{Source: invent(observations, verdict.HistoryDays-1, fare.DayOf(at)), Fares: store.Fares{Table: table}, Now: now}
	report, err := r.Run(t.Context())
	if err != nil || report.Failed > 0 || report.New != observations {
		t.Fatalf("%+v %v", report, err)
	}
	return table
}

// serving is the whole service over a store on a day.
func serving(table store.Table, at time.Time) http.Handler {
	c := choices{now: func() time.Time { return at }, log: slog.New(slog.DiscardHandler)}
	return whole(&c, table, told(nil), []byte("pepper"))
}

var today = time.Date(2016, 3, 1, 12, 0, 0, 0, time.UTC)

const question = "/v1/analisi?origine=Milano&destinazione=Bucarest"

// counting is a table that notes which calls are made.
type counting struct {
	store.Table
	mu    sync.Mutex
	calls []string
}

func (c *counting) note(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls = append(c.calls, fmt.Sprintf(format, args...))
}

func (c *counting) Get(ctx context.Context, key store.Key, read store.Consistency) (store.Item, error) {
	c.note("Get %s %s, strong %t", key.Partition, key.Sort, read == store.Strong)
	return c.Table.Get(ctx, key, read)
}

func (c *counting) Query(ctx context.Context, r store.Range) ([]store.Item, error) {
	c.note("Query %s", r.Partition)
	return c.Table.Query(ctx, r)
}

func (c *counting) Write(ctx context.Context, ops ...store.Op) error {
	c.note("Write of %d", len(ops))
	return c.Table.Write(ctx, ops...)
}

func (c *counting) Take(ctx context.Context, key store.Key, limit int64, expires time.Time) (int64, error) {
	c.note("Take")
	return c.Table.Take(ctx, key, limit, expires)
}

// endless is a table in which no cap is ever reached, though counting costs what it costs.
type endless struct{ store.Table }

func (e endless) Take(ctx context.Context, key store.Key, _ int64, expires time.Time) (int64, error) {
	return e.Table.Take(ctx, key, math.MaxInt64, expires)
}

// TestVerdictCostsOneRead: whatever the length of the history, a verdict takes
// from one counter and gets one sheet, which one read unit pays for.
func TestVerdictCostsOneRead(t *testing.T) {
	want := []string{"Take", "Get ROUTE#MIL-BUH SHEET, strong false"}
	for _, n := range sizes {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			table := &counting{Table: observed(t, n, today)}
			w := httptest.NewRecorder()
			serving(table, today).ServeHTTP(w, httptest.NewRequest("GET", question, nil))
			var a verdict.Analysis
			if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil || w.Code != http.StatusOK {
				t.Fatalf("%d %s %v", w.Code, w.Body, err)
			}
			if diff := cmp.Diff(want, table.calls); diff != "" {
				t.Errorf("calls to the store: %s", diff)
			}
			if a.Osservazioni != n || a.Verdetto.Percentile == nil {
				t.Errorf("that is no verdict on %d observations: %s", n, w.Body)
			}
			sheet, _, err := store.Fares{Table: table.Table}.Summary(t.Context(), fare.Route{Origin: "MIL", Destination: "BUH"}, store.Strong)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("the sheet has %d bytes", len(sheet))
			checkSheet(t, sheet)
		})
	}
}

// checkSheet: an eventual read of up to 8 KB costs one unit, names and keys of the item included.
func checkSheet(t *testing.T, sheet []byte) {
	t.Helper()
	const names = 200
	if len(sheet)+names > 8<<10 {
		t.Errorf("the sheet has %d bytes: reading it costs more than one unit", len(sheet))
	}
}

// TestSheetOfThreeYears: lows are kept for three years, single observations for 400 days.
// A sheet is largest where something was found on each of those days.
func TestSheetOfThreeYears(t *testing.T) {
	now := time.Date(2013, 1, 1, 3, 0, 0, 0, time.UTC)
	last := fare.DayOf(now) + verdict.LowDays + 30
	table := bolt(t, func() time.Time { return now })
	r := refresh.Refresher{
		Source: invent(20*verdict.LowDays, verdict.LowDays+30, last), Fares: store.Fares{Table: table},
		Now: func() time.Time { return now },
	}
	for ; fare.DayOf(now) < last; now = now.AddDate(0, 0, 7) {
		if report, err := r.Run(t.Context()); err != nil || report.Failed > 0 {
			t.Fatalf("%+v %v", report, err)
		}
	}
	data, _, err := r.Fares.Summary(t.Context(), fare.Route{Origin: "MIL", Destination: "BUH"}, store.Strong)
	if err != nil {
		t.Fatal(err)
	}
	sheet, err := verdict.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if len(sheet.Lows) < verdict.LowDays-8 {
		t.Fatalf("the sheet has %d lows, want about %d", len(sheet.Lows), verdict.LowDays)
	}
	t.Logf("%d lows in %d bytes", len(sheet.Lows), len(data))
	checkSheet(t, data)
}

// BenchmarkVerdict asks over loopback with keep-alive. The last one asks services
// of all sizes in turn, so that what else the machine does falls on all alike,
// and gives their median times as ratios to the least.
func BenchmarkVerdict(b *testing.B) {
	asks := make([]func(), len(sizes))
	for i, n := range sizes {
		asks[i] = asker(b, serving(endless{observed(b, n, today)}, today))
	}
	for i, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				asks[i]()
			}
		})
	}
	b.Run("ratio", func(b *testing.B) {
		spent := make([][]time.Duration, len(sizes))
		turn := 0
		for b.Loop() {
			for k := range asks {
				i := (turn + k) % len(asks) // whoever comes first or last gains nothing by it
				begun := time.Now()
				asks[i]()
				spent[i] = append(spent[i], time.Since(begun))
			}
			turn++
		}
		medians := make([]time.Duration, len(sizes))
		for i, s := range spent {
			slices.Sort(s)
			medians[i] = s[len(s)/2]
		}
		least := slices.Min(medians)
		for i, n := range sizes {
			b.ReportMetric(float64(medians[i])/float64(least), fmt.Sprintf("x-at-%d", n))
		}
	})
}

// asker serves on loopback and gives what asks once.
func asker(b *testing.B, h http.Handler) func() {
	b.Helper()
	server := httptest.NewServer(h)
	b.Cleanup(server.Close)
	var body bytes.Buffer
	return func() {
		response, err := server.Client().Get(server.URL + question)
		if err != nil {
			b.Fatal(err)
		}
		defer response.Body.Close()
		body.Reset()
		if _, err := io.Copy(&body, response.Body); err != nil || response.StatusCode != http.StatusOK {
			b.Fatalf("%d %s %v", response.StatusCode, &body, err)
		}
	}
}
