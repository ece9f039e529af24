package refresh

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/upstream"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/deals"
	"verdetto/shared/verdict/departure"
	"verdetto/shared/verdict/trends"
)

func (r *Refresher) refreshOrigin(ctx context.Context, origin fare.City, now time.Time) (o Outcome) {
	o.Origin = origin
	if err := r.rebuild(ctx, origin, now); err != nil {
		o.Err = fmt.Errorf("rebuild %s: %w", origin, err)
		return o
	}
	var since time.Time
	last, err := r.lastAnswer(ctx, origin)
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
	o.Err = r.storeAnswer(ctx, &o, answer, now)
	return o
}

// As its last step, storeAnswer records the time of the answer, so that after an interruption the next run asks for the
// same fares again.
func (r *Refresher) storeAnswer(ctx context.Context, o *Outcome, answer upstream.Answer, now time.Time) error {
	series, tooOld := groupBySeries(answer.Fares, fare.DayOf(now))
	o.Fares = len(answer.Fares)
	addDropped(&o.Dropped, answer.Dropped)
	if tooOld > 0 {
		addDropped(&o.Dropped, map[upstream.Reason]int{upstream.TooOld: tooOld})
	}
	stored := summaries{}
	pooled, err := r.pooled(ctx)
	if err != nil {
		return err
	}
	var faults []error
	for one, observations := range series {
		oneWay := one.Trip == fare.OneWay
		m, err := r.mergeSeries(ctx, one, observations, pooled, now, false)
		o.New += m.added
		counts := &o.Returns
		if oneWay {
			counts = &o.Routes
		}
		counts.Seen++
		if m.changed {
			counts.Changed++
		}
		if err != nil {
			faults = append(faults, err)
			continue
		}
		o.Duplicate += len(observations) - m.added
		stored.add(one, m)
	}
	if len(faults) > 0 { // a partially stored answer notifies no subscriber
		return errors.Join(append(faults, r.updateLists(ctx, o.Origin, stored, nil, pooled))...)
	}
	subscribed, err := r.subscribedRoutes(ctx, o.Origin)
	if err == nil {
		err = r.updateLists(ctx, o.Origin, stored, subscribed, pooled)
	}
	if err == nil {
		o.Notifications, err = r.storeNotifications(ctx, o.Origin, subscribed, stored[fare.OneWay], fare.DayOf(now))
	}
	if err != nil {
		return err
	}
	o.anywhere = toAnywhere(subscribed)
	return r.Fares.SetLastAnswer(ctx, o.Origin, now)
}

// Stored trends show a later plan that publishing is complete, so publish writes the trends last.
func (r *Refresher) publish(ctx context.Context, origin fare.City, stored summaries, pooled departure.Cycle,
	notified *int) error {
	if len(stored) == 0 {
		return nil
	}
	subscribed, err := r.subscribedRoutes(ctx, origin)
	if err != nil {
		return err
	}
	oneWay := stored[fare.OneWay]
	asked := slices.DeleteFunc(slices.Clone(subscribed),
		func(w store.SubscribedRoute) bool { _, is := oneWay[w.Destination]; return !is })
	n, err := r.storeNotifications(ctx, origin, asked, oneWay, fare.DayOf(r.Now()))
	*notified += n
	if err = errors.Join(err, r.storeReturns(ctx, origin, subscribed, stored)); err != nil {
		return err
	}
	return r.updateLists(ctx, origin, stored, subscribed, pooled)
}

func (r *Refresher) subscribedRoutes(ctx context.Context, origin fare.City) ([]store.SubscribedRoute, error) {
	return store.Alerts{Table: r.Fares.Table}.SubscribedRoutes(ctx, origin)
}

func (r *Refresher) updateLists(ctx context.Context, origin fare.City, stored summaries,
	subscribed []store.SubscribedRoute, pooled departure.Cycle) error {
	if !r.warming {
		err := r.updateDeals(ctx, origin, stored, pooled.Pooled)
		if err == nil && toAnywhere(subscribed) {
			err = r.storeAnywhere(ctx, origin)
		}
		if err != nil {
			return err
		}
	}
	var entries []trends.Entry
	for destination, m := range stored[fare.OneWay] {
		entries = append(entries, trends.EntryOf(destination, m.summary))
	}
	if len(entries) == 0 {
		return nil
	}
	return r.updateTrends(ctx, origin, entries)
}

// groupBySeries drops old fares before the merge, because a route with old fares only must not become covered.
func groupBySeries(fares []fare.Fare, today fare.Day) (series map[fare.Series][]fare.Observation, tooOld int) {
	series = map[fare.Series][]fare.Observation{}
	for _, f := range fares {
		if f.FoundDay() <= today-verdict.HistoryDays {
			tooOld++
			continue
		}
		series[f.Series()] = append(series[f.Series()], f.Observation)
	}
	return series, tooOld
}

type mergeResult struct {
	added   int
	changed bool
	summary verdict.RouteSummary
	deal    *deals.Entry // if nil, updateDeals judges the stored departure state
}

// asked is true if observations come from the method Departures of upstream.Deep.
func (r *Refresher) mergeSeries(ctx context.Context, series fare.Series, observations []fare.Observation,
	pooled departure.Cycle, now time.Time, asked bool) (m mergeResult, err error) {
	err = store.RetryConflicts(ctx, func() (err error) {
		m, err = r.mergeSeriesOnce(ctx, series, observations, pooled, now, asked)
		return err
	})
	return m, err
}

// The old summary must be read before the history: a refresh writes fares first, so the history then includes the fares
// of the old summary.
func (r *Refresher) mergeSeriesOnce(ctx context.Context, series fare.Series, observations []fare.Observation,
	pooled departure.Cycle, now time.Time, asked bool) (m mergeResult, err error) {
	today := fare.DayOf(now)
	old, err := r.summary(ctx, series, store.Strong)
	if err != nil {
		return m, err
	}
	m.summary = old.RouteSummary
	h, err := r.readHistory(ctx, series, store.Strong)
	if err != nil {
		return m, err
	}
	changed, added := h.add(observations)
	if err := r.putHistory(ctx, series, h, changed); err != nil {
		return m, err
	}
	merged := h.all()
	m.added, m.changed = added, len(changed) > 0

	if m.summary.AsOf > today {
		return m, nil // the summary of a later refresh stays
	}
	if asked {
		m.summary.DeepRequest = max(m.summary.DeepRequest, now.Unix())
	}
	m.summary = verdict.Build(merged, m.summary, today, verdict.Options{Rates: r.Rates})
	if !r.warming {
		// The summary records that the source was asked, so the summary must be written after the states: otherwise
		// later runs would not complete the states of a killed run.
		if m.deal, err = r.foldDepartures(ctx, series, merged, m.summary, pooled); err != nil {
			return m, err
		}
	}
	if r.Replay != nil {
		return m, r.Replay.putSummary(ctx, r, series, m.summary)
	}
	written, err := r.Fares.PutSummary(ctx, series, old.stored, store.Summaries.Pack(m.summary))
	m.changed = m.changed || written
	return m, err
}

func expiry(c fare.Cycle) time.Time {
	return (c.First() + 7 + verdict.HistoryDays).Time()
}
