package onemachine

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"verdetto/cmd/verdetto/monitor"
	"verdetto/functions/refresh"
	"verdetto/shared/fare"
	"verdetto/shared/runtime/retry"
	"verdetto/shared/store"
	"verdetto/shared/upstream"
	"verdetto/shared/upstream/ecb"
	"verdetto/shared/verdict"
)

const Cycle = verdict.LiveDays

func (o Options) Refresh(ctx context.Context, progress func(done, total int, origin refresh.Outcome),
	only ...fare.City) (refresh.Report, error) {
	r := o.refresher(ctx)
	r.Progress = progress
	report, err := r.Run(ctx, only...)
	o.Monitor.Refreshed("discovery", report.Answered, report.Failed, 0, report.New, err)
	if len(only) == 0 {
		o.compareForm(ctx)
	}
	return report, err
}

// If the last call of the returned function left origins in Report.Again, the next call asks only
// for these origins, unless Cycle days have passed since the last call that asked for all.
func (o Options) Discovery(progress func(done, total int, origin refresh.Outcome)) func(context.Context) (refresh.Report, error) {
	var failed []fare.City
	var began time.Time
	return func(ctx context.Context) (refresh.Report, error) {
		if len(failed) == 0 || o.Now().Sub(began) >= Cycle*24*time.Hour {
			failed, began = nil, o.Now()
		}
		report, err := o.Refresh(ctx, progress, failed...)
		if failed = report.Again; err == nil {
			err = report.Failure()
		}
		return report, err
	}
}

func (o Options) compareForm(ctx context.Context) {
	source, ok := o.Source.(upstream.Checked)
	if !ok {
		return
	}
	differences, err := source.Drift(ctx)
	o.Monitor.Refreshed("form", 1, len(differences), 0, 0, err)
	switch {
	case errors.Is(err, upstream.ErrRefused):
		o.Log.ErrorContext(ctx, "the fare source refuses the token: set a valid TRAVELPAYOUTS_TOKEN", "error", err)
	case len(differences) == 0 && err != nil:
		o.Log.WarnContext(ctx, "the fare source's answers could not be compared with the form that this version reads; the next refresh compares again", "error", err)
	case len(differences) > 0:
		o.Log.ErrorContext(ctx, "the fare source's answers have another form than this version reads, so fares may be missing: look for a newer version", "differences", differences, "error", err)
	}
}

func (o Options) Deepen(ctx context.Context, progress func(done, total int, at string)) (refresh.DeepReport, error) {
	r := o.refresher(ctx)
	r.DeepProgress = progress
	report, err := r.Deepen(ctx)
	o.Monitor.Refreshed("departures", report.Answered, report.Failed, report.Remaining, report.New, err)
	return report, err
}

func (o Options) refresher(ctx context.Context) refresh.Refresher {
	return refresh.Refresher{Source: o.Source, Fares: store.Fares{Table: o.Table}, Now: o.Now, Rates: o.rates(ctx),
		Origins: o.Origins}
}

func (o Options) rates(ctx context.Context) fare.Rates {
	if o.Source.Name() == realSource {
		return ecb.Current(ctx, &ecb.Feed{}, ecb.Table(), o.Log)
	}
	return ecb.Table().RatesOn(fare.DayOf(o.Now()))
}

// Refreshes has All, which is due every Cycle days, and Departures, which is due every day.
type Refreshes struct{ All, Departures func(context.Context) error }

func (r Refreshes) each(f func(run store.Run, every time.Duration, work func(context.Context) error) error) error {
	return errors.Join(f(store.Discovery, Cycle*24*time.Hour, r.All), f(store.Depth, 24*time.Hour, r.Departures))
}

const (
	refreshLeaseFor = 3 * time.Minute
	lookEvery       = 5 * time.Minute
)

var names = map[store.Run]string{store.Discovery: "routes", store.Depth: "departures"}

// Several processes can call RefreshDaily for one table: a lease lets one refresh run at a time.
func (o Options) RefreshDaily(ctx context.Context, r Refreshes) {
	due := o.Due(r)
	for {
		due(ctx)
		if retry.Sleep(ctx, lookEvery) != nil {
			return
		}
	}
}

type pause struct {
	tries int
	until time.Time
	full  func() bool
}

