package refresh_test

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/functions/refresh"
	"verdetto/shared/fare"
	"verdetto/shared/runtime/queue"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
	"verdetto/shared/upstream"
	"verdetto/shared/upstream/travelpayouts"
	"verdetto/shared/upstream/upstreamtest"
	"verdetto/shared/verdict/departure"
)

type handlerTransport struct{ http.Handler }

func (d handlerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	w := httptest.NewRecorder()
	d.ServeHTTP(w, r)
	return w.Result(), nil
}

const (
	originCount = 600
	failOnce    = 20
	failAlways  = 100
	concurrency = 2
)

func originAt(i int) fare.City {
	return fare.City([]byte{'A' + byte(i/676), 'A' + byte(i/26%26), 'A' + byte(i%26)})
}

func always(i int) bool { return i%failAlways == 7 }
func once(i int) bool   { return i%failOnce == 3 }

func rowsOfAll(now time.Time) (rows []upstream.Row) {
	for i := range originCount {
		for n, destination := range []string{"ZZA", "ZZB"} {
			for day := range 2 {
				rows = append(rows, upstream.Row{
					Origin: string(originAt(i)), Destination: destination,
					Depart: fare.DayOf(now) + fare.Day(10+day), Found: now.Add(-time.Duration(1+day) * 24 * time.Hour),
					Price: float64(30 + i%50 + 10*n + day), Currency: "EUR",
				})
			}
		}
	}
	return rows
}

func clientOf(t *testing.T, cfg travelpayouts.Config) *travelpayouts.Client {
	t.Helper()
	if cfg.Token = upstreamtest.Token; cfg.BaseURL == "" {
		cfg.BaseURL = "http://upstream.test"
	}
	cfg.Comparable = upstream.Comparable{
		CityOf: func(code string) (fare.City, bool) { return fare.City(code), true },
		Rates:  func(fare.Day) fare.Rates { return fare.Rates{} },
	}
	client, err := travelpayouts.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func sourceOf(t *testing.T, server *upstreamtest.Server, perMinute int) upstream.Source {
	t.Helper()
	return clientOf(t, travelpayouts.Config{PerMinute: perMinute,
		HTTPClient: &http.Client{Transport: handlerTransport{server}}})
}

func parallel(s upstream.Source, table store.Table, q queue.Queue) *refresh.Function {
	f := function(refresher(s, table, time.Now), q)
	f.Workers = 0
	return f
}

func contentsOf(t *testing.T, table store.Table, origin fare.City) map[string]string {
	t.Helper()
	name := string(origin)
	all := dump(t, table, "ROUTE#"+name+"-ZZA", "ROUTE#"+name+"-ZZB", "ORIGIN#"+name)
	delete(all, "ORIGIN#"+name+" ASKED")
	return all
}

type partialQueue struct {
	queue.Queue
	takes int
}

var errPartial = errors.New("out of order")

func (p partialQueue) Send(ctx context.Context, messages ...string) error {
	if err := p.Queue.Send(ctx, messages[:p.takes]...); err != nil {
		return err
	}
	return errPartial
}

type invocations struct {
	t      *testing.T
	server *upstreamtest.Server
	table  store.Table
	queue  *fakeQueue
	idle   chan upstream.Source

	mu                                sync.Mutex
	chance                            *rand.Rand
	ran, killed, hurried, redelivered int
}

func (v *invocations) handle(ctx context.Context, messages []queue.Message) (failed []string) {
	source := <-v.idle
	defer func() { v.idle <- source }()
	table := storetest.NewFaulty(v.table)
	v.mu.Lock()
	v.ran++
	dies, call, side := v.chance.IntN(12) == 0, v.chance.IntN(120), storetest.Side(v.chance.IntN(2))
	hurries, again := v.chance.IntN(20) == 0, v.chance.IntN(50) == 0
	if hurries {
		v.hurried++
	}
	if again {
		v.redelivered++
	}
	v.mu.Unlock()
	if dies {
		table.DieAt(call, side)
	}
	if hurries {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, 3*time.Second)
		defer cancel()
	}
	failed = parallel(source, table, v.queue).Messages(ctx, messages)
	if dies && table.Calls() > call {
		v.mu.Lock()
		v.killed++
		v.mu.Unlock()
		source = sourceOf(v.t, v.server, travelpayouts.DefaultPerMinute/concurrency)
		panic("killed")
	}
	if again {
		if err := v.queue.Send(ctx, messages[0].Body); err != nil {
			v.t.Error(err)
		}
	}
	return failed
}

func newInvocations(t *testing.T, rows []upstream.Row) *invocations {
	server := upstreamtest.Detached(rows, time.Now)
	server.PerMinute = travelpayouts.DefaultPerMinute
	asked := map[string]int{}
	bad, shaky := map[string]bool{}, map[string]bool{}
	for i := range originCount {
		bad[string(originAt(i))], shaky[string(originAt(i))] = always(i), once(i)
	}
	server.Choose = func(r *http.Request) upstreamtest.Fault {
		origin := r.URL.Query().Get("origin")
		asked[origin]++
		if bad[origin] || shaky[origin] && asked[origin] == 1 {
			return upstreamtest.Unwilling("no data today", "{}")
		}
		return upstreamtest.Fault{}
	}
	v := &invocations{
		t: t, server: server, table: openAt(t, time.Now), chance: rand.New(rand.NewPCG(2026, 3)),
		queue: &fakeQueue{visibility: 6 * time.Minute, receives: 5, now: time.Now},
		idle:  make(chan upstream.Source, concurrency),
	}
	for range concurrency {
		v.idle <- sourceOf(t, server, travelpayouts.DefaultPerMinute/concurrency)
	}
	return v
}

