package refresh_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/functions/refresh"
	"verdetto/shared/fare"
	"verdetto/shared/notify/notifytest"
	"verdetto/shared/runtime/queue"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
	"verdetto/shared/upstream"
	"verdetto/shared/verdict"
)

func deepMessage(id string, planned time.Time, series ...string) queue.Message {
	body, err := json.Marshal(map[string]any{"series": series, "planned": planned})
	if err != nil {
		panic(err)
	}
	return queue.Message{ID: id, Body: string(body), Received: 1}
}

func TestDeepMessages(t *testing.T) {
	unavailable := fmt.Errorf("%w: 503", upstream.ErrUnavailable)
	before := func(w *deepWorld) {
		w.work(deepMessage("0", today, "MIL-BUH"))
		w.source.takeQuestions()
	}
	for _, c := range []struct {
		name     string
		messages []queue.Message
		change   func(*deepWorld)
		failed   []string
		asked    []string
	}{
		{name: "all non-stop", messages: []queue.Message{deepMessage("1", today, "MIL-BUH", "MIL-LON")},
			asked: []string{"MIL-BUH", "MIL-LON"}},
		{name: "some with stops", messages: []queue.Message{deepMessage("1", today, "MIL-BUH", "MIL-LON")},
			change: func(w *deepWorld) { w.source.departures["MIL-BUH"] = departing("MIL-BUH", today, 3000, 0, 1, 0) },
			asked:  []string{"MIL-BUH", "MIL-BUH non-stop", "MIL-LON"}},
		{name: "stops not known", messages: []queue.Message{deepMessage("1", today, "MIL-BUH")},
			change: func(w *deepWorld) { w.source.departures["MIL-BUH"] = departing("MIL-BUH", today, 3000, -1) },
			asked:  []string{"MIL-BUH"}},
		{name: "nothing there", messages: []queue.Message{deepMessage("1", today, "MIL-BUH")},
			change: func(w *deepWorld) { delete(w.source.departures, "MIL-BUH") }, asked: []string{"MIL-BUH"}},
		{name: "a return", messages: []queue.Message{deepMessage("1", today, "MIL-BUH#4-7")},
			asked: []string{"MIL-BUH#4-7"}},
		{name: "one fails", messages: []queue.Message{deepMessage("1", today, "MIL-BUH", "MIL-LON", "MIL-PAR"),
			deepMessage("2", today, "ROM-PAR")},
			change: func(w *deepWorld) { w.source.departures["MIL-BUH"] = unavailable }, failed: []string{"1"},
			asked: []string{"MIL-BUH", "MIL-LON", "MIL-PAR", "ROM-PAR"}},
		{name: "the source refuses", messages: []queue.Message{deepMessage("1", today, "MIL-BUH", "MIL-LON",
			"MIL-PAR")},
			change: func(w *deepWorld) { w.source.departures["MIL-LON"] = upstream.ErrRefused }, failed: []string{"1"},
			asked: []string{"MIL-BUH", "MIL-LON"}},
		{name: "done before", messages: []queue.Message{deepMessage("1", today, "MIL-BUH", "MIL-LON")},
			change: before, asked: []string{"MIL-LON"}},
		{name: "planned since", messages: []queue.Message{deepMessage("1", today.Add(time.Second), "MIL-BUH")},
			change: before, asked: []string{"MIL-BUH"}},
		{name: "no moment", messages: []queue.Message{{ID: "1", Body: `{"series":["MIL-BUH"]}`}},
			change: before, asked: []string{"MIL-BUH"}},
		{name: "not to be read", messages: []queue.Message{
			{ID: "1", Body: `{"series":["MIL"]}`}, {ID: "2", Body: `{"series":["MIL-BUH#5"]}`},
			{ID: "3", Body: `{"series":["MIL-BUH","ROM-PAR"]}`},
			{ID: "4", Body: `{"series":["MIL-BUH"],"origins":["MIL"]}`}, {ID: "5", Body: `{"series":[]}`},
			{ID: "6", Body: `{"series":"MIL-BUH"}`}, {ID: "7", Body: `{"series":["mil-buh#"]}`},
			deepMessage("8", today, "MIL-BUH")}, failed: []string{"1", "2", "3", "4", "5", "6", "7"},
			asked: []string{"MIL-BUH"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newDeepWorld(t, open(t), "MIL-BUH", "MIL-LON", "MIL-PAR", "ROM-PAR")
			if c.change != nil {
				c.change(w)
			}
			failed := w.work(c.messages...)
			if diff := cmp.Diff(c.failed, failed) + cmp.Diff(c.asked, w.source.takeQuestions()); diff != "" ||
				len(w.queue.sent) > 0 {
				t.Errorf("sent %v; %s", w.queue.sent, diff)
			}
			for _, name := range c.asked {
				if is := w.source.departures[strings.TrimSuffix(name, " non-stop")]; !strings.HasSuffix(name,
					"non-stop") {
					_, bad := is.(error)
					if at := w.summaryOrNone(name).DeepRequest; (at == today.Unix()) == bad {
						t.Errorf("%s: asked at %d", name, at)
					}
				}
			}
		})
	}
}

