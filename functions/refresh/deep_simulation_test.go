package refresh_test

import (
	"encoding/json"
	"net/http"
	"path"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"verdetto/functions/refresh"
	"verdetto/shared/fare"
	"verdetto/shared/runtime/queue"
	"verdetto/shared/runtime/retry"
	"verdetto/shared/store"
	"verdetto/shared/upstream"
	"verdetto/shared/upstream/travelpayouts"
	"verdetto/shared/upstream/upstreamtest"
)

const latency = 300 * time.Millisecond

type slowTransport struct{ handlerTransport }

func (d slowTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := retry.Sleep(r.Context(), latency); err != nil {
		return nil, err
	}
	return d.handlerTransport.RoundTrip(r)
}

func simulateWeek(t *testing.T, routes, daily, workers int, perDay int64) {
	const perOrigin = 10
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var rows []upstream.Row
		var all []fare.Series
		for i := range routes {
			series := fare.Series{Route: fare.Route{Origin: originAt(i / perOrigin),
				Destination: originAt(17000 - i%perOrigin)}}
			all = append(all, series)
			for n := range 3 {
				rows = append(rows, upstream.Row{
					Origin: string(series.Origin), Destination: string(series.Destination),
					Depart: fare.DayOf(began) + fare.Day(40+n),
					Found:  began.Add(-time.Duration(1+n) * time.Hour), Price: float64(30 + i%50 + n), Currency: "EUR",
					Stops: fare.StopsOf(n * (i % 2)),
				})
			}
		}
		server := upstreamtest.Detached(rows, time.Now)
		server.PerMinute = travelpayouts.DefaultPerMinute
		table := openAt(t, time.Now)
		q := &fakeQueue{visibility: 30 * time.Minute, receives: 5, now: time.Now}
		process := func() *refresh.Function {
			client := clientOf(t, travelpayouts.Config{
				PerMinute:  travelpayouts.DefaultPerMinute / workers,
				HTTPClient: &http.Client{Transport: slowTransport{handlerTransport{server}}},
				Spend: refresh.Budget{Calls: store.Calls{Table: table}, Source: "travelpayouts", PerDay: perDay,
					Now: time.Now}.Spend,
			})
			return parallel(client, table, q)
		}
		var processes []*refresh.Function
		for range workers {
			processes = append(processes, process())
		}
		work := func(event string) time.Duration {
			t.Helper()
			since := time.Now()
			if _, err := processes[0].Event(t.Context(), json.RawMessage(event)); err != nil {
				t.Fatal(err)
			}
			var busy sync.WaitGroup
			for _, f := range processes {
				busy.Go(func() { q.work(t.Context(), 1, 5*time.Minute, queue.Handler(f.Messages)) })
			}
			busy.Wait()
			return time.Since(since)
		}
		t.Logf("%d routes from %d origins, %d in demand; %d workers, %v an answer, %d calls a day", routes,
			routes/perOrigin, daily, workers, latency, perDay)
		fares, asked := store.Fares{Table: table}, map[string]int{}
		seen := 0
		for day := range 7 {
			time.Sleep(time.Until(began.AddDate(0, 0, day)))
			discovery := time.Duration(0)
			if day == 0 {
				discovery = work(`{}`)
				for _, series := range all[:daily] {
					if err := fares.NoteDemand(t.Context(), series, began.AddDate(0, 0, 8)); err != nil {
						t.Fatal(err)
					}
				}
			}
			took := work(`{"departures":true}`)
			calls := server.Calls()
			byPath := map[string]int{}
			for _, c := range calls[seen:] {
				byPath[path.Base(c.Path)]++
				if strings.HasSuffix(c.Path, "grouped_prices") && strings.Contains(c.Query, "direct=false") {
					from := func(name string) string { _, v, _ := strings.Cut(c.Query, name+"="); return v[:3] }
					asked[from("origin")+"-"+from("destination")]++
				}
			}
			t.Logf("day %d: discovery %v, departures %v; calls %v", day+1, discovery.Round(time.Second),
				took.Round(time.Second), byPath)
			if n := int64(len(calls) - seen); n > perDay {
				t.Errorf("%d calls on day %d, the budget is %d", n, day+1, perDay)
			}
			seen = len(calls)
		}
		for i, series := range all {
			want := 1
			if i < daily {
				want = 7
			}
			if n := asked[series.String()]; n != want {
				t.Errorf("%s was asked for %d times in a week, want %d", series, n, want)
			}
		}
		turned := 0
		for _, c := range server.Calls() {
			if c.Status != http.StatusOK {
				turned++
			}
		}
		for endpoint, most := range server.BusiestByPath() {
			limit := 600
			if strings.HasSuffix(endpoint, "get_latest_prices") {
				limit = 300
			}
			t.Logf("%s: %d calls in the busiest 60 seconds, %d are granted", path.Base(endpoint), most, limit)
			if most > limit {
				t.Errorf("%s: %d calls in 60 seconds", endpoint, most)
			}
		}
		if turned > 0 || len(q.dead) > 0 {
			t.Errorf("%d calls were turned away, %d dead letters", turned, len(q.dead))
		}
	})
}
