// Package refresh brings the store up to date with the fare source: for each
// origin it asks which fares were found, merges them into the routes' histories
// and rebuilds the summaries that verdicts are read from.
//
// A refresh is idempotent: twice changes nothing, and one that is killed anywhere
// and run again leaves the store as if it had run once. One origin's failure never
// stops the others, and "asked, and there is nothing" is never confused with "could
// not ask". Package notify sends the notifications that a refresh leaves.
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
)

// Refresher holds what a refresh needs.
type Refresher struct {
	Source  upstream.Source
	Fares   store.Fares
	Now     func() time.Time
	Workers int // origins at a time; 0 is 4
	// Origins are asked for when Run is given none; without them, all that the
	// source knows. Those that callers requested and that are not covered are asked for as well.
	Origins []fare.City
	// Rates are the newest: for comparing what is quoted in several currencies, and
	// kept for those who convert prices. Without them only what is quoted in euro can be used.
	Rates fare.Rates
	// Progress, where set, is called for each origin as it ends, one at a time.
	Progress func(done, total int, o Outcome)

	warming bool // departures are folded at the end of the run, all series together
}

// Outcome is how asking for one origin ended. Err is set when the source could
// not be asked or the answer could not be stored.
type Outcome struct {
	Origin        fare.City
	Fares         int // in the answer
	New           int
	Duplicate     int
	Dropped       map[upstream.Reason]int
	Routes        Counts // in the answer, one-way
	Returns       Counts // series of returns
	Notifications int    // watched routes of which there is something new to tell
	Err           error

	anywhere bool // it is stored, and there are alerts to anywhere from it
}

// Counts are how many there were in an answer, and of how many something new was stored.
type Counts struct {
	Seen    int
	Changed int
}

// overlap is how far before the last time an origin was asked its fares are
// asked for again: a source may learn of a fare days after it was found.
const overlap = verdict.LiveDays * 24 * time.Hour

// Run refreshes origins, without any all that the source knows. It fails only if
// nothing could be done, or what is stored could not be folded; what happened to
// each origin is in the report.
func (r *Refresher) Run(ctx context.Context, origins ...fare.City) (Report, error) {
	began := r.Now()
	if err := r.prepare(ctx); err != nil {
		return Report{}, err
	}
	c, version, err := r.pooledVersion(ctx, store.Strong)
	if err != nil {
		return Report{}, err
	}
	// A pooled part of the future is left for warmUp, which makes it anew of all that is stored.
	if isLost := version > 0 && c.Pooled == nil; !isLost || len(origins) > 0 {
		if err := r.closeCycles(ctx, began); err != nil {
			return Report{}, err
		}
	}
	own := *r
	r = &own
	if len(origins) == 0 {
		var err error
		if origins, err = r.plan(ctx); err != nil {
			return Report{}, err
		}
		before, err := r.pooled(ctx)
		if err != nil {
			return Report{}, err
		}
		r.warming = before.Pooled == nil || before.Warmed == fare.DayOf(began)
	}
	report := Report{Origins: len(origins)}
	stored := true // all that the source told
	var anywhere []fare.City
	r.refreshOrigins(ctx, ctx, began, origins, func(o Outcome) {
		report.add(o)
		if o.anywhere {
			anywhere = append(anywhere, o.Origin)
		}
		stored = stored && (o.Err == nil || isOfSource(o.Err))
		if r.Progress != nil {
			r.Progress(report.Asked+report.Failed, len(origins), o)
		}
	})
	if r.warming && stored {
		if err := r.warmUp(ctx, fare.DayOf(began)); err != nil {
			return report, err
		}
		for _, origin := range anywhere { // only now are there deals to judge by
			if err := r.leaveAnywhere(ctx, origin); err != nil {
				return report, err
			}
		}
	}
	return report, nil
}

// isOfSource tells a source that did not tell from an answer that was not stored.
func isOfSource(err error) bool {
	return errors.Is(err, upstream.ErrUnavailable) || errors.Is(err, upstream.ErrRefused) ||
		errors.Is(err, upstream.ErrBudget)
}

// prepare does what a refresh needs once, however many origins it has.
func (r *Refresher) prepare(ctx context.Context) error {
	if err := r.Fares.Claim(ctx, r.Source.Name()); err != nil {
		return err
	}
	if r.Rates.PerEuro == nil {
		return nil
	}
	return r.Fares.SetRates(ctx, r.Rates)
}

// errNotBegun: there was no time left to begin with the origin.
var errNotBegun = errors.New("not begun")

// refreshOrigins asks for origins, several at a time, and reports each as it ends,
// one at a time. None is begun once begin has ended.
func (r *Refresher) refreshOrigins(ctx, begin context.Context, began time.Time, origins []fare.City,
	report func(Outcome)) {
	var mu sync.Mutex
	ended := func(o Outcome) {
		mu.Lock()
		defer mu.Unlock()
		report(o)
	}

	// A source that refuses our credentials will refuse them for every origin.
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

// plan lists the origins to ask for: the configured ones or all, and the requested ones.
func (r *Refresher) plan(ctx context.Context) ([]fare.City, error) {
	origins := slices.Clone(r.Origins)
	if len(origins) == 0 {
		var err error
		if origins, err = r.Source.Origins(ctx); err != nil {
			return nil, fmt.Errorf("list origins: %w", err)
		}
	}
	requested, err := r.Fares.RequestedOrigins(ctx, r.Now().Add(mostRequest))
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
