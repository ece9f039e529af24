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
	"verdetto/shared/runtime/queue"
	"verdetto/shared/store"
	"verdetto/shared/upstream"
	"verdetto/shared/verdict/trends"
)

const (
	// restEvery is the number of days after which a series that is not in demand is due again.
	restEvery = 7
	// A series is due earlyBy before its time, because the daily runs start at slightly different times.
	earlyBy          = 6 * time.Hour
	seriesPerMessage = 25
	// A question puts a series in demand for 8 days, so an end beyond maxDemand comes from a wrong clock.
	maxDemand = 9 * 24 * time.Hour
	// A request for an uncovered origin is stored for 16 days, so an end beyond maxRequest comes from a wrong clock.
	maxRequest = 17 * 24 * time.Hour
)

type due struct {
	fare.Series
	demand     bool
	lastAnswer int64
}

// planDeep returns the due series, the most urgent first. If an origin cannot be read, planDeep returns the
// series of the other origins together with the error.
func (r *Refresher) planDeep(ctx context.Context, at time.Time) ([]due, error) {
	covered, fault := r.coveredSeries(ctx)
	now := at.Unix()
	var wanted, airports, rest []due
	routes := 0
	for _, d := range covered {
		age := time.Duration(now-d.lastAnswer) * time.Second
		isPair := d.Airports != (fare.Airports{})
		if !isPair {
			routes++
		}
		switch {
		case isPair && age >= 24*time.Hour-earlyBy:
			airports = append(airports, d)
		case isPair:
		case d.demand && age >= 24*time.Hour-earlyBy:
			wanted = append(wanted, d)
		case !d.demand && age >= restEvery*24*time.Hour-earlyBy:
			rest = append(rest, d)
		}
	}
	oldest := func(a, b due) int {
		return cmp.Or(cmp.Compare(a.lastAnswer, b.lastAnswer), cmp.Compare(a.String(), b.String()))
	}
	slices.SortFunc(wanted, oldest)
	slices.SortFunc(airports, oldest)
	slices.SortFunc(rest, oldest)
	// share is a seventh of the series between cities, so that new series are not all due on the
	// same weekday, and a tenth more for failed calls.
	share := (routes*11 + 10*restEvery - 1) / (10 * restEvery)
	return slices.Concat(wanted, airports[:min(share, len(airports))], rest[:min(share, len(rest))]), fault
}

func (r *Refresher) coveredSeries(ctx context.Context) ([]due, error) {
	demanded, err := r.Fares.Demanded(ctx, r.Now().Add(maxDemand))
	if err != nil {
		return nil, err
	}
	demand := map[fare.City][]fare.Series{}
	for _, s := range demanded {
		demand[s.Origin] = append(demand[s.Origin], s)
	}
	origins, err := r.Fares.Covered(ctx, "", 0)
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	var all []due
	var faults []error
	work := make(chan fare.City)
	var workers sync.WaitGroup
	for range 16 {
		workers.Go(func() {
			for origin := range work {
				series, err := r.seriesFrom(ctx, origin, demand[origin])
				mu.Lock()
				all = append(all, series...)
				if err != nil && len(faults) < maxFaults {
					faults = append(faults, err)
				}
				mu.Unlock()
			}
		})
	}
	for _, origin := range origins {
		work <- origin
	}
	close(work)
	workers.Wait()
	return all, errors.Join(faults...)
}

