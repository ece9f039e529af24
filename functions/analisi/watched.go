package analisi

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/store"
	"verdetto/shared/verdict/trends"
)

// watched is which cities there are fares from, and from each of them to which. It
// tells what can be asked for from what cannot, so an hour's delay does no harm: a
// process reads each list once in that time.
type watched struct {
	mu      sync.Mutex
	origins cityList
	from    map[fare.City]cityList // of the origins
}

type cityList struct {
	cities []fare.City
	read   time.Time
}

// watchedFor is how long a process goes by a list that it has read.
const watchedFor = time.Hour

func (l cityList) fresh(now time.Time) bool {
	age := now.Sub(l.read)
	return !l.read.IsZero() && age >= 0 && age < watchedFor
}

// maxOrigins is more origins than are ever covered: every city with scheduled flights.
const maxOrigins = 10_000

// watchedOrigins lists the cities that there are fares from, the busiest first.
func (s *Service) watchedOrigins(ctx context.Context) ([]fare.City, error) {
	w := &s.watched
	w.mu.Lock()
	defer w.mu.Unlock()
	if now := s.Now(); !w.origins.fresh(now) {
		covered, err := s.Coverage.Covered(ctx, "", maxOrigins)
		if err != nil {
			return nil, err
		}
		var busiest []fare.City
		for city := range places.Cities() {
			if _, ok := slices.BinarySearch(covered, city); ok {
				busiest = append(busiest, city)
			}
		}
		w.origins, w.from = cityList{busiest, now}, map[fare.City]cityList{}
	}
	return w.origins.cities, nil
}

// watchedFrom lists the destinations that there are fares to from a city, the most popular first.
func (s *Service) watchedFrom(ctx context.Context, origin fare.City) ([]fare.City, error) {
	origins, err := s.watchedOrigins(ctx)
	if err != nil || !slices.Contains(origins, origin) {
		return nil, err
	}
	w := &s.watched
	w.mu.Lock()
	defer w.mu.Unlock()
	now := s.Now()
	if had := w.from[origin]; had.fresh(now) {
		return had.cities, nil
	}
	data, _, err := s.Coverage.Trends(ctx, origin)
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
	w.from[origin] = cityList{cities, now}
	return cities, nil
}

// homeCountry is where a language is spoken at home, ISO 3166-1 alpha-2. Nobody is
// asked where they are: what is near is what is near to most readers of a language.
var homeCountry = map[string]string{"it": "IT", "en": "GB", "de": "DE", "fr": "FR", "es": "ES", "pt": "PT"}

// nearby puts the cities of a language's country first.
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
