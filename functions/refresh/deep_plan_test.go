package refresh_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/functions/refresh"
	"verdetto/shared/fare"
	"verdetto/shared/notify/notifytest"
	"verdetto/shared/store"
	"verdetto/shared/upstream"
)

// The plan contains 11 routes a day: a seventh of the 70 routes, plus a tenth of that seventh.
func TestEveryRouteOnceAWeek(t *testing.T) {
	all := slices.Concat(routesFrom("MIL", 60), routesFrom("ROM", 10))
	w := newDeepWorld(t, open(t), all...)
	var days [][]string
	times := map[string]int{}
	for range 21 {
		asked := w.day()
		days = append(days, asked)
		for _, name := range asked {
			times[name]++
		}
		w.now = w.now.Add(24 * time.Hour)
	}
	for i, asked := range days {
		if len(asked) > 11 || i < 6 && len(asked) != 11 {
			t.Errorf("day %d: %d of 70 routes are asked for, want 11", i, len(asked))
		}
	}
	for _, name := range all {
		if times[name] != 3 {
			t.Errorf("%s was asked for %d times in three weeks", name, times[name])
		}
	}
}

func TestSeriesInDemandAreRequestedDaily(t *testing.T) {
	h := notifytest.New(t)
	all := slices.Concat(routesFrom("MIL", 40), []string{"ROM-PAR"})
	w := newDeepWorld(t, h.Table, all...)
	h.AddAlerts("ROM-PAR", 0, "ada")
	// LON-PAR is not covered, and all[0] is in demand only as a return trip.
	w.demand(all[39], all[39]+"#4-7", all[39]+"#1-3", "LON-PAR", all[0]+"#8-14")
	for day := range 3 {
		_, series := w.plan()
		if len(series) < 2 || !slices.Equal(series[0],
			[]string{all[0] + "#8-14", all[39], all[39] + "#1-3", all[39] + "#4-7"}) && day == 0 {
			t.Fatalf("day %d: first in line are %v", day, series)
		}
		asked := w.day()
		var always []string
		for _, name := range asked {
			if name == "ROM-PAR" || strings.HasPrefix(name, all[39]) || strings.Contains(name, "#") {
				always = append(always, name)
			}
		}
		if diff := cmp.Diff([]string{all[0] + "#8-14", all[39], all[39] + "#1-3", all[39] + "#4-7", "ROM-PAR"},
			always); diff != "" {
			t.Errorf("day %d: %s", day, diff)
		}
		if rest := len(asked) - len(always); rest < 6 || rest > 7 {
			t.Errorf("day %d: %d of the rest", day, rest)
		}
		w.now = w.now.Add(6 * time.Hour)
		if again := w.day(); len(again) > 7 || slices.Contains(again, "ROM-PAR") {
			t.Errorf("six hours later: %v", again)
		}
		w.now = w.now.Add(18 * time.Hour)
	}
}

func TestMessagesOfAPlan(t *testing.T) {
	all := slices.Concat(routesFrom("MIL", 300), routesFrom("ROM", 10))
	w := newDeepWorld(t, open(t), all...)
	demanded := slices.Concat(all[:30], all[300:])
	w.demand(demanded...)
	_, series := w.plan()
	seen := map[string]bool{}
	rest := 0
	for i, names := range series {
		if len(names) == 0 || len(names) > 25 {
			t.Errorf("message %d names %d series", i, len(names))
		}
		for _, name := range names {
			if seen[name] || name[:3] != names[0][:3] {
				t.Errorf("message %d: %v", i, names)
			}
			seen[name] = true
			if is := slices.Contains(demanded, name); is != slices.Contains(demanded, names[0]) || is && rest > 0 {
				t.Errorf("message %d has what is in demand behind the rest, or beside it: %v", i, names)
			} else if !is {
				rest++
			}
		}
	}
	if len(seen) != 40+49 || rest != 49 || len(series) != 2+1+2 {
		t.Errorf("%d series, of which %d of the rest, in %d messages", len(seen), rest, len(series))
	}
}

func TestBudgetIsSpentOnWhatMattersMost(t *testing.T) {
	all := routesFrom("MIL", 70)
	w := newDeepWorld(t, open(t), all...)
	w.demand(all[60:65]...)
	left := 8
	spend := func() error {
		if left--; left < 0 {
			return upstream.ErrBudget
		}
		return nil
	}
	limited := &budgeted{w.source, spend}
	work := func() (failed []string, log string) {
		messages, _ := w.plan()
		f := w.function()
		f.Source = limited
		w.log.Reset()
		return f.Messages(t.Context(), messages), w.log.String()
	}
	failed, log := work()
	asked := w.source.takeQuestions()
	if diff := cmp.Diff(slices.Concat(all[:3], all[60:65]), asked); diff != "" || len(failed) > 0 ||
		len(w.queue.sent) > 0 {
		t.Errorf("failed %v, sent %v; asked %s", failed, w.queue.sent, diff)
	}
	if !strings.Contains(log, `"SeriesAsked":8`) {
		t.Errorf("logged %s", log)
	}
	w.now, left = w.now.Add(24*time.Hour), 8
	work()
	if diff := cmp.Diff(slices.Concat(all[3:6], all[60:65]), w.source.takeQuestions()); diff != "" {
		t.Errorf("the next day: %s", diff)
	}
}

