// Package sample is a source of invented fares, for trying the service without
// an account anywhere: some 250 routes between real cities, mostly seen from
// Italy, with the habits of real fares. Prices rise with the season and the
// nearness of departure, stand for days and then move, lie on price floors, go
// on sale; some routes have fares in summer only, and some so few that no
// verdict can be given.
//
// It promises that the fares of a moment are always the same, however often and
// in whatever windows they are asked for, and that each could be real: in whole
// cents, departing no earlier than found.
package sample

import (
	"context"
	"maps"
	"slices"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/upstream"
)

const (
	// Memory is how far back the source goes when asked for everything.
	Memory = 400 * 24 * time.Hour

	// thinEvery is the days between two on which a thin route is asked for.
	// In 400 days that makes at most seven, one fewer than a verdict needs.
	// The routes take turns a week apart, so that on every day at least one of
	// them has a fare younger than a week while the others have none.
	thinEvery = 60
)

// Source is the invented world. It is safe for concurrent use.
type Source struct {
	routes map[fare.City][]route
}

var _ upstream.Source = (*Source)(nil)

// New lays out the world.
func New() *Source { return &Source{plan()} }

// Name implements upstream.Source.
func (s *Source) Name() string { return "sample" }

// Origins implements upstream.Source.
func (s *Source) Origins(ctx context.Context) ([]fare.City, error) {
	return slices.Sorted(maps.Keys(s.routes)), ctx.Err()
}

// Routes lists all routes, by origin and destination.
func (s *Source) Routes() []fare.Route {
	var all []fare.Route
	for _, origin := range slices.Sorted(maps.Keys(s.routes)) {
		for _, r := range s.routes[origin] {
			all = append(all, r.Route)
		}
	}
	return all
}

// Fares gives the fares of that window. A zero since means Memory before until.
func (s *Source) Fares(ctx context.Context, origin fare.City, since, until time.Time) (upstream.Answer, error) {
	if since.IsZero() {
		since = until.Add(-Memory)
	}
	var answer upstream.Answer
	for _, r := range s.routes[origin] {
		if err := ctx.Err(); err != nil {
			return upstream.Answer{}, err
		}
		answer.Fares = r.found(answer.Fares, since.Unix(), until.Unix())
	}
	return answer, nil
}

// found appends what was found on a route after since and not after until. The
// chances of each day are drawn from that day alone.
func (r *route) found(fares []fare.Fare, since, until int64) []fare.Fare {
	first, last := fare.DayOf(time.Unix(since, 0)), fare.DayOf(time.Unix(until, 0))
	for day := max(first, 0); day <= last; day++ {
		state := mix(r.seed ^ mix(uint64(day)))
		draw := func() uint64 { state += 0x9e3779b97f4a7c15; return mix(state) }
		for range r.count(day, draw()) {
			at := day.Time().Unix() + int64(draw()%daySeconds)
			depart := day + lead(draw())
			if at <= since || at > until || !r.flies(depart) {
				continue
			}
			fares = append(fares, fare.Fare{Route: r.Route, Observation: fare.Observation{Found: at, Depart: depart, Price: r.price(depart, day)}})
		}
	}
	return fares
}

const daySeconds = 24 * 60 * 60

// count is how many observations a day brings.
func (r *route) count(day fare.Day, chance uint64) int {
	switch month := day.Month(); {
	case r.habit == thin && day%thinEvery != r.phase:
		return 0
	case r.habit == thin:
		return 1 + int(chance%3)
	case r.habit == summer && (month < time.February || month > time.September):
		return 0
	}
	return max(1, int(float64(r.daily)*(0.7+0.6*unit(chance))))
}

// flies tells whether the route has flights on a day.
func (r *route) flies(depart fare.Day) bool {
	month := depart.Month()
	return r.habit != summer || (month >= time.May && month <= time.October)
}

// lead draws how far ahead people look.
func lead(chance uint64) fare.Day {
	const days = 1 << 20
	within := func(from, to uint64) fare.Day { return fare.Day(from + chance>>32%(to-from+1)) }
	switch share := chance % days * 100 / days; {
	case share < 8:
		return within(0, 6)
	case share < 30:
		return within(7, 20)
	case share < 57:
		return within(21, 45)
	case share < 82:
		return within(46, 90)
	case share < 96:
		return within(91, 180)
	}
	return within(181, 320)
}
