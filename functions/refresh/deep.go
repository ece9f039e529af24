package refresh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/runtime/queue"
	"verdetto/shared/store"
	"verdetto/shared/upstream"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
)

type DeepReport struct {
	Answered   int                     `json:"asked"`
	Calls      int                     `json:"questions"`
	Skipped    int                     `json:"done"`
	Failed     int                     `json:"failed"`
	Remaining  int                     `json:"left"`
	Fares      int                     `json:"fares"`
	New        int                     `json:"new"`
	Dropped    map[upstream.Reason]int `json:"dropped,omitempty"`
	Notified   int                     `json:"notifications,omitempty"`
	Faults     []string                `json:"faults,omitempty"`
	OutOfCalls bool                    `json:"budgetSpent,omitempty"`
	Refused    bool                    `json:"-"`
}

func (r DeepReport) empty() bool { return r.Answered+r.Skipped+r.Failed+r.Remaining == 0 }

func (r DeepReport) Failure() error {
	if asked := r.Answered + r.Failed; r.Failed*10 > asked {
		return failure(r.Answered, r.Failed, "routes", r.Faults[0], r.Refused)
	}
	return checkClock(r.Dropped, r.Fares)
}

func (r *DeepReport) fault(series fare.Series, err error) {
	r.Failed++
	addFault(&r.Faults, series.String(), err)
	r.Refused = r.Refused || errors.Is(err, upstream.ErrRefused)
}

func (r *Refresher) deepen(ctx, begin context.Context, t task, report *DeepReport) (left []fare.Series, err error) {
	source, ok := r.Source.(upstream.Deep)
	if !ok {
		return nil, fmt.Errorf("the source %s cannot be asked for one route", r.Source.Name())
	}
	pooled, err := r.pooled(ctx)
	if err != nil {
		return nil, err
	}
	stored := summaries{}
	var pairs []fare.Series
	before := report.Answered
	for i, series := range t.Series {
		if begin.Err() != nil || report.OutOfCalls {
			left = t.Series[i:]
			break
		}
		m, fault := r.deepenSeries(ctx, source, series, pooled, t.Planned, report)
		switch {
		case fault == nil:
			if series.Airports == (fare.Airports{}) {
				stored.add(series, m)
			} else {
				pairs = append(pairs, series)
			}
			continue
		case errors.Is(fault, upstream.ErrBudget):
			report.OutOfCalls, left = true, t.Series[i:]
		case ctx.Err() != nil:
			left = t.Series[i:]
		case errors.Is(fault, upstream.ErrRefused):
			report.fault(series, fault)
			err, left = fault, t.Series[i+1:]
		default:
			report.fault(series, fault)
			continue
		}
		break
	}
	report.Remaining += len(left)
	if ctx.Err() == nil {
		err = errors.Join(err, r.publish(ctx, t.Series[0].Origin, stored, pooled, &report.Notified),
			r.storePairs(ctx, t.Series[0].Origin, pairs))
	}
	switch {
	case ctx.Err() != nil && report.Answered > before:
		return t.Series, nil // the retry skips series already asked for, but publishes them
	case ctx.Err() != nil:
		return nil, errors.Join(err, ctx.Err())
	case report.OutOfCalls:
		return nil, err
	}
	return left, err
}

func (r *Refresher) deepenSeries(ctx context.Context, source upstream.Deep, series fare.Series, pooled departure.Cycle,
	planned time.Time, report *DeepReport) (mergeResult, error) {
	previous, err := r.summary(ctx, series, store.Strong)
	before := mergeResult{summary: previous.RouteSummary}
	if err != nil {
		return before, err
	}
	if !planned.IsZero() && previous.DeepRequest >= planned.Unix() {
		report.Skipped++
		return before, nil
	}
	now := r.Now()
	var fares []fare.Fare
	for _, nonStop := range []bool{false, true} {
		if nonStop && !hasStops(fares) {
			break // no fare is known to have stops, so a question about non-stop fares adds nothing
		}
		answer, err := source.Departures(ctx, upstream.Question{Series: series, NonStop: nonStop}, now)
		if err != nil {
			return before, fmt.Errorf("ask for departures: %w", err)
		}
		report.Calls++
		fares = append(fares, answer.Fares...)
		addDropped(&report.Dropped, answer.Dropped)
	}
	var observations []fare.Observation
	for _, f := range fares {
		switch {
		case f.Series() != series.OfCities() || !series.Airports.Include(f.Flight):
			addDropped(&report.Dropped, map[upstream.Reason]int{upstream.NotAsked: 1})
		case f.FoundDay() <= fare.DayOf(now)-verdict.HistoryDays:
			addDropped(&report.Dropped, map[upstream.Reason]int{upstream.TooOld: 1})
		default:
			observations = append(observations, f.Observation)
		}
	}
	merge := r.mergeSeries
	if series.Airports != (fare.Airports{}) {
		merge = r.mergeAirports
	}
	m, err := merge(ctx, series, observations, pooled, now, true)
	if err != nil {
		return before, err
	}
	report.Answered++
	report.Fares += len(fares)
	report.New += m.added
	return m, nil
}

func hasStops(fares []fare.Fare) bool {
	return slices.ContainsFunc(fares,
		func(f fare.Fare) bool { return f.Stops == fare.OneStop || f.Stops == fare.MoreStops })
}

func (r *Refresher) processDeep(ctx, begin context.Context, q queue.Queue, t task, report *DeepReport) error {
	failed := report.Failed
	left, err := r.deepen(ctx, begin, t, report)
	if len(left) > 0 && err == nil {
		if q == nil {
			return fmt.Errorf("%d series are left, and no queue is configured to put them on", len(left))
		}
		if err := q.Send(context.WithoutCancel(ctx), task{Series: left, Planned: t.Planned}.String()); err != nil {
			return fmt.Errorf("put %d series on the queue anew: %w", len(left), err)
		}
	}
	if err == nil && report.Failed > failed {
		err = fmt.Errorf("%d of %d series failed", report.Failed-failed, len(t.Series))
	}
	return err
}

func (r DeepReport) LogValue() slog.Value {
	return slog.GroupValue(slog.Int("asked", r.Answered), slog.Int("questions", r.Calls), slog.Int("done", r.Skipped),
		slog.Int("failed", r.Failed), slog.Int("left", r.Remaining), slog.Int("fares", r.Fares), slog.Int("new", r.New),
		slog.Any("dropped", maps.Clone(r.Dropped)), slog.Any("faults", r.Faults))
}

func (r DeepReport) Print(w io.Writer) {
	if r.empty() {
		return
	}
	fmt.Fprintf(w, "departures    %d routes asked for with %d questions, %d failed, %d left\n", r.Answered, r.Calls,
		r.Failed, r.Remaining)
	fmt.Fprintf(w, "observations  %d new of %d\n", r.New, r.Fares)
	printDropped(w, r.Dropped)
	printFaults(w, r.Faults, r.Failed)
	if r.OutOfCalls {
		fmt.Fprintln(w, "              the day's budget of calls is spent; the rest comes first tomorrow")
	}
}