func (w *deepWorld) summaryOrNone(name string) verdict.RouteSummary {
	if _, err := (store.Fares{Table: w.table}).Summary(w.t.Context(), seriesOf(name)); errors.Is(err,
		store.ErrNotFound) {
		return verdict.RouteSummary{}
	}
	return w.summary(name)
}

func TestNonStopIsAskedForWhereAFareHasStops(t *testing.T) {
	w := newDeepWorld(t, open(t), "MIL-BUH")
	w.source.departures["MIL-BUH"] = departing("MIL-BUH", today, 3000, 1, 0, 2)
	stray := append(departing("MIL-LON", today, 100, 0), departing("MIL-BUH", today.AddDate(-2, 0, 0), 100, 0)...)
	w.source.departures["MIL-BUH"] = append(w.source.departures["MIL-BUH"].([]fare.Fare), stray...)
	report := w.deepen()
	want := refresh.DeepReport{Answered: 1, Calls: 2, Fares: 3 + 2 + 1 + 2, New: 3,
		Dropped: map[upstream.Reason]int{upstream.BadPrice: 2, upstream.NotAsked: 2, upstream.TooOld: 2}}
	if diff := cmp.Diff(want, report); diff != "" {
		t.Error(diff)
	}
	s := w.summary("MIL-BUH")
	nonStop, known := s.WithoutStops()
	if live, ok := nonStop.Cheapest(fare.DayOf(today)); !known || !ok || live.Depart != fare.DayOf(today)+31 ||
		s.Observations != 4 || nonStop.Observations != 2 {
		t.Errorf("%+v", s)
	}
}

