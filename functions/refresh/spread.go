package refresh

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/queue"
)

// A refresh of every origin takes longer than one invocation may, so the schedule
// only plans it: one message for each origin goes to a queue, and invocations work
// them off, a few at a time. One origin a message, because then a dead letter names
// exactly one origin that failed, and nothing that succeeded comes back with it.
//
// A message says when its refresh was planned. An origin that has been asked for
// since is done: what a queue delivers twice, what a schedule plans twice, and what
// comes back with others after a worker was killed, asks the source nothing.
//
// Work that ends for want of time is not a failure. Origins that were not begun, and
// one that was cut off after it had stored something new (what is stored is not
// stored again, so the next attempt gets further), are put on the queue anew, with
// nothing counted against them. Only what fails, or is cut off without having got
// anywhere, counts towards the dead letters.

// task is what a message asks for.
type task struct {
	Origins []fare.City `json:"origins"`
	Planned time.Time   `json:"planned"` // whole seconds
}

func (t task) String() string {
	text, err := json.Marshal(t)
	if err != nil {
		panic(err) // strings and a time
	}
	return string(text)
}

func parseTask(body string) (t task, err error) {
	if err := json.Unmarshal([]byte(body), &t); err != nil {
		return task{}, fmt.Errorf("read message %.80q: %w", body, err)
	}
	if len(t.Origins) == 0 {
		return task{}, fmt.Errorf("read message %.80q: it names no origins", body)
	}
	return t, spell(t.Origins)
}

// spell writes city codes as they are stored, and keeps what is none from the
// source and the store.
func spell(origins []fare.City) error {
	for i, o := range origins {
		city, err := fare.ParseCity(string(o))
		if err != nil {
			return err
		}
		origins[i] = city
	}
	return nil
}

// Planned is what the schedule has put on the queue.
type Planned struct {
	Planned int       `json:"planned"` // origins
	At      time.Time `json:"at"`
}

// spread plans a refresh of every origin and sends it to the queue. It may be done
// again with the same moment at no cost.
func (r *Refresher) spread(ctx context.Context, q queue.Queue, at time.Time) (Planned, error) {
	at = at.UTC().Truncate(time.Second)
	if err := r.prepare(ctx); err != nil {
		return Planned{}, err
	}
	origins, err := r.plan(ctx)
	if err != nil {
		return Planned{}, err
	}
	messages := make([]string, len(origins))
	for i, o := range origins {
		messages[i] = task{[]fare.City{o}, at}.String()
	}
	if err := q.Send(ctx, messages...); err != nil {
		return Planned{}, fmt.Errorf("plan %d origins: %w", len(origins), err)
	}
	return Planned{len(origins), at}, nil
}

// Before an invocation's deadline lies a time in which no origin is begun, and at
// the end of it one in which none goes on, so that what is left can be put on the
// queue anew. With little time in all they are parts of it.
const (
	noneBegun = 45 * time.Second
	noneGoes  = 5 * time.Second
)

// limits makes the contexts of an invocation: work ends with the first, and none
// is begun after the second.
func limits(ctx context.Context) (work, begin context.Context, cancel func()) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return ctx, ctx, func() {}
	}
	left := time.Until(deadline)
	work, cancelWork := context.WithDeadline(ctx, deadline.Add(-min(noneGoes, left/10)))
	begin, cancelBegin := context.WithDeadline(work, deadline.Add(-min(noneBegun, left/2)))
	return work, begin, func() { cancelBegin(); cancelWork() }
}

// batch works messages of the queue. Those that failed are to come back.
func (r *Refresher) batch(ctx context.Context, q queue.Queue, log *slog.Logger, messages []queue.Message) (report Report, failed []string) {
	work, begin, cancel := limits(ctx)
	defer cancel()
	fail := func(id string, err error) {
		log.ErrorContext(ctx, "message failed; it comes back, or is a dead letter", "message", id, "error", err)
		failed = append(failed, id)
	}

	// One origin may be in several messages: it is asked for once.
	began := r.Now()
	var origins []fare.City
	asks := map[fare.City][]int{} // which messages ask for an origin
	tasks := make([]task, len(messages))
	faults := make([]error, len(messages))
	for i, m := range messages {
		var left []fare.City
		if tasks[i], faults[i] = parseTask(m.Body); faults[i] == nil {
			left, faults[i] = r.left(work, tasks[i])
		}
		for _, o := range left {
			if asks[o] == nil {
				origins = append(origins, o)
			}
			asks[o] = append(asks[o], i)
		}
	}

	report.Origins = len(origins)
	again := make([][]fare.City, len(messages)) // to be put on the queue anew
	r.sweep(work, begin, began, origins, func(o Outcome) {
		unfinished := errors.Is(o.Err, errNotBegun) || o.Err != nil && work.Err() != nil && o.RoutesChanged > 0
		for _, i := range asks[o.Origin] {
			switch {
			case unfinished:
				again[i] = append(again[i], o.Origin)
			case o.Err != nil:
				faults[i] = errors.Join(faults[i], fmt.Errorf("%s: %w", o.Origin, o.Err))
			}
		}
		if unfinished {
			report.Origins-- // another invocation will tell how it ended
			report.New += o.New
			report.RoutesChanged += o.RoutesChanged
			return
		}
		report.add(o)
	})

	for i, m := range messages {
		switch {
		case faults[i] != nil || len(again[i]) == 0:
		case q == nil:
			faults[i] = fmt.Errorf("%d origins are left, and no queue is configured to put them on", len(again[i]))
		default:
			if err := q.Send(ctx, task{again[i], tasks[i].Planned}.String()); err != nil {
				faults[i] = fmt.Errorf("put %d origins on the queue anew: %w", len(again[i]), err)
			}
		}
		if faults[i] != nil {
			fail(m.ID, faults[i])
		}
	}
	return report, failed
}

// left are the origins of a task that have not been asked for since it was planned.
func (r *Refresher) left(ctx context.Context, t task) (left []fare.City, err error) {
	for _, o := range t.Origins {
		last, err := r.Fares.Asked(ctx, o)
		if err != nil {
			return nil, err
		}
		if t.Planned.IsZero() || last.Before(t.Planned) {
			left = append(left, o)
		}
	}
	return left, nil
}
