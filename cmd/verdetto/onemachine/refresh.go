package onemachine

import (
	"context"
	"time"

	"verdetto/functions/refresh"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/upstream/ecb"
	"verdetto/shared/verdict"
)

// Cycle is how many days lie between two refreshes of all routes.
const Cycle = verdict.LiveDays

// Refresh brings the table up to date from the source, once; with origins named, only for these.
func (o Options) Refresh(ctx context.Context, progress func(done, total int, of refresh.Outcome), only ...fare.City) (refresh.Report, error) {
	r := o.refresher(ctx)
	r.Progress = progress
	report, err := r.Run(ctx, only...)
	o.Monitor.Refreshed("discovery", report.Asked, report.Failed, 0, report.New, err)
	return report, err
}

// Deepen asks the source, if it can be asked for one route, for a year of departures
// of those that are due.
func (o Options) Deepen(ctx context.Context) (refresh.DeepReport, error) {
	r := o.refresher(ctx)
	report, err := r.Deepen(ctx)
	o.Monitor.Refreshed("departures", report.Asked, report.Failed, report.Left, report.New, err)
	return report, err
}

func (o Options) refresher(ctx context.Context) refresh.Refresher {
	return refresh.Refresher{Source: o.Source, Fares: store.Fares{Table: o.Table}, Now: o.Now, Rates: o.rates(ctx)}
}

// rates are those that fares are shown at: the newest for the real source, and for
// recorded or invented fares those of the clock's day.
func (o Options) rates(ctx context.Context) fare.Rates {
	if o.Source.Name() == realSource {
		return ecb.Current(ctx, &ecb.Feed{}, ecb.Table(), o.Log)
	}
	return ecb.Table().On(fare.DayOf(o.Now()))
}

// RefreshDaily refreshes all routes every Cycle and asks for departures every day,
// until the context ends. It begins as on the given day of a cycle, after a wait.
func (o Options) RefreshDaily(ctx context.Context, all, departures func() error, day int, after time.Duration) {
	for ; ; day++ {
		select {
		case <-ctx.Done():
			return
		case <-time.After(after):
		}
		if day%Cycle == 0 {
			if err := all(); err != nil {
				o.Log.Error("refresh failed", "error", err)
			}
		}
		if err := departures(); err != nil {
			o.Log.Error("asking for departures failed", "error", err)
		}
		after = 24 * time.Hour
	}
}
