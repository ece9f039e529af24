package recorded

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/deals"
)

// copyResult copies the result from the work folder to the target and removes the folder. It writes
// only items that differ, so it can be repeated.
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
		return nil // the pooled statistics know more than this import
	}
	// Contributions are kept for a month; the last day's are not in the pooled statistics yet.
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
	for _, of := range seriesOf(origin, listed) {
		items, err := w.fares().SeriesItems(ctx, of)
		if err == nil {
			items, err = i.adapt(ctx, of, items)
		}
		if err != nil {
			return err
		}
		n, err := target.PutSeriesItems(ctx, of, items, w.plan.Versions[of.String()])
		if w.plan.Written += n; err != nil {
			return err
		}
	}
	for _, e := range listed.Entries {
		lists.Coverage[e.Destination] = store.Coverage{Observations: e.Observations, Sample: e.Sample,
			Newest: time.Unix(e.Newest, 0), AsOf: e.AsOf}
	}
	had, err := readTrends(ctx, target, origin)
	if err != nil {
		return err
	}
	lists.Trends = had.Merge(listed.Entries)
	for _, trip := range fare.Trips() {
		of, err := i.deals(ctx, w, origin, trip)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return fmt.Errorf("copy deals of %s: %w", origin, err)
		}
		lists.Deals[trip] = of
	}
	if lists.LastAnswer, err = w.fares().LastAnswer(ctx, origin); err != nil {
		return err
	}
	n, err := target.PutOrigin(ctx, origin, lists)
	w.plan.Written += n
	return err
}

// adapt leaves out expired items, and keeps the time at which the service asked for a year of
// departures.
func (i Import) adapt(ctx context.Context, of fare.Series, items []store.Item) ([]store.Item, error) {
	items = slices.DeleteFunc(items, func(item store.Item) bool { return item.Expired(i.Now()) })
	data, _, err := store.Fares{Table: i.Target}.Summary(ctx, of, store.Strong)
	had, err := store.Decode(data, err, verdict.Decode)
	if errors.Is(err, store.ErrNotFound) {
		return items, nil
	}
	if err != nil || had.DeepRequest == 0 {
		return items, err
	}
	for n, item := range items {
		if !item.IsSummary() {
			continue
		}
		summary, err := verdict.Decode(item.Data)
		if err != nil {
			return nil, err
		}
		summary.DeepRequest = had.DeepRequest
		items[n].Data = summary.Encode()
	}
	return items, nil
}

// deals returns the imported deals of an origin, and the stored deals of destinations that the
// import does not know. It fails with store.ErrNotFound if the import has none of the origin.
func (i Import) deals(ctx context.Context, w *work, origin fare.City, trip fare.Trip) (deals.Origin, error) {
	result, _, err := w.fares().Deals(ctx, origin, trip)
	if err != nil {
		return result, err
	}
	had, _, err := store.Fares{Table: i.Target}.DealsNow(ctx, origin, trip)
	if errors.Is(err, store.ErrNotFound) {
		return result, nil
	}
	if err != nil {
		return result, err
	}
	for _, e := range had.Entries {
		if _, is := result.Entry(e.Destination); !is {
			result.Entries = append(result.Entries, e)
		}
	}
	slices.SortFunc(result.Entries, func(a, b deals.Entry) int { return cmp.Compare(a.Destination, b.Destination) })
	return result, nil
}

// weeksAtOnce bounds the weeks of the score in one write.
const weeksAtOnce = 90

// copyPooled copies the score only if the target has none, so a published score stays.
func (i Import) copyPooled(ctx context.Context, w *work) error {
	target := store.Fares{Table: i.Target}
	data, _, err := w.fares().Pooled(ctx, store.Strong)
	if err != nil {
		return err
	}
	score := store.Score{}
	published, err := target.ScoreSum(ctx, store.Strong)
	if err != nil {
		return err
	}
	var weeks []store.ScoreWeek
	if published == nil {
		if score.Sum, err = w.fares().ScoreSum(ctx, store.Strong); err != nil {
			return err
		}
		if weeks, err = w.fares().ScoreWeeks(ctx, 1, store.Strong); err != nil {
			return err
		}
	}
	had, version, err := target.Pooled(ctx, store.Strong)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if score.Sum == nil && slices.Equal(had, data) {
		return nil
	}
	for len(weeks) > weeksAtOnce { // the sum comes last: without it the weeks are copied again
		if err := target.PutPooled(ctx, data, version, store.Score{Weeks: byMonday(weeks[:weeksAtOnce])}); err != nil {
			return err
		}
		weeks, version = weeks[weeksAtOnce:], version+1
	}
	score.Weeks = byMonday(weeks)
	w.plan.Written += 1 + len(weeks)
	return target.PutPooled(ctx, data, version, score)
}

func byMonday(weeks []store.ScoreWeek) map[fare.Day][]byte {
	all := map[fare.Day][]byte{}
	for _, week := range weeks {
		all[week.Monday] = week.Data
	}
	return all
}
