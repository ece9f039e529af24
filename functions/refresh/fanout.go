package refresh

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/runtime/queue"
	"verdetto/shared/store"
)

// task is the body of a queue message: either Origins, or Series of one origin.
type task struct {
	Origins []fare.City   `json:"origins,omitempty"`
	Series  []fare.Series `json:"series,omitempty"`
	Planned time.Time     `json:"planned"` // in whole seconds
}

func (t task) String() string {
	text, err := json.Marshal(t)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func parseTask(body string) (t task, err error) {
	if err := json.Unmarshal([]byte(body), &t); err != nil {
		return task{}, fmt.Errorf("read message %.80q: %w", body, err)
	}
	if (len(t.Origins) == 0) == (len(t.Series) == 0) {
		return task{}, fmt.Errorf("read message %.80q: want origins, or series", body)
	}
	for _, s := range t.Series {
		if s.Origin != t.Series[0].Origin {
			return task{}, fmt.Errorf("read message %.80q: series of more than one origin", body)
		}
	}
	return t, normalizeCities(t.Origins)
}

func normalizeCities(origins []fare.City) error {
	for i, o := range origins {
		city, err := fare.ParseCity(string(o))
		if err != nil {
			return err
		}
		origins[i] = city
	}
	return nil
}

type Planned struct {
	Planned int       `json:"planned"`
	Time    time.Time `json:"at"`
}

// A second enqueueOrigins for the same time does no harm: workers skip origins for which the
// source has answered since then.
func (r *Refresher) enqueueOrigins(ctx context.Context, q queue.Queue, at time.Time) (Planned, error) {
	at = at.UTC().Truncate(time.Second)
	if err := r.prepare(ctx); err != nil {
		return Planned{}, err
	}
	if _, err := r.closeCycles(ctx, at, false); err != nil {
		return Planned{}, err
	}
	origins, err := r.plan(ctx)
	if err != nil {
		return Planned{}, err
	}
	messages := make([]string, len(origins))
	for i, o := range origins {
		messages[i] = task{Origins: []fare.City{o}, Planned: at}.String()
	}
	if err := q.Send(ctx, messages...); err != nil {
		return Planned{}, fmt.Errorf("plan %d origins: %w", len(origins), err)
	}
	return Planned{len(origins), at}, nil
}

// If less time than lastBegin is left until an invocation's deadline, no origin begins. If less than lastWork is left,
// work stops.
// Short invocations use fractions of the time left.
const (
	lastBegin = 45 * time.Second
	lastWork  = 5 * time.Second
)

func deadlines(ctx context.Context) (work, begin context.Context, cancel func()) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return ctx, ctx, func() {}
	}
	left := time.Until(deadline)
	work, cancelWork := context.WithDeadline(ctx, deadline.Add(-min(lastWork, left/10)))
	begin, cancelBegin := context.WithDeadline(work, deadline.Add(-min(lastBegin, left/2)))
	return work, begin, func() { cancelBegin(); cancelWork() }
}

func (r *Refresher) processMessages(ctx context.Context, q queue.Queue, log *slog.Logger,
	messages []queue.Message) (report Report, deep DeepReport, failed []string) {
	work, begin, cancel := deadlines(ctx)
	defer cancel()
	if r.Rates.PerEuro == nil {
		withRates := *r
		var err error
		if withRates.Rates, err = r.Fares.Rates(work); err != nil && !errors.Is(err, store.ErrNotFound) {
			log.ErrorContext(ctx, "the exchange rates of a refresh could not be read, so its messages come back, at last to the dead letters", "error", err)
			for _, m := range messages {
				failed = append(failed, m.ID)
			}
			return report, deep, failed
		}
		r = &withRates
	}
	began := r.Now()
	deliveries := make([]*delivery, len(messages))
	var origins []fare.City
	for i, m := range messages {
		deliveries[i] = r.open(work, m)
		for _, o := range deliveries[i].due {
			if !slices.Contains(origins, o) {
				origins = append(origins, o)
			}
		}
	}

	report.Origins = len(origins)
	r.refreshOrigins(work, begin, began, origins, func(o Outcome) {
		unfinished := errors.Is(o.Err, errNotBegun) || o.Err != nil && work.Err() != nil &&
			o.Routes.Changed+o.Returns.Changed > 0
		for _, d := range deliveries {
			d.ended(o, unfinished)
		}
		if unfinished {
			report.Origins--
			report.New += o.New
			report.RoutesChanged += o.Routes.Changed
			report.ReturnsChanged += o.Returns.Changed
			return
		}
		report.add(o)
	})

	for _, d := range deliveries {
		if len(d.Series) > 0 && d.err == nil {
			d.err = r.processDeep(work, begin, q, d.task, &deep)
		}
		if err := d.close(ctx, q); err != nil {
			log.ErrorContext(ctx, "a message of the refresh failed; it comes back, at last to the dead letters", "message", d.id, "error", err)
			failed = append(failed, d.id)
		}
	}
	return report, deep, failed
}

type delivery struct {
	task
	id    string
	due   []fare.City
	again []fare.City
	err   error
}

func (r *Refresher) open(ctx context.Context, m queue.Message) *delivery {
	d := &delivery{id: m.ID}
	if d.task, d.err = parseTask(m.Body); d.err == nil {
		d.due, d.err = r.due(ctx, d.task)
	}
	return d
}

func (r *Refresher) due(ctx context.Context, t task) (due []fare.City, err error) {
	for _, o := range t.Origins {
		last, err := r.lastAnswer(ctx, o)
		if err != nil {
			return nil, err
		}
		if t.Planned.IsZero() || last.Before(t.Planned) {
			due = append(due, o)
		}
	}
	return due, nil
}

func (d *delivery) ended(o Outcome, unfinished bool) {
	switch {
	case !slices.Contains(d.due, o.Origin):
	case unfinished:
		d.again = append(d.again, o.Origin)
	case o.Err != nil:
		d.err = errors.Join(d.err, fmt.Errorf("%s: %w", o.Origin, o.Err))
	}
}

func (d *delivery) close(ctx context.Context, q queue.Queue) error {
	switch {
	case d.err != nil || len(d.again) == 0:
		return d.err
	case q == nil:
		return fmt.Errorf("%d origins are left, and no queue is configured to put them on", len(d.again))
	}
	if err := q.Send(ctx, task{Origins: d.again, Planned: d.Planned}.String()); err != nil {
		return fmt.Errorf("put %d origins on the queue anew: %w", len(d.again), err)
	}
	return nil
}
