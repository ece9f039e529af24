package refresh

import (
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

const sampleSize = 20

// Age returns the median age in days of the newest fares of a sample of origins. A negative age shows that a
// wrong clock dated a fare or an answer more than a day ahead.
func Age(ctx context.Context, fares store.Fares, now time.Time) (days float64, ok bool, err error) {
	origins, err := fares.Covered(ctx, firstOrigin(now), sampleSize)
	if err == nil && len(origins) < sampleSize {
		var first []fare.City
		first, err = fares.Covered(ctx, "", sampleSize-len(origins))
		origins = append(origins, first...)
		slices.Sort(origins)
		origins = slices.Compact(origins)
	}
	if err != nil {
		return 0, false, fmt.Errorf("read the age of fares: %w", err)
	}
	var ages []float64
	for _, origin := range origins {
		found, latest, err := newest(ctx, fares, origin)
		if err != nil {
			return 0, false, fmt.Errorf("read the age of fares: %w", err)
		}
		if isAhead(latest, now) {
			return now.Sub(latest).Hours() / 24, true, nil
		}
		if !found.IsZero() {
			ages = append(ages, now.Sub(found).Hours()/24)
		}
	}
	if len(ages) == 0 {
		return 0, false, nil
	}
	slices.Sort(ages)
	return max(0, ages[len(ages)/2]), true, nil
}

// Without stored trends, found and latest are both the time of the source's last answer.
func newest(ctx context.Context, fares store.Fares, origin fare.City) (found, latest time.Time, err error) {
	if latest, err = fares.LastAnswer(ctx, origin); err != nil {
		return found, latest, err
	}
	all, _, err := fares.Trends(ctx, origin)
	if errors.Is(err, store.ErrNotFound) {
		return latest, latest, nil
	}
	for _, e := range all.Entries {
		if at := time.Unix(e.Newest, 0); at.After(found) {
			found = at
		}
	}
	if found.After(latest) {
		latest = found
	}
	return found, latest, err
}

func firstOrigin(now time.Time) fare.City {
	minute := now.Unix() / 60
	return fare.City([]byte{'A' + byte(minute/60%26), 'A' + byte(minute%60*26/60), 'A'})
}

func Collection(ctx context.Context, fares store.Fares, now time.Time) (most verdict.Collection, ok bool, err error) {
	origins, err := fares.Covered(ctx, "", sampleSize)
	if err == nil && len(origins) == 0 {
		var since time.Time
		since, _, err = fares.LastRun(ctx, store.Began)
		most, ok = *verdict.BeforeFares(since, now), err == nil
	}
	for i := 0; i < len(origins) && err == nil; i++ {
		var all deals.Origin
		if all, _, err = fares.Deals(ctx, origins[i], fare.OneWay); errors.Is(err, store.ErrNotFound) {
			err = nil
			continue
		}
		r, collecting := all.Collection(fare.DayOf(now))
		if err == nil && !collecting && len(all.Entries) > 0 {
			return verdict.Collection{}, false, nil
		}
		if collecting && (!ok || r.Days > most.Days) {
			most, ok = r, true
		}
	}
	if err != nil {
		return verdict.Collection{}, false, fmt.Errorf("read how many days are collected: %w", err)
	}
	return most, ok, nil
}
