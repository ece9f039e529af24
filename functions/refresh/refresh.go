// Package refresh brings the store up to date with the fare source: for each
// origin it asks which fares were found, appends them to the routes' histories
// and makes anew the sheets that verdicts are read from.
//
// A refresh is a fold. Running the same one twice changes nothing; one that is
// killed at any point and run again leaves the store as if it had run once:
// observations are sets, sheets are made from them, and nothing is recorded as
// done before it is. One origin's failure never stops the others, and "asked,
// and there is nothing" is never confused with "could not ask".
//
// Of the routes that somebody watches it leaves news, once a day; a Sender tells
// the subscribers, in the same process or another, then or later.
package refresh

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/trends"
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
	// source knows. Those that callers asked for in vain are asked for as well.
	Origins []fare.City
	// Rates, where given, are kept for those who convert prices.
	Rates fare.Rates
	// Progress, where set, is told of each origin as it ends, one at a time.
	Progress func(done, total int, o Outcome)
}

// Outcome is how asking for one origin ended. Err is set when the source could
// not be asked or the answer could not be stored.
type Outcome struct {
	Origin        fare.City
	Fares         int // in the answer
	New           int
	Duplicate     int
	Dropped       map[upstream.Reason]int
	Routes        int // in the answer
	RoutesChanged int
	Woken         int // watched routes of which there is something new to tell
	Err           error
}

// overlap is how far before the last time an origin was asked its fares are
// asked for again: a source may learn of a fare days after it was found.
const overlap = verdict.LiveDays * 24 * time.Hour

