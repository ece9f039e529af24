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
	"verdetto/shared/notify"
	"verdetto/shared/runtime/metrics"
	"verdetto/shared/runtime/queue"
	"verdetto/shared/runtime/retry"
	"verdetto/shared/upstream"
)

type Function struct {
	Refresher
	CurrentRates func(context.Context) fare.Rates
	// If Queue is nil, one invocation refreshes all origins.
	Queue queue.Queue
	// Sender is nil if no mail is configured.
	Sender  *notify.Sender
	BaseURL string
	Log     *slog.Logger
	Metrics metrics.Source
}

type Answer struct {
	*Report
	Mail *notify.Result `json:"mail,omitempty"`
}

type event struct {
	Origins    []fare.City `json:"origins"`
	Mail       bool        `json:"mail"`
	Departures bool        `json:"departures"`
	Age        bool        `json:"age"`
	Check      bool        `json:"check"`
	Source     string      `json:"source"`
	Time       time.Time   `json:"time"`
}

func (f *Function) Event(ctx context.Context, raw json.RawMessage) (any, error) {
	e, err := readEvent(raw)
	switch {
	case err != nil:
		return nil, fmt.Errorf("read event: %w", err)
	case e.Age:
		return nil, f.logAge(ctx)
	case e.Check:
		f.logCheck(ctx)
		return nil, nil
	case e.Mail:
		return f.send(ctx)
	case e.Departures:
		return f.deepen(ctx, e.Time)
	case len(e.Origins) > 0 || f.Queue == nil:
		return f.refreshNow(ctx, e.Origins)
	}
	return f.enqueue(ctx, e.Time)
}

func readEvent(raw json.RawMessage) (e event, err error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &e); err != nil {
		return e, err
	}
	if err := json.Unmarshal(raw, &members); err != nil || e.Mail || e.Departures || e.Age || e.Check {
		return e, err
	}
	if len(e.Origins) == 0 && e.Source == "" && len(members) > 0 {
		return e, errors.New(`it asks for nothing; {"origins":["MIL"]} asks for some origins, {} for all, {"departures":true} for a year of departures of the routes that are due, {"mail":true} for mail to be sent`)
	}
	return e, normalizeCities(e.Origins)
}

func (f *Function) send(ctx context.Context) (any, error) {
	if f.Sender == nil {
		return nil, errors.New("there is no mail to send here: it is not configured")
	}
	if err := f.logAge(ctx); err != nil { // logAge is here because the schedule sends this event every 5 minutes
		f.Log.ErrorContext(ctx, "the age of the fares could not be read; the next event of the schedule reads it again", "error", err)
	}
	sent, err := f.work(ctx)
	return Answer{Mail: &sent}, err
}

func (f *Function) work(ctx context.Context) (notify.Result, error) {
	sent, err := f.Sender.Work(ctx)
	f.Log.InfoContext(ctx, "told", "mail", sent)
	return sent, err
}

func (f *Function) enqueue(ctx context.Context, at time.Time) (any, error) {
	r := f.refresher(ctx)
	if at.IsZero() {
		at = r.Now()
	}
	planned, err := r.enqueueOrigins(ctx, f.Queue, at)
	if err != nil {
		return nil, err
	}
	f.logScore(ctx)
	f.logDrift(ctx)
	f.log(ctx, "planned", slog.Int("origins", planned.Planned))
	return planned, nil
}

func (f *Function) deepen(ctx context.Context, at time.Time) (any, error) {
	r := f.refresher(ctx)
	if f.Queue == nil {
		report, err := r.Deepen(ctx)
		f.logDeep(ctx, report)
		return report, err
	}
	if at.IsZero() {
		at = r.Now()
	}
	planned, err := r.enqueueDeep(ctx, f.Queue, at)
	if err != nil {
		return nil, err
	}
	f.logScore(ctx)
	f.log(ctx, "planned", slog.Int("series", planned.Series))
	return planned, nil
}

func (f *Function) logDeep(ctx context.Context, report DeepReport) {
	f.log(ctx, "deepened", slog.Any("report", report),
		metrics.Metric{Name: "SeriesAsked", Unit: metrics.Count, Value: float64(report.Answered)},
		metrics.Metric{Name: "SeriesFailed", Unit: metrics.Count, Value: float64(report.Failed)})
}

