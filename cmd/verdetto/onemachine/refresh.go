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

// Cycle is the time from one refresh to the next.
const Cycle = verdict.LiveDays * 24 * time.Hour

// Refresh brings the table up to date from the source, once; with origins named, only for these.
func (o Options) Refresh(ctx context.Context, progress func(done, total int, of refresh.Outcome), only ...fare.City) (refresh.Report, error) {
	r := refresh.Refresher{Source: o.Source, Fares: store.Fares{Table: o.Table}, Now: o.Now, Rates: o.rates(ctx), Progress: progress}
	return r.Run(ctx, only...)
}

// rates are those that price trends convert at: the newest for the real source,
// and for recorded or invented fares those of the clock's day.
func (o Options) rates(ctx context.Context) fare.Rates {
	if o.Source.Name() == "travelpayouts" {
		return ecb.Current(ctx, &ecb.Feed{}, ecb.Table(), o.Log)
	}
	return ecb.Table().On(fare.DayOf(o.Now()))
}

// RefreshEveryCycle refreshes after a while and then every cycle, until the context ends.
func (o Options) RefreshEveryCycle(ctx context.Context, once func() error, after time.Duration) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(after):
		}
		if err := once(); err != nil {
			o.Log.Error("refresh failed", "error", err)
		}
		after = Cycle
	}
}
