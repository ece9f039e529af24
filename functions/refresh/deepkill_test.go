package refresh_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/functions/refresh"
	"verdetto/shared/fare"
	"verdetto/shared/runtime/queue"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
	"verdetto/shared/upstream"
	"verdetto/shared/verdict"
)

type killableSource struct {
	*deepSource
	*lifetime
}

func (m killableSource) Departures(ctx context.Context, q upstream.Question,
	until time.Time) (answer upstream.Answer, err error) {
	err = m.step(func() error { answer, err = m.deepSource.Departures(ctx, q, until); return err })
	return answer, err
}

type killableQueue struct {
	queue.Queue
	*lifetime
}

func (m killableQueue) Send(ctx context.Context, messages ...string) error {
	return m.step(func() error { return m.Queue.Send(ctx, messages...) })
}

type killedDay struct {
	*deepWorld
	queue *fakeQueue
	ticks time.Duration // the clock advances one second per question, to distinguish values of DeepRequest
}

func newKilledDay(t *testing.T) *killedDay {
	h := newFixture(t)
	all := slices.Concat(routesFrom("MIL", 30), routesFrom("ROM", 6), routesFrom("PAR", 4))
	d := &killedDay{deepWorld: newDeepWorld(t, h.Table, all...)}
	for i, name := range all {
		for day := range 20 {
			origin := fare.City(name[:3])
			d.source.has[origin] = append(d.source.has[origin].([]fare.Fare),
				departing(name, today.AddDate(0, 0, -1-day), 5000, 0)...)
		}
		if i%3 == 0 {
			d.source.departures[name] = departing(name, today, 4000, 0, 1, 2, 0)
		}
	}
	mustRun(t, d.refresher(h.Table))
	h.AddAlerts(all[0], 4500, "ada")
	h.AddAlerts(all[33], 4500, "bob")
	returns := []string{all[1] + "#4-7", all[1] + "#1-3", all[35] + "#15+"}
	for _, name := range returns {
		d.source.departures[name] = departing(name, today, 9000, 0, 1)
	}
	d.demand(slices.Concat(all[:29], all[30:35], returns)...)
	d.queue = &fakeQueue{visibility: 6 * time.Minute, receives: 5, now: func() time.Time { return d.now.Add(d.ticks) }}
	return d
}

func (d *killedDay) function(l *lifetime) *refresh.Function {
	r := d.refresher(killableTable{d.table, l})
	r.Source = killableSource{d.source, l}
	r.Now = func() time.Time { d.ticks += time.Second; return today.Add(d.ticks) }
	return function(r, killableQueue{d.queue, l})
}

// run plans the day and processes the messages, redelivering those of a killed process. The
// function live returns the lifetime of each new process.
func (d *killedDay) run(live func() *lifetime) {
	d.t.Helper()
	l := live()
	for try := 0; ; try++ {
		_, err := d.function(l).Event(d.t.Context(),
			json.RawMessage(`{"departures":true,"time":"2026-03-04T12:00:00Z"}`))
		if err == nil && !l.killed() {
			break
		}
		if try == 4 || !l.killed() {
			d.t.Fatal(err)
		}
		l = live()
	}
	for d.queue.left() > 0 {
		messages := d.queue.receive(2)
		if len(messages) == 0 {
			d.ticks += d.queue.visibility
			continue
		}
		failed := d.function(l).Messages(d.t.Context(), messages)
		if l.killed() {
			l = live()
			continue
		}
		if len(failed) > 0 {
			d.t.Fatalf("%v failed, and no worker was killed", failed)
		}
		d.queue.done(messages)
	}
	if len(d.queue.dead) > 0 {
		d.t.Fatalf("dead letters: %v", d.queue.dead)
	}
}

// ends returns the contents of the store without the times of the calls, after checking that the
// source was asked for each planned series.
func (d *killedDay) ends() map[string]string {
	d.t.Helper()
	all := map[string]string{}
	partitions := []string{"ORIGIN#MIL", "ORIGIN#ROM", "ORIGIN#PAR", "FARES", "COVERED", "WAKES"}
	for name := range d.source.departures {
		partitions = append(partitions, "ROUTE#"+name, "INTO#"+name[4:7], "SEEN#"+name)
	}
	for _, partition := range partitions {
		items, err := d.table.Query(d.t.Context(), store.Range{Partition: partition, Read: store.Strong})
		if err != nil {
			d.t.Fatal(err)
		}
		for _, i := range items {
			if i.Sort == "SHEET" {
				s, err := verdict.Decode(i.Data)
				if err != nil {
					d.t.Fatal(err)
				}
				s.DeepRequest = min(s.DeepRequest, 1) // whether it was asked matters, not when
				i.Data = s.Encode()
			}
			all[partition+" "+i.Sort] = fmt.Sprintf("%x until %v", i.Data, i.Expires)
		}
	}
	return all
}

