package refresh_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"verdetto/functions/refresh"
	"verdetto/shared/fare"
	"verdetto/shared/notify/notifytest"
	"verdetto/shared/runtime/metrics"
	"verdetto/shared/runtime/queue"
	"verdetto/shared/store"
	"verdetto/shared/upstream"
	"verdetto/shared/verdict"
)

// deepSource can be asked for one route as well. What a series has is an error, or
// the fares of its departures; those without stops alone are told where they are asked for.
type deepSource struct {
	*source
	departures map[string]any // by series
	takes      time.Duration  // each question

	mu        sync.Mutex
	questions []string // a series, and "non-stop" behind it
}

func (s *deepSource) Departures(ctx context.Context, q upstream.Question, until time.Time) (upstream.Answer, error) {
	s.mu.Lock()
	name := q.Series.String()
	if q.NonStop {
		name += " non-stop"
	}
	s.questions = append(s.questions, name)
	s.mu.Unlock()
	if s.takes > 0 {
		select {
		case <-time.After(s.takes):
		case <-ctx.Done():
			return upstream.Answer{}, ctx.Err()
		}
	}
	answer := upstream.Answer{Dropped: map[upstream.Reason]int{upstream.BadPrice: 1}}
	switch has := s.departures[q.Series.String()].(type) {
	case error:
		return upstream.Answer{}, has
	case []fare.Fare:
		for _, f := range has {
			if n, known := f.Stops.Number(); !q.NonStop || known && n == 0 {
				answer.Fares = append(answer.Fares, f)
			}
		}
	}
	return answer, nil
}

// asked gives the questions since the last call, in alphabetical order.
func (s *deepSource) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.questions
	s.questions = nil
	slices.Sort(asked)
	return asked
}

func seriesOf(name string) fare.Series {
	s, err := fare.ParseSeries(name)
	if err != nil {
		panic(err)
	}
	return s
}

// departing are fares of a series found on a day, one for each number of stops.
func departing(name string, found time.Time, price fare.Cents, stops ...int) (all []fare.Fare) {
	of := seriesOf(name)
	nights, _ := of.Trip.Nights()
	for i, n := range stops {
		all = append(all, fare.Fare{Route: of.Route, Observation: fare.Observation{
			Found: fare.DayOf(found).Time().Unix(), Depart: fare.DayOf(found) + 30 + fare.Day(i), Price: price, Stops: fare.StopsOf(n),
			Nights: int16(nights), DayOnly: true,
		}})
	}
	return all
}

// deepWorld is a service of a few routes at a clock that a test sets forward.
type deepWorld struct {
	t      *testing.T
	now    time.Time
	table  store.Table
	source *deepSource
	queue  *recordingQueue
	log    bytes.Buffer
}

// newDeepWorld covers routes of these names; each has a direct fare, a day of departure.
func newDeepWorld(t *testing.T, table store.Table, routes ...string) *deepWorld {
	t.Helper()
	w := &deepWorld{t: t, now: today, table: table, queue: &recordingQueue{}, source: &deepSource{source: &source{has: map[fare.City]any{}}, departures: map[string]any{}}}
	for _, name := range routes {
		r := notifytest.Route(name)
		had, _ := w.source.has[r.Origin].([]fare.Fare)
		w.source.has[r.Origin] = append(had, departing(name, today.AddDate(0, 0, -1), 5000, 0)...)
		w.source.departures[name] = departing(name, today, 4000, 0)
	}
	run := w.refresher(table)
	if report, err := run.Run(t.Context()); err != nil || report.Failed > 0 {
		t.Fatal(report, err)
	}
	return w
}

func (w *deepWorld) clock() time.Time { return w.now }

func (w *deepWorld) refresher(table store.Table) refresh.Refresher {
	return refresh.Refresher{Source: w.source, Fares: store.Fares{Table: table}, Now: w.clock, Workers: 1}
}

func (w *deepWorld) function() *refresh.Function {
	return &refresh.Function{Refresher: w.refresher(w.table), Queue: w.queue, Log: slog.New(slog.NewJSONHandler(&w.log, nil)), Metrics: metrics.Of("verdetto-refresh")}
}

// plan is what the event of a day puts on the queue: the series of each message.
func (w *deepWorld) plan() (messages []queue.Message, series [][]string) {
	w.t.Helper()
	w.queue.sent = nil
	if _, err := w.function().Event(w.t.Context(), json.RawMessage(`{"departures":true}`)); err != nil {
		w.t.Fatal(err)
	}
	for i, body := range w.queue.sent {
		var task struct {
			Series  []string
			Planned time.Time
		}
		if err := json.Unmarshal([]byte(body), &task); err != nil || !task.Planned.Equal(w.now) {
			w.t.Fatalf("message %s: %v", body, err)
		}
		messages = append(messages, queue.Message{ID: fmt.Sprint(i), Body: body, Received: 1})
		series = append(series, task.Series)
	}
	w.queue.sent = nil
	return messages, series
}

// day plans a day and works all of it, and gives the series that were asked for.
func (w *deepWorld) day() []string {
	w.t.Helper()
	messages, _ := w.plan()
	if failed := w.function().Messages(w.t.Context(), messages); len(failed) > 0 {
		w.t.Fatalf("failed: %v; %s", failed, &w.log)
	}
	return w.source.asked()
}

func (w *deepWorld) summary(name string) verdict.RouteSummary {
	w.t.Helper()
	data, _, err := store.Fares{Table: w.table}.Summary(w.t.Context(), seriesOf(name), store.Strong)
	if err != nil {
		w.t.Fatal(err)
	}
	s, err := verdict.Decode(data)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// demand notes that a series was asked for on the day.
func (w *deepWorld) demand(names ...string) {
	w.t.Helper()
	for _, name := range names {
		if err := (store.Fares{Table: w.table}).NoteDemand(w.t.Context(), seriesOf(name), w.now.AddDate(0, 0, 8)); err != nil {
			w.t.Fatal(err)
		}
	}
}

func routesFrom(origin string, n int) (names []string) {
	for i := range n {
		names = append(names, origin+"-"+string(originAt(17000-i)))
	}
	slices.Sort(names)
	return names
}