func (w *deepWorld) deepen() refresh.DeepReport {
	w.t.Helper()
	r := w.refresher(w.table)
	calls, done, total := 0, 0, 0
	r.DeepProgress = func(d, n int, at string) {
		if d <= done || at == "" {
			w.t.Errorf("progress went from %d to %d of %d at %q", done, d, n, at)
		}
		calls, done, total = calls+1, d, n
	}
	report, err := r.Deepen(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	if done != total || calls > total || report.Answered > 0 && calls == 0 {
		w.t.Errorf("%d calls say that %d of %d series are done: %+v", calls, done, total, report)
	}
	return report
}

func TestDeepMessages_UnderFaults(t *testing.T) {
	worlds := map[store.Table]*deepWorld{}
	prepared := func(t *testing.T) store.Table {
		w := newDeepWorld(t, open(t), "MIL-BUH", "MIL-LON", "ROM-PAR")
		w.source.departures["MIL-BUH"] = departing("MIL-BUH", today, 3000, 0, 1, 0)
		worlds[w.table] = w
		return w.table
	}
	messages := []queue.Message{deepMessage("1", today, "MIL-BUH", "MIL-LON"), deepMessage("2", today, "ROM-PAR")}
	calm := worlds[prepared(t)]
	calm.work(messages...)
	want, asked := contents(t, calm.table), len(calm.source.takeQuestions())
	eachFault(t, prepared, func(t *testing.T, f *storetest.Faulty) {
		w := worlds[f.Table]
		broken := w.function()
		broken.Fares.Table = f
		broken.Messages(t.Context(), messages)
		if failed := w.work(messages...); len(failed) > 0 {
			t.Errorf("failed %v", failed)
		}
		if diff := cmp.Diff(want, contents(t, w.table)); diff != "" {
			t.Error(diff)
		}
		if n := len(w.source.takeQuestions()); n > asked+2 {
			t.Errorf("asked %d times, want %d", n, asked)
		}
	})
}

func TestNewFaresReachSubscribers(t *testing.T) {
	h := notifytest.New(t)
	w := newDeepWorld(t, h.Table, "MIL-BUH", "MIL-LON")
	for day := range 20 {
		w.source.has["MIL"] = append(w.source.has["MIL"].([]fare.Fare),
			departing("MIL-BUH", today.AddDate(0, 0, -1-day), 5000, 0)...)
	}
	mustRun(t, w.refresher(h.Table))
	h.AddAlerts("MIL-BUH", 4500, "ada")
	price := func() fare.Cents {
		all, _, err := store.Fares{Table: h.Table}.Trends(t.Context(), "MIL")
		e, ok := all.Entry("BUH")
		if err != nil || !ok || len(e.Live) == 0 {
			t.Fatalf("%+v", e)
		}
		return e.Live[0].Price
	}
	if price() != 5000 {
		t.Fatal("the case is not what it should be")
	}
	broken := w.function()
	broken.Fares.Table = refusing{h.Table, []string{"ORIGIN#MIL", "SEEN#MIL-BUH", "WAKES"}}
	message := deepMessage("1", today, "MIL-BUH")
	if failed := broken.Messages(t.Context(), []queue.Message{message}); len(failed) != 1 || price() != 5000 {
		t.Fatalf("failed %v, %d", failed, price())
	}
	if failed := w.work(message); len(failed) > 0 || price() != 4000 {
		t.Errorf("failed %v, %d", failed, price())
	}
	if diff := cmp.Diff([]string{"MIL-BUH"}, w.source.takeQuestions()); diff != "" {
		t.Errorf("asked a second time: %s", diff)
	}
	if _, err := h.Sender().Work(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.WantMailed("ada")
}

func TestPlanPublishesAfterAKill(t *testing.T) {
	w := newDeepWorld(t, open(t), "MIL-BUH")
	before := contents(t, w.table)["ORIGIN#MIL TRENDS"]
	broken := w.refresher(refusing{w.table, []string{"ORIGIN#MIL"}})
	if _, err := broken.Deepen(t.Context()); err == nil {
		t.Fatal("no error")
	}
	asked := w.source.takeQuestions()
	if len(asked) == 0 || contents(t, w.table)["ORIGIN#MIL TRENDS"] != before {
		t.Fatalf("asked %v", asked)
	}
	w.deepen()
	if contents(t, w.table)["ORIGIN#MIL TRENDS"] == before {
		t.Error("what was found is not told")
	}
	if again := w.source.takeQuestions(); len(again) > 0 {
		t.Errorf("asked for a second time: %v", again)
	}
}

type refusing struct {
	store.Table
	partitions []string
}

func (r refusing) Write(ctx context.Context, ops ...store.Op) error {
	for _, op := range ops {
		if slices.Contains(r.partitions, op.Item.Partition) {
			return fmt.Errorf("%w: refused", store.ErrUnavailable)
		}
	}
	return r.Table.Write(ctx, ops...)
}

func TestDeepTimeRunsOut(t *testing.T) {
	all := []string{"MIL-BUH", "MIL-LON", "MIL-PAR"}
	for _, c := range []struct {
		name         string
		takes        time.Duration
		queueErr     error
		failed, sent []string
		done         int
		took         time.Duration
	}{
		{"time enough", time.Minute, nil, nil, nil, 3, 3 * time.Minute},
		{"not begun", 130 * time.Second, nil, nil, []string{"MIL-PAR"}, 2, 260 * time.Second},
		{"not begun, and the queue fails", 130 * time.Second, errPartial, []string{"1"}, []string{"MIL-PAR"}, 2,
			260 * time.Second},
		{"cut off", 200 * time.Second, nil, nil, all, 1, 295 * time.Second},
		{"cut off with nothing to show", 300 * time.Second, nil, []string{"1"}, nil, 0, 295 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newDeepWorld(t, open(t), all...)
				w.source.takes, w.queue.err = c.takes, c.queueErr
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
				defer cancel()
				began := time.Now()
				failed := w.function().Messages(ctx, []queue.Message{deepMessage("1", today, all...)})
				var sent []string
				for _, body := range w.queue.sent {
					var task struct{ Series []string }
					if err := json.Unmarshal([]byte(body), &task); err != nil {
						t.Fatal(err)
					}
					sent = append(sent, task.Series...)
				}
				if diff := cmp.Diff(c.failed, failed) + cmp.Diff(c.sent, sent); diff != "" ||
					time.Since(began) != c.took {
					t.Errorf("took %v; %s", time.Since(began), diff)
				}
				done := 0
				for _, name := range all {
					if w.summary(name).DeepRequest > 0 {
						done++
					}
				}
				if done != c.done {
					t.Errorf("%d done, want %d", done, c.done)
				}
			})
		})
	}
}

