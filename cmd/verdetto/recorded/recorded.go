// Package recorded imports recorded fares into a store. Start at Import.Run.
//
// A refresh adds the days of fares in order. So an import refreshes the series again, day by day, in
// a separate store in the work folder, and then copies the result.
package recorded

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"verdetto/functions/refresh"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/upstream"
	"verdetto/shared/upstream/csvfile"
	"verdetto/shared/verdict"
)

type Import struct {
	Target store.Table
	Panel  *csvfile.Panel
	Folder string        // kept after a failure, so that the next import continues
	Every  time.Duration // time between two checkpoints; 0: at least checkpointEvery
	Now    func() time.Time
	Rates  func(fare.Day) fare.Rates
	// Progress may be nil. done is the number of fares up to day.
	Progress func(done, total int, day fare.Day)
	// Waiting may be nil. Run calls Waiting once if the import has to wait for a refresh.
	Waiting func()
}

type Report struct {
	New     int                     `json:"new"`
	Stored  int                     `json:"stored"`
	Dropped map[upstream.Reason]int `json:"dropped,omitempty"`
	Series  int                     `json:"series"`
	First   fare.Day                `json:"first"`
	Last    fare.Day                `json:"last"`
	Resumed fare.Day                `json:"-"` // the day at which a killed import continued, or 0
	Written int                     `json:"-"`
}

const (
	OtherFares upstream.Reason = "of a day on which the store has other fares of the route"
	OldRecord  upstream.Reason = "of a route whose record goes back further than its stored fares"
)

var ErrChanged = errors.New("another process refreshed the store meanwhile; run the import again")

const (
	leaseFor        = 3 * time.Minute
	checkpointEvery = 20 * time.Second
	// All imports hold the lease under one name, so a killed import does not block the next.
	holder = "import"
)

// Run can be repeated after a failure. Run fails with store.ErrOtherSource if the store holds invented fares.
func (i Import) Run(ctx context.Context) (report Report, err error) {
	if err := (store.Fares{Table: i.Target}).ClaimImported(ctx); err != nil {
		return report, err
	}
	w, err := openWork(i.Folder)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	lease := &store.Lease{Table: i.Target, Name: store.RefreshLease, Holder: holder, Duration: leaseFor, Now: i.Now}
	err = lease.Await(ctx, i.Waiting, func(ctx context.Context) error {
		report, err = i.alone(ctx, w)
		return err
	})
	return report, err
}

func (i *Import) alone(ctx context.Context, w *work) (Report, error) {
	panel := i.rows()
	if w.copying { // an import, perhaps of another panel, was killed while it copied its result
		if err := i.copyResult(ctx, w); err != nil || w.plan.Panel == panel.digest {
			return w.plan.Report, err
		}
	}
	p, from, err := i.plan(ctx, panel)
	if err != nil {
		return p.Report, err
	}
	i.Panel = nil // frees memory
	if p.New == 0 {
		return p.Report, w.remove()
	}
	if err := w.begin(&p); err != nil {
		return p.Report, err
	}
	if err := i.replay(ctx, w, from); err != nil {
		return p.Report, err
	}
	if err := w.startCopying(); err != nil {
		return p.Report, err
	}
	err = i.copyResult(ctx, w)
	return w.plan.Report, err
}

func (i Import) replay(ctx context.Context, w *work, from *fares) error {
	counts := from.byDay()
	done, total := 0, 0
	for day, n := range counts {
		total += n
		if day < w.next {
			done += n
		}
	}
	memory, saved := &refresh.Replay{Last: func(series fare.Series) fare.Day {
		return min(from.lastFound(series, i.Now())+verdict.LiveDays, w.plan.Last)
	}}, time.Now()
	every := checkpointEvery

	for day := w.next; day <= w.plan.Last; day++ {
		w.clock.Store(min((day+1).Time().Unix()-1, i.Now().Unix()))
		r := refresh.Refresher{Source: from, Fares: w.fares(), Now: w.now, Rates: i.Rates(day), Replay: memory}
		report, err := r.Run(ctx)
		if err == nil && report.Failed > 0 {
			err = fmt.Errorf("%d of %d origins failed: %s", report.Failed, report.Origins, report.Faults[0])
		}
		last := day == w.plan.Last
		if err == nil && (last || time.Since(saved) >= cmp.Or(i.Every, every)) {
			begun := time.Now()
			if err = memory.Save(ctx, r); err == nil && !last {
				err = w.checkpoint(day + 1)
			}
			saved = time.Now()
			every = max(checkpointEvery, 10*saved.Sub(begun))
		}
		if err != nil {
			return fmt.Errorf("refresh again as on %s: %w", day, err)
		}
		if done += counts[day]; i.Progress != nil {
			i.Progress(done, total, day)
		}
	}
	return nil
}