// Run refreshes origins; none given means all that the source knows. It
// returns an error only where nothing could be done at all; what happened to
// each origin is in the report.
func (r *Refresher) Run(ctx context.Context, origins ...fare.City) (Report, error) {
	began := r.Now()
	if err := r.prepare(ctx); err != nil {
		return Report{}, err
	}
	if len(origins) == 0 {
		var err error
		if origins, err = r.plan(ctx); err != nil {
			return Report{}, err
		}
	}
	report := Report{Origins: len(origins)}
	r.sweep(ctx, ctx, began, origins, func(o Outcome) {
		report.add(o)
		if r.Progress != nil {
			r.Progress(report.Asked+report.Failed, len(origins), o)
		}
	})
	return report, nil
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

// sweep asks for origins, several at a time, and tells of each as it ends, one at
// a time. None is begun once begin has ended.
func (r *Refresher) sweep(ctx, begin context.Context, began time.Time, origins []fare.City, told func(Outcome)) {
	var mu sync.Mutex
	ended := func(o Outcome) {
		mu.Lock()
		defer mu.Unlock()
		told(o)
	}

	// A source that refuses our credentials will refuse them for every origin.
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	queue := make(chan fare.City)
	var workers sync.WaitGroup
	for range max(1, min(cmp.Or(r.Workers, 4), len(origins))) {
		workers.Go(func() {
			for origin := range queue {
				o := r.origin(ctx, origin, began)
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

// plan lists the origins to ask for: the configured ones or all, and the wanted ones.
func (r *Refresher) plan(ctx context.Context) ([]fare.City, error) {
	origins := slices.Clone(r.Origins)
	if len(origins) == 0 {
		var err error
		if origins, err = r.Source.Origins(ctx); err != nil {
			return nil, fmt.Errorf("list origins: %w", err)
		}
	}
	wanted, err := r.Fares.RequestedOrigins(ctx)
	if err != nil {
		return nil, err
	}
	for _, w := range wanted {
		if !slices.Contains(origins, w) {
			origins = append(origins, w)
		}
	}
	return origins, nil
}

// origin asks for one origin, stores the answer, route by route, and leaves the
// news of the routes that somebody watches.
func (r *Refresher) origin(ctx context.Context, origin fare.City, now time.Time) Outcome {
	o := Outcome{Origin: origin}
	var since time.Time
	last, err := r.Fares.Asked(ctx, origin)
	if err != nil {
		o.Err = err
		return o
	}
	if !last.IsZero() {
		since = last.Add(-overlap)
	}
	answer, err := r.Source.Fares(ctx, origin, since, now)
	if err != nil {
		o.Err = fmt.Errorf("ask for %s: %w", origin, err)
		return o
	}
	o.Fares, o.Dropped = len(answer.Fares), maps.Clone(answer.Dropped)

	byRoute := map[fare.Route][]fare.Observation{}
	for _, f := range answer.Fares {
		if f.FoundDay() <= fare.DayOf(now)-verdict.HistoryDays {
			// Left out before the fold: a route of which nothing is kept is no covered one.
			if o.Dropped == nil {
				o.Dropped = map[upstream.Reason]int{}
			}
			o.Dropped[upstream.TooOld]++
			continue
		}
		byRoute[f.Route] = append(byRoute[f.Route], f.Observation)
	}
	o.Routes = len(byRoute)
	watched, err := store.Alerts{Table: r.Fares.Table}.Watched(ctx, origin)
	if err != nil {
		o.Err = err
		return o
	}
	sheets := map[fare.City]verdict.RouteSummary{} // of watched routes
	var faults []error
	var entries []trends.Entry
	for route, observations := range byRoute {
		f, err := r.route(ctx, route, observations, fare.DayOf(now))
		o.New += f.added
		if f.changed {
			o.RoutesChanged++
		}
		if err != nil {
			faults = append(faults, err)
			continue
		}
		o.Duplicate += len(observations) - f.added // of a route that failed it is not known
		entries = append(entries, entryOf(route.Destination, f.sheet))
		if slices.Contains(watched, route.Destination) {
			sheets[route.Destination] = f.sheet
		}
	}
	if err := r.trends(ctx, origin, entries); err != nil {
		faults = append(faults, err)
	}
	if len(faults) == 0 { // an answer that is stored in part wakes nobody
		if o.Woken, err = r.wake(ctx, origin, watched, sheets, fare.DayOf(now)); err != nil {
			faults = append(faults, err)
		}
	}
	if len(faults) == 0 {
		// Said last: until all is stored, the next run asks for the same again.
		if err := r.Fares.SetAsked(ctx, origin, now); err != nil {
			faults = append(faults, err)
		}
	}
	o.Err = errors.Join(faults...)
	return o
}

// attempts is how often a route is tried again when another refresh of it writes at the same time.
const attempts = 5

// folded is what became of a route.
type folded struct {
	added   int // observations
	changed bool
	sheet   verdict.RouteSummary
}

// route adds observations to a route's history and makes its sheet anew.
func (r *Refresher) route(ctx context.Context, route fare.Route, observations []fare.Observation, today fare.Day) (f folded, err error) {
	for range attempts {
		f, err = r.fold(ctx, route, observations, today)
		if !errors.Is(err, store.ErrConflict) && !errors.Is(err, store.ErrExists) {
			return f, err
		}
	}
	return f, err
}

// fold does it once. The sheet is made from the whole history every time and
// written only if it differs, so a run that was killed before it wrote the
// sheet is mended by the next.
//
// The old sheet is read before the history, and both strongly: whoever wrote a
// sheet that is replaced here had written its part of the history before, so it
// is in what the new sheet is made from.
func (r *Refresher) fold(ctx context.Context, route fare.Route, observations []fare.Observation, today fare.Day) (f folded, err error) {
	old, version, err := r.Fares.Summary(ctx, route, store.Strong)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return f, err
	}
	if version > 0 {
		if f.sheet, err = verdict.Decode(old); err != nil {
			return f, fmt.Errorf("sheet of %s: %w", route, err)
		}
	}
	blocks, err := r.Fares.Blocks(ctx, route, store.Strong)
	if err != nil {
		return f, err
	}
	h, err := unpack(blocks)
	if err != nil {
		return f, fmt.Errorf("history of %s: %w", route, err)
	}
	merged, writes, added := h.merge(observations)
	if err := r.Fares.PutBlocks(ctx, route, writes, expiry); err != nil {
		return f, err
	}
	f.added, f.changed = added, len(writes) > 0

	if version > 0 && f.sheet.AsOf > today {
		return f, nil // made by a later refresh, which knew at least as much
	}
	f.sheet = verdict.Build(merged, f.sheet.Lows, today)
	fresh := f.sheet.Encode()
	if slices.Equal(fresh, old) {
		return f, nil
	}
	f.changed = true
	return f, r.Fares.PutSummary(ctx, route, fresh, version)
}

// expiry is when the last observation of a cycle leaves the history.
func expiry(c fare.Cycle) time.Time {
	return (c.First() + 7 + verdict.HistoryDays).Time()
}