func TestWorkersRankAtThePlansRates(t *testing.T) {
	gbp, err := fare.ParseCurrency("GBP")
	if err != nil {
		t.Fatal(err)
	}
	w := newDeepWorld(t, open(t), "MIL-BUH")
	quoted := departing("LON-PRG", today, 1849, 0)
	quoted[0].Currency = gbp
	w.source.has["LON"], w.source.departures["LON-PRG"] = quoted, quoted
	f := w.function()
	f.CurrentRates = func(context.Context) fare.Rates { return fare.Rates{PerEuro: map[string]float64{"GBP": 0.8}} }
	if _, err := f.Event(t.Context(), json.RawMessage(`{}`)); err != nil {
		t.Fatal(err)
	}
	f.CurrentRates = nil
	if failed := f.Messages(t.Context(), []queue.Message{message("1", "2026-03-04T12:00:00Z", "LON"),
		deepMessage("2", today, "LON-PRG")}); len(failed) > 0 {
		t.Fatal(failed)
	}
	s := w.summary("LON-PRG")
	if live, ok := s.Cheapest(fare.DayOf(today)); !ok || s.Quote(live) != (fare.Money{Amount: 1849, Currency: gbp}) ||
		s.Euro(live.Price) != 2311 {
		t.Errorf("%+v", s)
	}
	f = w.function()
	f.Fares.Table = unreadable{w.table, "FARES"}
	w.source.takeQuestions()
	if failed := f.Messages(t.Context(), []queue.Message{deepMessage("1", today.Add(time.Hour),
		"LON-PRG")}); len(failed) != 1 || len(w.source.takeQuestions()) > 0 {
		t.Errorf("failed %v", failed)
	}
}

type unreadable struct {
	store.Table
	partition string
}

func (u unreadable) Get(ctx context.Context, key store.Key, read store.Consistency) (store.Item, error) {
	if key.Partition == u.partition {
		return store.Item{}, fmt.Errorf("%w: not to be read", store.ErrUnavailable)
	}
	return u.Table.Get(ctx, key, read)
}

func TestDeepReport(t *testing.T) {
	var text strings.Builder
	refresh.DeepReport{}.Print(&text)
	if text.Len() > 0 {
		t.Errorf("of nothing: %s", &text)
	}
	w := newDeepWorld(t, open(t), "MIL-BUH", "MIL-LON")
	w.demand("MIL-BUH", "MIL-LON")
	w.source.departures["MIL-LON"] = fmt.Errorf("%w: 503", upstream.ErrUnavailable)
	w.deepen().Print(&text)
	want := "departures    1 routes asked for with 1 questions, 1 failed, 0 left\nobservations  1 new of 1\n  left out    1: price not credible\n  fault       MIL-LON: ask for departures: the fare source could not be asked: 503\n"
	if diff := cmp.Diff(want, text.String()); diff != "" {
		t.Error(diff)
	}
}