func (o Options) Due(r Refreshes) func(ctx context.Context) {
	pauses := map[store.Run]pause{}
	return func(ctx context.Context) {
		_ = r.each(func(run store.Run, every time.Duration, work func(context.Context) error) error {
			p := pauses[run]
			if o.Now().Before(p.until) && (p.full == nil || p.full()) {
				return nil
			}
			began := time.Now()
			err := o.refreshAlone(ctx, run, every, work)
			switch {
			case errors.Is(err, store.ErrHeld) || ctx.Err() != nil:
			case err == nil:
				delete(pauses, run)
				o.resolved("the refresh of " + names[run])
			default:
				p.tries++
				p.until = o.Now().Add(refresh.Waits.After(p.tries))
				p.full = o.ranFull(began)
				pauses[run] = p
				todo := fmt.Sprintf("The service tries again at %s; verdetto check -source asks the source",
					p.until.UTC().Format("15:04 UTC"))
				if errors.Is(err, upstream.ErrRefused) {
					todo = "Set a valid TRAVELPAYOUTS_TOKEN"
				}
				if p.full != nil {
					todo = "Free some space on the disk of the store; then the service tries again"
				}
				o.troubled(monitor.Trouble{Of: "the refresh of " + names[run], Error: err.Error(), Todo: todo, Full: p.full})
			}
			return nil //nolint:nilerr // a failed run must not stop the other run
		})
	}
}

// The function that ranFull returns compares free space, because a small probe write may succeed even
// on a full disk.
func (o Options) ranFull(began time.Time) func() bool {
	file, ok := o.Table.(interface {
		WriteFailed() time.Time
		Path() string
	})
	if !ok || file.WriteFailed().Before(began) {
		return nil
	}
	folder := filepath.Dir(file.Path())
	before, _ := o.room(folder)
	return func() bool {
		free, ok := o.room(folder)
		return ok && free < before+1<<20
	}
}

func (o Options) RefreshDue(ctx context.Context, r Refreshes) error {
	return r.each(func(run store.Run, every time.Duration, work func(context.Context) error) error {
		return o.refreshAlone(ctx, run, every, work)
	})
}

// RefreshNow refreshes even if nothing is due, so use RefreshNow only for sources whose requests are free.
func (o Options) RefreshNow(ctx context.Context, r Refreshes) error {
	return r.each(func(run store.Run, _ time.Duration, work func(context.Context) error) error {
		for {
			err := o.refreshAlone(ctx, run, 0, work)
			if !errors.Is(err, store.ErrHeld) {
				return err
			}
			if last, _, err := (store.Fares{Table: o.Table}).LastRun(ctx, run); err != nil || !last.IsZero() {
				return err
			}
			if err := retry.Sleep(ctx, time.Second); err != nil {
				return err
			}
		}
	})
}

// RefreshAlone waits for the lease on refreshes and does work while it holds the lease. RefreshAlone fails if the store
// holds fares of another source.
func (o Options) RefreshAlone(ctx context.Context, waiting func(), work func(context.Context) error) error {
	if err := (store.Fares{Table: o.Table}).Claim(ctx, o.Source.Name(), o.Now()); err != nil {
		return err
	}
	return o.refreshLease().Await(ctx, waiting, work)
}

func (o Options) refreshLease() *store.Lease {
	return &store.Lease{Table: o.Table, Name: store.RefreshLease, Holder: rand.Text(), Duration: refreshLeaseFor,
		Now: o.Now}
}

// refreshAlone returns store.ErrHeld if a refresh is due but another process holds the lease.
func (o Options) refreshAlone(ctx context.Context, run store.Run, every time.Duration,
	work func(context.Context) error) error {
	fares := store.Fares{Table: o.Table}
	due := func() (at time.Time, version int64, due bool, err error) {
		last, version, err := fares.LastRun(ctx, run)
		at = o.Now()
		return at, version, last.IsZero() || last.After(at) || at.Sub(last) >= every, err
	}
	if _, _, is, err := due(); err != nil || !is {
		return err
	}
	return o.refreshLease().While(ctx, func(ctx context.Context) error {
		began, version, is, err := due() // another process may have finished the refresh meanwhile
		if err != nil || !is {
			return err
		}
		if err := work(ctx); err != nil {
			return err
		}
		if err := fares.SetRun(ctx, run, began, version); !errors.Is(err, store.ErrConflict) {
			return err
		}
		return nil
	})
}