// seriesFrom also publishes summaries that a killed run stored without publishing.
func (r *Refresher) seriesFrom(ctx context.Context, origin fare.City, demanded []fare.Series) ([]due, error) {
	if err := r.rebuild(ctx, origin, r.Now()); err != nil {
		return nil, fmt.Errorf("rebuild %s: %w", origin, err)
	}
	routes, version, err := r.trends(ctx, origin)
	if err != nil || version == 0 {
		return nil, err
	}
	subscribed, err := r.subscribedRoutes(ctx, origin)
	if err != nil {
		return nil, err
	}
	wanted := map[fare.City][]fare.Trip{}
	var pairs []fare.Series
	for _, w := range subscribed {
		wanted[w.Destination] = append(w.Trips, fare.OneWay)
		pairs = append(pairs, w.Pairs...)
	}
	for _, s := range demanded {
		if s.Airports != (fare.Airports{}) && !slices.Contains(pairs, s) {
			pairs = append(pairs, s)
		}
	}
	var all []due
	published := map[fare.City]trends.Entry{}
	for _, e := range routes.Entries {
		published[e.Destination] = e
		route := fare.Route{Origin: origin, Destination: e.Destination}
		oneWay := fare.Series{Route: route}
		isWanted := slices.Contains(wanted[e.Destination], fare.OneWay)
		all = append(all, due{Series: oneWay, demand: isWanted || slices.Contains(demanded, oneWay)})
		for _, trip := range fare.Trips()[1:] {
			if s := (fare.Series{Route: route, Trip: trip}); slices.Contains(demanded, s) ||
				slices.Contains(wanted[e.Destination], trip) {
				all = append(all, due{Series: s, demand: true})
			}
		}
		for _, s := range pairs {
			if s.Route == route {
				all = append(all, due{Series: s, demand: true})
			}
		}
	}
	unpublished := summaries{}
	for i, d := range all {
		s, err := r.summary(ctx, d.Series, store.Eventual)
		if err != nil {
			return nil, err
		}
		all[i].lastAnswer = s.DeepRequest
		e := published[d.Destination]
		isPublished := d.Series == fare.Series{Route: d.Route}
		if isPublished && (s.AsOf > e.AsOf || s.AsOf == e.AsOf && s.Observations > e.Observations) {
			unpublished.add(d.Series, mergeResult{summary: s.RouteSummary})
		}
	}
	if len(unpublished) == 0 {
		return all, nil
	}
	pooled, err := r.pooled(ctx)
	if err != nil {
		return nil, err
	}
	return all, r.publish(ctx, origin, unpublished, pooled, new(int))
}

type PlannedDeep struct {
	Series   int       `json:"series"`
	InDemand int       `json:"inDemand"`
	Messages int       `json:"messages"`
	Time     time.Time `json:"at"`
}

// All series of a task must have the same origin, because deepen publishes for one origin.
func messages(series []due, at time.Time) (tasks []task) {
	type kind struct {
		origin fare.City
		demand bool
	}
	open := map[kind]int{} // 1 + the index of the last task, by kind
	for _, d := range series {
		k := kind{d.Origin, d.demand}
		n := open[k] - 1
		if n < 0 || len(tasks[n].Series) == seriesPerMessage {
			tasks = append(tasks, task{Planned: at})
			n = len(tasks) - 1
			open[k] = n + 1
		}
		tasks[n].Series = append(tasks[n].Series, d.Series)
	}
	return tasks
}

func (r *Refresher) planMessages(ctx context.Context, at time.Time) ([]task, PlannedDeep, error) {
	if _, ok := r.Source.(upstream.Deep); !ok {
		return nil, PlannedDeep{}, nil
	}
	at = at.UTC().Truncate(time.Second)
	if _, err := r.closeCycles(ctx, at, false); err != nil {
		return nil, PlannedDeep{}, err
	}
	series, err := r.planDeep(ctx, at)
	if err != nil {
		err = fmt.Errorf("plan departures: %w", err)
	}
	tasks := messages(series, at)
	planned := PlannedDeep{Series: len(series), Messages: len(tasks), Time: at}
	for _, d := range series {
		if d.demand {
			planned.InDemand++
		}
	}
	return tasks, planned, err
}

// A second enqueueDeep for the same time does no harm: workers skip series that were asked for
// since then.
func (r *Refresher) enqueueDeep(ctx context.Context, q queue.Queue, at time.Time) (PlannedDeep, error) {
	if err := r.prepare(ctx); err != nil {
		return PlannedDeep{}, err
	}
	tasks, planned, fault := r.planMessages(ctx, at)
	bodies := make([]string, len(tasks))
	for i, t := range tasks {
		bodies[i] = t.String()
	}
	if err := q.Send(ctx, bodies...); err != nil {
		return planned, errors.Join(fault, fmt.Errorf("put %d series on the queue: %w", planned.Series, err))
	}
	return planned, fault
}

func (r *Refresher) Deepen(ctx context.Context) (DeepReport, error) {
	var report DeepReport
	if err := r.prepare(ctx); err != nil {
		return report, err
	}
	tasks, planned, err := r.planMessages(ctx, r.Now())
	faults := []error{err}
	done := 0
	for _, t := range tasks {
		_, err := r.deepen(ctx, ctx, t, &report)
		done += len(t.Series)
		if r.DeepProgress != nil {
			r.DeepProgress(done, planned.Series, t.Series[0].String())
		}
		if faults = append(faults, err); errors.Is(err, upstream.ErrRefused) {
			break
		}
	}
	return report, errors.Join(append(faults, ctx.Err())...)
}
