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
	"verdetto/shared/runtime/retry"
	"verdetto/shared/store"
	"verdetto/shared/upstream"
	"verdetto/shared/verdict"
)

type deepSource struct {
	*source
	departures map[string]any
	takes      time.Duration

	mu        sync.Mutex
	questions []string
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
		if err := retry.Sleep(ctx, s.takes); err != nil {
			return upstream.Answer{}, err
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

func (s *deepSource) takeQuestions() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.questions
	s.questions = nil
	slices.Sort(asked)
	return asked
}

func departing(name string, found time.Time, price fare.Cents, stops ...int) (all []fare.Fare) {
	series := seriesOf(name)
	nights, _ := series.Trip.Nights()
	for i, n := range stops {
		all = append(all, fare.Fare{Route: series.Route, Observation: fare.Observation{
			Found: fare.DayOf(found).Time().Unix(), Depart: fare.DayOf(found) + 30 + fare.Day(i), Price: price,
			Stops:  fare.StopsOf(n),
			Nights: int16(nights), DayOnly: true,
		}})
	}
	return all
}

type deepWorld struct {
	t      *testing.T
	now    time.Time
	table  store.Table
	source *deepSource
	queue  *recordingQueue
	log    bytes.Buffer
}

func newDeepWorld(t *testing.T, table store.Table, routes ...string) *deepWorld {
	t.Helper()
	w := &deepWorld{t: t, now: today, table: table, queue: &recordingQueue{},
		source: &deepSource{source: &source{has: map[fare.City]any{}}, departures: map[string]any{}}}
	for _, name := range routes {
		r := notifytest.Route(name)
		fares, _ := w.source.has[r.Origin].([]fare.Fare)
		w.source.has[r.Origin] = append(fares, departing(name, today.AddDate(0, 0, -1), 5000, 0)...)
		w.source.departures[name] = departing(name, today, 4000, 0)
	}
	mustRun(t, w.refresher(table))
	return w
}

func (w *deepWorld) clock() time.Time { return w.now }

func (w *deepWorld) refresher(table store.Table) refresh.Refresher {
	return refresher(w.source, table, w.clock)
}

func (w *deepWorld) function() *refresh.Function {
	return &refresh.Function{Refresher: w.refresher(w.table), Queue: w.queue,
		Log: slog.New(slog.NewJSONHandler(&w.log, nil)), Metrics: metrics.NewSource("verdetto-refresh")}
}

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

func (w *deepWorld) work(messages ...queue.Message) (failed []string) {
	return w.function().Messages(w.t.Context(), messages)
}

func (w *deepWorld) day() []string {
	w.t.Helper()
	messages, _ := w.plan()
	if failed := w.work(messages...); len(failed) > 0 {
		w.t.Fatalf("failed: %v; %s", failed, &w.log)
	}
	return w.source.takeQuestions()
}

func (w *deepWorld) summary(name string) verdict.RouteSummary {
	w.t.Helper()
	return summaryOf(w.t, w.table, seriesOf(name))
}

func (w *deepWorld) demand(names ...string) {
	w.t.Helper()
	for _, name := range names {
		if err := (store.Fares{Table: w.table}).NoteDemand(w.t.Context(), seriesOf(name),
			w.now.AddDate(0, 0, 8)); err != nil {
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
