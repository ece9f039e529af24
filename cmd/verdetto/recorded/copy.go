package recorded

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/deals"
	"verdetto/shared/verdict/departure"
	"verdetto/shared/verdict/score"
)

func (i Import) copyResult(ctx context.Context, w *work) error {
	err := i.copyAll(ctx, w)
	if errors.Is(err, store.ErrConflict) {
		return errors.Join(fmt.Errorf("%w (%w)", ErrChanged, err), w.remove())
	}
	if err != nil {
		return err
	}
	return w.remove()
}

func (i Import) copyAll(ctx context.Context, w *work) error {
	target := store.Fares{Table: i.Target}
	origins, err := w.fares().Covered(ctx, "", 0)
	if err != nil {
		return err
	}
	for _, origin := range origins {
		if err := i.copyOrigin(ctx, w, origin); err != nil {
			return err
		}
	}
	if _, err := target.Rates(ctx); errors.Is(err, store.ErrNotFound) {
		if err := target.SetRates(ctx, i.Rates(w.plan.Last)); err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	if !w.plan.Whole {
		return nil // the stored pooled statistics contain more than this import
	}
	// The pooled statistics do not contain the contributions of the last day yet. Contributions expire after 31 days.
	for day := w.plan.Last - 31; day <= w.plan.Last; day++ {
		n, err := target.CopyContributions(ctx, w.fares(), day)
		if w.plan.Written += n; err != nil {
			return err
		}
	}
	return i.copyPooled(ctx, w)
}

func (i Import) copyOrigin(ctx context.Context, w *work, origin fare.City) error {
	target := store.Fares{Table: i.Target}
	listed, err := readTrends(ctx, w.fares(), origin)
	if err != nil {
		return err
	}
	lists := store.OriginLists{Coverage: map[fare.City]store.Coverage{}, Deals: map[fare.Trip]deals.Origin{}}
	for _, series := range seriesOf(origin, listed) {
		items, err := w.fares().SeriesItems(ctx, series)
		if err == nil {
			items, err = i.adapt(ctx, series, items)
		}
		if err != nil {
			return err
		}
		n, err := target.PutSeriesItems(ctx, series, items, w.plan.Versions[series.String()])
		if w.plan.Written += n; err != nil {
			return err
		}
	}
	for _, e := range listed.Entries {
		lists.Coverage[e.Destination] = store.Coverage{Observations: e.Observations, Sample: e.Sample,
			Newest: time.Unix(e.Newest, 0), AsOf: e.AsOf}
	}
	stored, err := readTrends(ctx, target, origin)
	if err != nil {
		return err
	}
	lists.Trends = stored.Merge(listed.Entries)
	for _, trip := range fare.Trips() {
		list, err := i.deals(ctx, w, origin, trip)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return fmt.Errorf("copy deals of %s: %w", origin, err)
		}
		lists.Deals[trip] = list
	}
	if lists.LastAnswer, err = w.fares().LastAnswer(ctx, origin); err != nil {
		return err
	}
	n, err := target.PutOrigin(ctx, origin, lists)
	w.plan.Written += n
	return err
}

func (i Import) adapt(ctx context.Context, series fare.Series, items []store.Item) ([]store.Item, error) {
	items = slices.DeleteFunc(items, func(item store.Item) bool { return item.Expired(i.Now()) })
	stored, err := store.Fares{Table: i.Target}.StoredSummary(ctx, series, store.Strong)
	if err != nil {
		return items, err
	}
	previous, err := stored.Value()
	if errors.Is(err, store.ErrNotFound) || err == nil && previous.DeepRequest == 0 {
		return items, nil
	}
	for n := range items {
		if err == nil && items[n].IsSummary() {
			err = store.Summaries.Change(&items[n], func(s *verdict.RouteSummary) { s.DeepRequest = previous.DeepRequest })
		}
	}
	return items, err
}

func (i Import) deals(ctx context.Context, w *work, origin fare.City, trip fare.Trip) (deals.Origin, error) {
	result, _, err := w.fares().Deals(ctx, origin, trip)
	if err != nil {
		return result, err
	}
	list, _, err := store.Fares{Table: i.Target}.DealsNow(ctx, origin, trip)
	if errors.Is(err, store.ErrNotFound) {
		return result, nil
	}
	if err != nil {
		return result, err
	}
	for _, e := range list.Entries {
		if _, is := result.Entry(e.Destination); !is {
			result.Entries = append(result.Entries, e)
		}
	}
	slices.SortFunc(result.Entries, func(a, b deals.Entry) int { return cmp.Compare(a.Destination, b.Destination) })
	return result, nil
}

const weeksAtOnce = 90

// copyPooled copies the score only if the target has none, so a published score stays.
func (i Import) copyPooled(ctx context.Context, w *work) error {
	target := store.Fares{Table: i.Target}
	now, err := w.fares().StoredPooled(ctx, store.Strong)
	if err != nil {
		return err
	}
	stored, err := target.StoredPooled(ctx, store.Strong)
	if err != nil {
		return err
	}
	published, err := target.ScoreSum(ctx, store.Strong)
	if err != nil || published.Since > 0 {
		w.plan.Written++
		return errors.Join(err, target.PutPooled(ctx, stored, now, store.Score{}))
	}
	sum, err := w.fares().ScoreSum(ctx, store.Strong)
	if err != nil {
		return err
	}
	weeks, err := w.fares().ScoreWeeks(ctx, 1, store.Strong)
	if err != nil {
		return err
	}
	w.plan.Written += 1 + len(weeks)
	for mondays := range slices.Chunk(slices.Sorted(maps.Keys(weeks)), weeksAtOnce) {
		part := store.Score{Weeks: map[fare.Day]*score.Sum{}}
		for _, monday := range mondays {
			part.Weeks[monday] = weeks[monday]
		}
		if err := target.PutPooled(ctx, stored, store.Stored[departure.Cycle]{}, part); err != nil {
			return err
		}
	}
	// The sum is written last, because a later import copies the weeks only if the sum is missing.
	last := store.Score{}
	if sum.Since > 0 {
		last.Sum = sum
	}
	return target.PutPooled(ctx, stored, now, last)
}
