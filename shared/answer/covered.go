package answer

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/store"
	"verdetto/shared/verdict/trends"
)

// Coverage is where the covered cities are read from; store.Fares provides it.
type Coverage interface {
	Trends(ctx context.Context, origin fare.City) (data []byte, version int64, err error)
	Covered(ctx context.Context, after fare.City, limit int) ([]fare.City, error)
}

// CoveredCities knows which cities there are fares from, and from each of them to
// which. An hour's delay does no harm to what callers can ask for, so a process reads
// each list once in that time.
type CoveredCities struct {
	Coverage Coverage
	Now      func() time.Time
	Log      *slog.Logger

	mu           sync.Mutex
	origins      cityList
	destinations map[fare.City]cityList // by origin
}

type cityList struct {
	cities []fare.City
	read   time.Time
}

// coveredFor is how long a process uses a list that it has read.
const coveredFor = time.Hour

func (l cityList) fresh(now time.Time) bool {
	age := now.Sub(l.read)
	return !l.read.IsZero() && age >= 0 && age < coveredFor
}

// maxOrigins is more origins than are ever covered: every city with scheduled flights.
const maxOrigins = 10_000

// Offered returns the cities to offer to a reader of a language: the origins, those of
// the language's country first, or the destinations of an origin. It returns false if
// they cannot be read, which keeps no reader from typing a name.
func (c *CoveredCities) Offered(ctx context.Context, origin, lang string) ([]fare.City, bool) {
	var all []fare.City
	var err error
	if origin == "" {
		all, err = c.readOrigins(ctx)
		all = nearby(all, lang)
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

// readOrigins returns the cities that there are fares from, the busiest first.
func (c *CoveredCities) readOrigins(ctx context.Context) ([]fare.City, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := c.Now(); !c.origins.fresh(now) {
		covered, err := c.Coverage.Covered(ctx, "", maxOrigins)
		if err != nil {
			return nil, err
		}
		var busiest []fare.City
		for city := range places.Cities() {
			if _, ok := slices.BinarySearch(covered, city); ok {
				busiest = append(busiest, city)
			}
		}
		c.origins, c.destinations = cityList{busiest, now}, map[fare.City]cityList{}
	}
	return c.origins.cities, nil
}

// readDestinations returns the destinations that there are fares to from a city, the most popular first.
func (c *CoveredCities) readDestinations(ctx context.Context, origin fare.City) ([]fare.City, error) {
	origins, err := c.readOrigins(ctx)
	if err != nil || !slices.Contains(origins, origin) {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.Now()
	if had := c.destinations[origin]; had.fresh(now) {
		return had.cities, nil
	}
	data, _, err := c.Coverage.Trends(ctx, origin)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	all, err := trends.Decode(data)
	if err != nil {
		return nil, err
	}
	var cities []fare.City
	for _, e := range all.Entries {
		cities = append(cities, e.Destination)
	}
	c.destinations[origin] = cityList{cities, now}
	return cities, nil
}

// homeCountry is the ISO 3166-1 alpha-2 code of the country where most readers of a
// language are: no caller is asked where they are.
var homeCountry = map[string]string{"it": "IT", "en": "GB", "de": "DE", "fr": "FR", "es": "ES", "pt": "PT"}

// nearby returns cities with those of a language's country first.
func nearby(cities []fare.City, language string) []fare.City {
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