func (v *invocations) plan(began time.Time) {
	v.t.Helper()
	source := <-v.idle
	v.idle <- source
	const event = `{"source":"aws.events","time":"2000-01-01T00:00:00Z"}`
	planner := parallel(source, v.table, partialQueue{v.queue, originCount / 3})
	if _, err := planner.Event(v.t.Context(), json.RawMessage(event)); !errors.Is(err, errPartial) {
		v.t.Fatal(err)
	}
	planner.Queue = v.queue
	answer, err := planner.Event(v.t.Context(), json.RawMessage(event))
	if diff := cmp.Diff(refresh.Planned{Planned: originCount, Time: began.UTC()}, answer); diff != "" || err != nil {
		v.t.Fatal(diff, err)
	}
}

func (v *invocations) wantDone(calm store.Table, began time.Time) (done, letters int) {
	v.t.Helper()
	var dead, wantDead []string
	for _, body := range v.queue.dead {
		var m struct{ Origins []string }
		if err := json.Unmarshal([]byte(body), &m); err != nil {
			v.t.Fatal(err)
		}
		dead = append(dead, m.Origins...)
	}
	slices.Sort(dead)
	for i := range originCount {
		origin := originAt(i)
		at, err := store.Fares{Table: v.table}.LastAnswer(v.t.Context(), origin)
		if err != nil {
			v.t.Fatal(err)
		}
		got := contentsOf(v.t, v.table, origin)
		if always(i) {
			wantDead = append(wantDead, string(origin))
			if !at.IsZero() || len(got) > 0 {
				v.t.Errorf("%s cannot be asked for, and yet: %v %v", origin, at, got)
			}
			continue
		}
		if at.Before(began) {
			v.t.Errorf("%s was not asked for", origin)
		}
		if diff := cmp.Diff(contentsOf(v.t, calm, origin), got); diff != "" {
			v.t.Errorf("%s: %s", origin, diff)
		}
		done++
	}
	if diff := cmp.Diff(wantDead, slices.Compact(dead)); diff != "" {
		v.t.Errorf("dead letters: %s", diff)
	}
	return done, len(dead)
}

// Without stored pooled statistics, a full refresh would compute a lead-time curve, and a refresh of one origin would
// not.
func storeEmptyCycle(t *testing.T, table store.Table, now time.Time) {
	t.Helper()
	today := fare.DayOf(now)
	c := store.Cycles.Pack(departure.Cycle{Day: today - 1, Pooled: departure.Start(today)})
	err := store.Fares{Table: table}.PutPooled(t.Context(), store.Stored[departure.Cycle]{}, c, store.Score{})
	if err != nil {
		t.Fatal(err)
	}
}

func TestFanOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		rows := rowsOfAll(began)
		calm := openAt(t, time.Now)
		storeEmptyCycle(t, calm, began)
		undisturbed := parallel(sourceOf(t, upstreamtest.Detached(rows, time.Now), 1<<30), calm, nil)
		if report := mustRun(t, undisturbed.Refresher); report.Answered != originCount {
			t.Fatal(report)
		}
		v := newInvocations(t, rows)
		storeEmptyCycle(t, v.table, began)
		v.plan(began)
		v.queue.work(t.Context(), concurrency, time.Minute, v.handle)
		took := time.Since(began)
		done, dead := v.wantDone(calm, began)

		calls := v.server.Calls()
		turned, last := 0, time.Duration(0)
		seen := map[string]bool{}
		for _, c := range calls {
			if c.Status == http.StatusTooManyRequests {
				turned++
			}
			if _, origin, ok := strings.Cut(c.Query, "origin="); ok && c.Status == http.StatusOK && !seen[origin[:3]] {
				seen[origin[:3]], last = true, c.At.Sub(began)
			}
		}
		busiest := v.server.Busiest()
		if busiest > travelpayouts.DefaultPerMinute || turned > 0 {
			t.Errorf("%d calls in the busiest minute, the source grants %d; %d were turned away", busiest,
				travelpayouts.DefaultPerMinute, turned)
		}
		// Extra calls come from failed tries, and from work that was cut off or killed before it was recorded.
		if most := originCount * 5 / 4; len(calls) > most {
			t.Errorf("%d calls, want %d at most: what is done is asked for again", len(calls), most)
		}
		if v.killed < 4 || v.hurried < 2 || v.redelivered < 1 {
			t.Errorf("%d killed, %d in a hurry, %d delivered again: too little went wrong to show anything", v.killed,
				v.hurried, v.redelivered)
		}
		t.Logf("%d origins: %d done, %d dead letters", originCount, done, dead)
		t.Logf("%d invocations, %d killed, %d with too little time, %d messages delivered again", v.ran, v.killed,
			v.hurried, v.redelivered)
		t.Logf("%d calls for %d origins (%.2f each); busiest minute %d of %d",
			len(calls), originCount, float64(len(calls))/originCount, busiest, travelpayouts.DefaultPerMinute)
		t.Logf("every origin asked for once after %v, the queue empty after %v", last.Round(time.Second),
			took.Round(time.Second))
	})
}
