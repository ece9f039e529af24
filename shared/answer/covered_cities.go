package answer

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
)

// CoveredCities lists the cities for which the service has fares. A process caches the lists for
// store.MemoTime, so a new city may be missing for that long.
type CoveredCities struct{ *Reader }

const maxOrigins = 10_000

// BeforeFares returns the state of the collection if the service has no fares yet. It returns nil
// if there are fares, or if the store cannot be read.
func (r *Reader) BeforeFares(ctx context.Context) *verdict.Collection {
	if r.hasFares.Load() {
		return nil
	}
	covered, err := r.Stored.Covered(ctx, "", 1)
	var since time.Time
	if err == nil && len(covered) == 0 {
		since, _, err = r.Stored.LastRun(ctx, store.Began)
	}
	switch {
	case err != nil:
		r.Log.ErrorContext(ctx, "answer without the state of the collection", "error", err)
		return nil
	case len(covered) > 0:
		r.hasFares.Store(true)
		return nil
	}
	return verdict.BeforeFares(since, r.Now())
}

// Suggest returns the destinations from origin or, if origin is empty, the covered origins, with
// those in the country of the language first. It returns false if origin is unknown or the cities
// cannot be read.
func (c *CoveredCities) Suggest(ctx context.Context, origin, lang string) ([]fare.City, bool) {
	var all []fare.City
	var err error
	if origin == "" {
		all, err = c.readOrigins(ctx)
		all = homeFirst(all, lang)
	} else if p, ok := places.Find(origin); ok {
		all, err = c.readDestinations(ctx, p.City)
	} else {
		return nil, false
	}
	if err != nil {
		c.Log.ErrorContext(ctx, "cities offered without what is known of them", "error", err)
	}
	return all, err == nil
}

func (r *Reader) readOrigins(ctx context.Context) ([]fare.City, error) {
	return r.origins.Get(r.Now(), func() (busiest []fare.City, _ time.Duration, err error) {
		covered, err := r.Stored.Covered(ctx, "", maxOrigins)
		if len(covered) == 0 {
			return nil, 0, err
		}
		for city := range places.Cities() {
			if _, ok := slices.BinarySearch(covered, city); ok {
				busiest = append(busiest, city)
			}
		}
		return busiest, store.MemoTime, err
	})
}

func (r *Reader) readDestinations(ctx context.Context, origin fare.City) ([]fare.City, error) {
	origins, err := r.readOrigins(ctx)
	if err != nil || !slices.Contains(origins, origin) {
		return nil, err
	}
	memo, _ := r.destinations.LoadOrStore(origin, new(store.Memo[[]fare.City]))
	return memo.(*store.Memo[[]fare.City]).Get(r.Now(), func() (cities []fare.City, _ time.Duration, _ error) {
		all, _, err := r.Stored.Trends(ctx, origin)
		if errors.Is(err, store.ErrNotFound) {
			return nil, 0, nil
		}
		for _, e := range all.Entries {
			cities = append(cities, e.Destination)
		}
		return cities, store.MemoTime, err
	})
}

var homeCountry = map[string]string{"it": "IT", "en": "GB", "de": "DE", "fr": "FR", "es": "ES", "pt": "PT"}

func homeFirst(cities []fare.City, language string) []fare.City {
	cities = slices.Clone(cities)
	far := func(c fare.City) int {
		if p, _ := places.Get(c); p.Country == homeCountry[language] {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(cities, func(a, b fare.City) int { return cmp.Compare(far(a), far(b)) })
	return cities
}