var Waits = retry.Backoff{First: 10 * time.Minute, Longest: 4 * time.Hour}

func (f *Function) Messages(ctx context.Context, messages []queue.Message) (failed []string) {
	report, deep, failed := f.Refresher.processMessages(ctx, f.Queue, f.Log, messages)
	if q, ok := f.Queue.(queue.Postponer); ok {
		for _, m := range messages {
			if !slices.Contains(failed, m.ID) {
				continue
			}
			if err := q.Postpone(ctx, m, Waits.After(m.Received)); err != nil {
				f.Log.WarnContext(ctx, "a failed message of the queue could not be postponed, so it comes back at the usual time", "message", m.ID, "error", err)
			}
		}
	}
	if report.Refused || deep.Refused {
		f.Log.LogAttrs(ctx, slog.LevelError, "the fare source refuses the token: store a valid travelpayouts-token",
			f.Metrics.Attrs(f.Now(), metrics.Metric{Name: "SourceRefused", Unit: metrics.Count, Value: 1})...)
	}
	if report.Origins > 0 || deep.empty() {
		f.logReport(ctx, report)
	}
	if !deep.empty() {
		f.logDeep(ctx, deep)
	}
	return failed
}

func (f *Function) refreshNow(ctx context.Context, origins []fare.City) (any, error) {
	r := f.refresher(ctx)
	report, err := r.Run(ctx, origins...)
	if err != nil {
		return nil, err
	}
	f.logReport(ctx, report)
	err = report.Failure()
	if f.Sender == nil {
		return Answer{Report: &report}, err
	}
	sent, fault := f.work(ctx)
	return Answer{&report, &sent}, errors.Join(err, fault)
}

func (f *Function) refresher(ctx context.Context) Refresher {
	r := f.Refresher
	if f.CurrentRates != nil {
		r.Rates = f.CurrentRates(ctx)
	}
	return r
}

func (f *Function) logReport(ctx context.Context, report Report) {
	f.log(ctx, "refreshed", slog.Any("report", report),
		metrics.Metric{Name: "OriginsAsked", Unit: metrics.Count, Value: float64(report.Answered)},
		metrics.Metric{Name: "OriginsFailed", Unit: metrics.Count, Value: float64(report.Failed)})
}

func (f *Function) logAge(ctx context.Context) error {
	days, ok, err := Age(ctx, f.Fares, f.Now())
	if ok {
		f.log(ctx, "age", slog.Float64("days", days),
			metrics.Metric{Name: "DataAgeDays", Unit: metrics.None, Value: days})
	}
	return err
}

func (f *Function) logScore(ctx context.Context) {
	c, err := f.Refresher.pooled(ctx)
	if err != nil {
		f.Log.ErrorContext(ctx, "the service's score could not be read for its alarm; the next refresh reads it again", "error", err)
		return
	}
	if c.Pooled == nil || c.Pooled.Experience == nil {
		return
	}
	weeks := c.Pooled.Experience.WeeksOut
	f.log(ctx, "score", slog.Int("weeksOut", weeks),
		metrics.Metric{Name: "ScoreWeeksOut", Unit: metrics.Count, Value: float64(weeks)})
}

func (f *Function) logDrift(ctx context.Context) {
	source, ok := f.Source.(upstream.Checked)
	if !ok {
		return
	}
	differences, err := source.Drift(ctx)
	if err != nil {
		f.Log.ErrorContext(ctx, "the fare source's answers could not be compared with the form that this version reads; the next run compares again", "error", err)
	}
	f.log(ctx, "compared", slog.Any("differences", differences),
		metrics.Metric{Name: "SourceDifferences", Unit: metrics.Count, Value: float64(len(differences))})
}

func (f *Function) log(ctx context.Context, what string, detail slog.Attr, m ...metrics.Metric) {
	f.Log.LogAttrs(ctx, slog.LevelInfo, what, append([]slog.Attr{detail}, f.Metrics.Attrs(f.Now(), m...)...)...)
}