// killDeep kills the processes of a day at random calls to the store, the source or the queue,
// before or after the call's effect. In the end the store must equal that of a day without kills.
// Each kill may repeat the questions for at most one series.
func killDeep(t *testing.T, kills int) {
	calm := newKilledDay(t)
	clean := &lifetime{last: 1 << 30}
	calm.run(func() *lifetime { return clean })
	want, asked := calm.ends(), calm.source.takeQuestions()
	if n := len(slices.Compact(slices.Clone(asked))); n != len(asked) || n < 50 {
		t.Fatalf("the case is not what it should be: %d questions, %d different", len(asked), n)
	}
	chance := rand.New(rand.NewPCG(2026, 11))
	done, runs, again, mostAgain, steps := 0, 0, 0, 0, map[string]int{}
	for done < kills {
		runs++
		d := newKilledDay(t)
		here, budget := 0, min(1+chance.IntN(3), kills-done)
		d.run(func() *lifetime {
			if here == budget {
				return &lifetime{last: 1 << 30}
			}
			here++
			return &lifetime{last: chance.IntN(clean.steps / budget), side: storetest.Side(chance.IntN(2))}
		})
		if here == 0 {
			t.Fatal("no worker was killed")
		}
		if diff := cmp.Diff(want, d.ends()); diff != "" {
			t.Fatalf("killed %d times (-undisturbed +killed):\n%s", here, diff)
		}
		got := d.source.takeQuestions()
		series := repeated(got)
		if len(series) > here || len(got)-len(asked) > 2*here {
			t.Fatalf("%d kills: %d questions more, of %v", here, len(got)-len(asked), series)
		}
		again += len(got) - len(asked)
		mostAgain = max(mostAgain, len(got)-len(asked))
		done += here
		steps[fmt.Sprint(here, " kills")]++
	}
	t.Logf("%d steps, %d questions; %d kills in %d days (%v): every store as undisturbed; %d questions asked again, %.2f a kill, at most %d in a day",
		clean.steps, len(asked), done, runs, steps, again, float64(again)/float64(done), mostAgain)
}

func repeated(questions []string) map[string]bool {
	series := map[string]bool{}
	for i, q := range questions {
		if i > 0 && questions[i-1] == q {
			series[strings.TrimSuffix(q, " non-stop")] = true
		}
	}
	return series
}

func TestDeepKilled(t *testing.T) { killDeep(t, 10) }

func TestDeepenKilled(t *testing.T) {
	calm := newKilledDay(t)
	clean := &lifetime{last: 1 << 30}
	if _, err := calm.function(clean).Deepen(t.Context()); err != nil {
		t.Fatal(err)
	}
	want, asked := calm.ends(), calm.source.takeQuestions()
	chance := rand.New(rand.NewPCG(2026, 12))
	for range 10 {
		d := newKilledDay(t)
		l := &lifetime{last: chance.IntN(clean.steps), side: storetest.Side(chance.IntN(2))}
		_, err := d.function(l).Deepen(t.Context())
		if !l.killed() || err == nil && l.side == storetest.Before {
			t.Fatalf("not killed: %v", err)
		}
		d.ticks += time.Minute
		if _, err := d.function(&lifetime{last: 1 << 30}).Deepen(t.Context()); err != nil {
			t.Fatal(err)
		}
		// A later plan adds another seventh of the series that are not in demand, so more series
		// may be asked for than in the calm run.
		got := d.ends()
		for key, value := range want {
			if strings.HasPrefix(key, "ROUTE#") && got[key] != value {
				t.Errorf("%v step %d: %s is %s, want %s", l.side, l.last, key, got[key], value)
			}
		}
		questions := d.source.takeQuestions()
		if again := repeated(questions); len(again) > 1 {
			t.Errorf("%v step %d: asked a second time for %v", l.side, l.last, again)
		}
		if len(questions) < len(asked) {
			t.Errorf("%d questions, want %d", len(questions), len(asked))
		}
	}
}