type budgeted struct {
	upstream.Deep
	spend func() error
}

func (b *budgeted) Departures(ctx context.Context, q upstream.Question, until time.Time) (upstream.Answer, error) {
	if err := b.spend(); err != nil {
		return upstream.Answer{}, fmt.Errorf("ask: %w", err)
	}
	return b.Deep.Departures(ctx, q, until)
}

// An origin without trends, as after a first refresh that was cut off, is no error.
func TestOriginThatCannotBeReadStopsNoOther(t *testing.T) {
	w := newDeepWorld(t, open(t), "MIL-BUH", "ROM-PAR", "PAR-ROM")
	for key, data := range map[store.Key]string{{Partition: "ORIGIN#ROM", Sort: "TRENDS"}: "\x02damaged",
		{Partition: "COVERED", Sort: "NEW"}: ""} {
		if err := w.table.Write(t.Context(), store.Op{Mode: store.Set,
			Item: store.Item{Key: key, Data: []byte(data)}}); err != nil {
			t.Fatal(err)
		}
	}
	w.demand("MIL-BUH", "ROM-PAR", "PAR-ROM")
	f := w.function()
	if _, err := f.Event(t.Context(), json.RawMessage(`{"departures":true}`)); err == nil ||
		!strings.Contains(err.Error(), "trends of ROM") || strings.Contains(err.Error(), "NEW") {
		t.Errorf("error %v", err)
	}
	if len(w.queue.sent) != 2 {
		t.Errorf("sent %v", w.queue.sent)
	}
	f.Queue = nil
	if _, err := f.Event(t.Context(), json.RawMessage(`{"departures":true}`)); err == nil {
		t.Error("no error without a queue")
	}
	if diff := cmp.Diff([]string{"MIL-BUH", "PAR-ROM"}, w.source.takeQuestions()); diff != "" {
		t.Errorf("asked without a queue: %s", diff)
	}
}

func TestDeparturesEvent(t *testing.T) {
	w := newDeepWorld(t, open(t), "MIL-BUH", "MIL-LON")
	w.demand("MIL-BUH", "MIL-LON")
	answer, err := w.function().Event(t.Context(),
		json.RawMessage(`{"departures":true,"source":"aws.scheduler","time":"2026-03-04T04:00:00Z"}`))
	if text, _ := json.Marshal(answer); err != nil ||
		string(text) != `{"series":2,"inDemand":2,"messages":1,"at":"2026-03-04T04:00:00Z"}` {
		t.Errorf("%s %v", text, err)
	}
	if want := []string{`{"series":["MIL-BUH","MIL-LON"],"planned":"2026-03-04T04:00:00Z"}`}; !slices.Equal(w.queue.sent, want) {
		t.Errorf("sent %v", w.queue.sent)
	}
	if !strings.Contains(w.log.String(), `"series":2`) {
		t.Errorf("logged %s", &w.log)
	}
	w.queue.err = errPartial
	if _, err := w.function().Event(t.Context(), json.RawMessage(`{"departures":true}`)); !errors.Is(err, errPartial) {
		t.Errorf("the queue failed: %v", err)
	}
	shallow := w.function()
	shallow.Source, shallow.Queue = w.source.source, &recordingQueue{}
	answer, err = shallow.Event(t.Context(), json.RawMessage(`{"departures":true}`))
	if planned, _ := answer.(refresh.PlannedDeep); err != nil || planned.Series > 0 {
		t.Errorf("of a source that cannot be asked for a route: %+v %v", answer, err)
	}
	f := w.function()
	f.Queue, f.CurrentRates = &recordingQueue{}, func(context.Context) fare.Rates { return fare.Rates{PerEuro: map[string]float64{"GBP": 0.9}} }
	if _, err := f.Event(t.Context(), json.RawMessage(`{"departures":true}`)); err != nil {
		t.Fatal(err)
	}
	if rates, err := (store.Fares{Table: w.table}).Rates(t.Context()); err != nil || rates.PerEuro["GBP"] != 0.9 {
		t.Errorf("rates %v %v", rates, err)
	}
}

func TestThoseAskedForLongestAgoComeFirst(t *testing.T) {
	all := routesFrom("MIL", 14)
	w := newDeepWorld(t, open(t), all...)
	began := w.now
	for _, name := range slices.Backward(all) {
		if failed := w.work(deepMessage("1", w.now, name)); len(failed) > 0 {
			t.Fatal(failed)
		}
		w.now = w.now.Add(time.Hour)
	}
	w.now = began.Add(8 * 24 * time.Hour)
	if _, series := w.plan(); len(series) != 1 || !slices.Equal(series[0], []string{all[13], all[12], all[11]}) {
		t.Errorf("planned %v", series)
	}
}
