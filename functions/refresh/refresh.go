// Package refresh updates the store from the fare source. Start reading at Refresher.Run.
//
// A killed run can be repeated.
package refresh

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/upstream"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
)

type Refresher struct {
	Source  upstream.Source
	Fares   store.Fares
	Now     func() time.Time
	Workers int // origins in parallel; 0 means 4
	// If Origins is empty, plan takes all origins of the source.
	Origins []fare.City
	// Rates, if set, are also stored for answers.
	Rates fare.Rates
	// Progress, if set, is called by one goroutine at a time.
	Progress     func(done, total int, o Outcome)
	DeepProgress func(done, total int, at string)

	Replay *Replay

	cycle   *departure.Cycle
	warming bool
}

type Outcome struct {
	Origin        fare.City
	Fares         int
	New           int
	Duplicate     int
	Dropped       map[upstream.Reason]int
	Routes        Counts
	Returns       Counts
	Notifications int
	Err           error

	anywhere bool
}

type Counts struct {
	Seen    int
	Changed int
}

// overlap repeats the days before the last answer, because a source may report a fare days after the fare was found.
const overlap = verdict.LiveDays * 24 * time.Hour

// Run refreshes the given origins or, if none are given, the origins that plan returns.
func (r *Refresher) Run(ctx context.Context, origins ...fare.City) (Report, error) {
	began := r.Now()
	if err := r.prepare(ctx); err != nil {
		return Report{}, err
	}
	c, err := r.closeCycles(ctx, began, len(origins) == 0)
	if err != nil {
		return Report{}, err
	}
	pinned := *r
	pinned.cycle = &c
	r = &pinned
	if len(origins) == 0 {
		var err error
		if origins, err = r.plan(ctx); err != nil {
			return Report{}, err
		}
		r.warming = c.Pooled == nil || c.Warmed == fare.DayOf(began)
		covered, err := r.Fares.Covered(ctx, "", 0)
		if err != nil {
			return Report{}, err
		}
		for _, origin := range covered {
			if !slices.Contains(origins, origin) {
				if err := r.rebuild(ctx, origin, began); err != nil {
					return Report{}, fmt.Errorf("rebuild %s: %w", origin, err)
				}
			}
		}
	}
	report := Report{Origins: len(origins)}
	stored := true
	var anywhere []fare.City
	r.refreshOrigins(ctx, ctx, began, origins, func(o Outcome) {
		report.add(o)
		if o.anywhere {
			anywhere = append(anywhere, o.Origin)
		}
		stored = stored && (o.Err == nil || isOfSource(o.Err))
		if r.Progress != nil {
			r.Progress(report.Answered+report.Failed, len(origins), o)
		}
	})
	if r.warming && !stored {
		report.Again = nil // the statistics need all answers, so a retry must ask for all
	}
	if r.warming && stored {
		if err := r.warmUp(ctx, fare.DayOf(began)); err != nil {
			return report, err
		}
		for _, origin := range anywhere { // alerts to anywhere are compared with the deals that warmUp wrote
			if err := r.storeAnywhere(ctx, origin); err != nil {
				return report, err
			}
		}
	}
	return report, nil
}

func isOfSource(err error) bool {
	return errors.Is(err, upstream.ErrUnavailable) || errors.Is(err, upstream.ErrRefused) ||
		errors.Is(err, upstream.ErrBudget)
}

func (r *Refresher) prepare(ctx context.Context) error {
	if err := r.Fares.Claim(ctx, r.Source.Name(), r.Now()); err != nil {
		return err
	}
	if r.Rates.PerEuro == nil {
		return nil
	}
	return r.Fares.SetRates(ctx, r.Rates)
}

var errNotBegun = errors.New("not begun")

// refreshOrigins calls report from one goroutine at a time.
func (r *Refresher) refreshOrigins(ctx, begin context.Context, began time.Time, origins []fare.City,
	report func(Outcome)) {
	var mu sync.Mutex
	ended := func(o Outcome) {
		mu.Lock()
		defer mu.Unlock()
		report(o)
	}

	// If the source refuses the credentials once, the whole refresh stops.
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	queue := make(chan fare.City)
	var workers sync.WaitGroup
	for range max(1, min(cmp.Or(r.Workers, 4), len(origins))) {
		workers.Go(func() {
			for origin := range queue {
				o := r.refreshOrigin(ctx, origin, began)
				if errors.Is(o.Err, upstream.ErrRefused) {
					stop(o.Err)
				}
				ended(o)
			}
		})
	}
	for _, origin := range origins {
		if ctx.Err() == nil && begin.Err() == nil {
			select {
			case queue <- origin:
				continue
			case <-begin.Done():
			case <-ctx.Done():
			}
		}
		if ctx.Err() != nil {
			ended(Outcome{Origin: origin, Err: fmt.Errorf("not asked: %w", context.Cause(ctx))})
		} else {
			ended(Outcome{Origin: origin, Err: errNotBegun})
		}
	}
	close(queue)
	workers.Wait()
}

func (r *Refresher) plan(ctx context.Context) ([]fare.City, error) {
	origins := slices.Clone(r.Origins)
	if len(origins) == 0 {
		var err error
		if origins, err = r.Source.Origins(ctx); err != nil {
			return nil, fmt.Errorf("list origins: %w", err)
		}
	}
	requested, err := r.Fares.RequestedOrigins(ctx, r.Now().Add(maxRequest))
	if err != nil {
		return nil, err
	}
	for _, o := range requested {
		if !slices.Contains(origins, o) {
			origins = append(origins, o)
		}
	}
	return origins, nil
}
