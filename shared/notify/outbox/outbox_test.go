package outbox_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"verdetto/shared/notify/outbox"
	"verdetto/shared/runtime/metrics"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/store/storetest"
)

var errFull = errors.New("mailbox full")

type world struct {
	outbox.Worker
	clock *storetest.Clock
	log   *bytes.Buffer
	names map[string][]string // the job's name at each attempt, by Ref
	at    []time.Time
}

func newWorld(t *testing.T, answer func(j store.Job, attempt int) error) *world {
	t.Helper()
	clock := storetest.NewClock()
	table, err := boltstore.Open(filepath.Join(t.TempDir(), "test.db"), clock.Now, boltstore.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = table.Close() })
	w := &world{clock: clock, log: &bytes.Buffer{}, names: map[string][]string{}}
	box := store.Outbox{Table: table, Name: "pro"}
	w.Worker = outbox.Worker{
		Boxes: []store.Outbox{box, {Table: table, Name: "pro-links"}}, Retries: box.Retries(), Within: 10 * time.Second,
		Now: clock.Now, Log: slog.New(slog.NewTextHandler(w.log, nil)), Metrics: metrics.NewSource("pro"),
		Do: func(_ context.Context, j store.Job) error {
			w.names[j.Ref] = append(w.names[j.Ref], j.Name())
			w.at = append(w.at, clock.Now())
			return answer(j, len(w.names[j.Ref]))
		},
	}
	return w
}

func (w *world) put(t *testing.T, box int, refs ...string) {
	t.Helper()
	for _, ref := range refs {
		if err := w.Boxes[box].Put(t.Context(), store.Job{Ref: ref, At: w.clock.Now()}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWaits(t *testing.T) {
	w := newWorld(t, func(store.Job, int) error { return errFull })
	w.put(t, 0, "a")
	began, ended := w.clock.Now(), 0
	for w.clock.Now().Sub(began) < 48*time.Hour {
		done, err := w.Work(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		ended += done
		w.clock.Add(time.Second)
	}
	for i, at := range w.at[1:] {
		longest := min(15*time.Second<<min(i, 10), time.Hour)
		if waited := at.Sub(w.at[i]); waited < longest/2 || waited > longest+time.Second {
			t.Errorf("wait %d was %s, want about %s", i+1, waited, longest)
		}
		if w.names["a"][i+1] != w.names["a"][0] {
			t.Errorf("attempt %d was for the job %q, the first for %q", i+2, w.names["a"][i+1], w.names["a"][0])
		}
	}
	if tried := w.at[len(w.at)-1].Sub(began); ended != 1 || tried < 24*time.Hour || tried > 25*time.Hour {
		t.Errorf("%d jobs ended; the last attempt was after %s", ended, tried)
	}
	if got := w.log.String(); strings.Count(got, "was given up") != 1 || !strings.Contains(got, "JobsGivenUp=1") {
		t.Errorf("logged %s", got)
	}
}

func TestADayWithoutAWorker(t *testing.T) {
	w := newWorld(t, func(_ store.Job, attempt int) error {
		if attempt < 5 {
			return errFull
		}
		return nil
	})
	w.put(t, 1, "a")
	w.clock.Add(50 * time.Hour)
	for range 10 {
		if _, err := w.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.clock.Add(10 * time.Minute)
	}
	if got := len(w.names["a"]); got != 5 || strings.Contains(w.log.String(), "given up") {
		t.Errorf("%d attempts: %s", got, w.log)
	}
}

func TestLater(t *testing.T) {
	full := true
	w := newWorld(t, func(store.Job, int) error {
		if full {
			return fmt.Errorf("the quota is used: %w", outbox.ErrLater)
		}
		return nil
	})
	w.put(t, 0, "a", "b", "c")
	if done, err := w.Work(t.Context()); done != 0 || err != nil || len(w.at) != 1 {
		t.Errorf("%d done, %d begun, %v", done, len(w.at), err)
	}
	full = false
	if done, err := w.Work(t.Context()); done != 2 || err != nil {
		t.Errorf("%d done of those that were not begun, %v", done, err)
	}
	w.clock.Add(time.Minute)
	if done, err := w.Work(t.Context()); done != 1 || err != nil {
		t.Errorf("%d done when the lease was over, %v", done, err)
	}
}

func TestOneAddressInTurn(t *testing.T) {
	w := newWorld(t, nil)
	var mu sync.Mutex
	running, most, together := map[string]int{}, 0, 0
	begun := make(chan struct{}, 100)
	w.AtOnce = 4
	w.Do = func(_ context.Context, j store.Job) error {
		mu.Lock()
		running[j.Email]++
		most = max(most, running[j.Email])
		together = max(together, running["ada"]+running["bob"])
		mu.Unlock()
		begun <- struct{}{}
		for len(begun) < 2 {
			runtime.Gosched()
		}
		mu.Lock()
		defer mu.Unlock()
		running[j.Email]--
		return nil
	}
	for n := range 12 {
		// The first job waits until a job for the other address begins.
		if err := w.Boxes[0].Put(t.Context(), store.Job{Email: []string{"ada", "bob"}[n%2],
			At: w.clock.Now().Add(time.Duration(n-12) * time.Second)}); err != nil {
			t.Fatal(err)
		}
	}
	if done, err := w.Work(t.Context()); done != 12 || err != nil || most != 1 || together != 2 {
		t.Errorf("%d done, %v; %d of one address at a time, %d in all", done, err, most, together)
	}
}

func TestEveryFault(t *testing.T) {
	for name, arm := range map[string]func(*storetest.Faulty, int,
		storetest.Side){"once": (*storetest.Faulty).FailOnce, "until it is mended": (*storetest.Faulty).DieAt} {
		var w *world
		done := map[string]int{}
		open := func(t *testing.T) store.Table {
			w, done = newWorld(t, func(j store.Job, attempt int) error {
				if attempt == 1 {
					return errFull
				}
				done[j.Ref+" "+j.Name()]++
				return nil
			}), map[string]int{}
			return w.Retries.Table
		}
		combinations := storetest.EachFault(t, open, arm, func(t *testing.T, f *storetest.Faulty) {
			sound := w.Retries.Table
			w.Retries.Table, w.Boxes[0].Table, w.Boxes[1].Table = f, f, f
			for n, ref := range []string{"a", "b"} {
				if w.Boxes[n].Put(t.Context(), store.Job{Ref: ref, At: w.clock.Now()}) != nil {
					f.Heal()
					w.put(t, n, ref) // a caller that got a 503 tries again
				}
			}
			for range 10 {
				if _, err := w.Work(t.Context()); err != nil {
					f.Heal()
				}
				w.clock.Add(time.Minute)
			}
			ended := map[byte]bool{}
			for name, times := range done {
				ended[name[0]] = true
				if times > 2 {
					t.Errorf("job %s was done %d times", name, times)
				}
			}
			if len(ended) != 2 {
				t.Errorf("done were %v", done)
			}
			for _, box := range append(w.Boxes, w.Retries) {
				box.Table = sound
				if left, err := box.Take(t.Context(), 10, w.clock.Now().Add(time.Hour), 0); err != nil ||
					len(left) > 0 {
					t.Errorf("%d jobs are left in %s, %v", len(left), box.Name, err)
				}
			}
		})
		t.Logf("%s: %d combinations", name, combinations)
	}
}
