// Package sample is a source of invented fares.
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
	// Memory is how far back Fares answers if since is zero.
	Memory = 399 * 24 * time.Hour

	// A thin route is searched once in thinEvery days, so within Memory it has fares of at most
	// seven days, and a verdict on the route needs eight.
	thinEvery = 60
)

type Source struct {
	routes map[fare.City][]route
}

var _ upstream.Deep = (*Source)(nil)

func New() *Source { return &Source{plan()} }

func (s *Source) Name() string { return "sample" }

func (s *Source) Origins(ctx context.Context) ([]fare.City, error) {
	return slices.Sorted(maps.Keys(s.routes)), ctx.Err()
}

func (s *Source) Routes() []fare.Route {
	var all []fare.Route
	for _, origin := range slices.Sorted(maps.Keys(s.routes)) {
		for _, r := range s.routes[origin] {
			all = append(all, r.Route)
		}
	}
	return all
}

// Fares returns the fares found after the time since, up to the time until. A zero since means
// Memory before until.
func (s *Source) Fares(ctx context.Context, origin fare.City, since, until time.Time) (upstream.Answer, error) {
	if since.IsZero() {
		since = until.Add(-Memory)
	}
	days := int(max(0, fare.DayOf(until)-max(fare.DayOf(since), 0)+1))
	expected := 0
	for _, r := range s.routes[origin] {
		expected += r.expected() * days
	}
	fares := make([]fare.Fare, 0, expected)
	for i := range s.routes[origin] {
		if err := ctx.Err(); err != nil {
			return upstream.Answer{}, err
		}
		look := search{&s.routes[origin][i], since.Unix(), until.Unix(), fares}
		look.days()
		fares = look.fares
	}
	return upstream.Answer{Fares: fares}, nil
}

// Departures returns, for each day of departure, the newest fare found in the 7 days before until.
// Of several equally new fares, it returns the cheapest.
func (s *Source) Departures(ctx context.Context, q upstream.Question, until time.Time) (upstream.Answer, error) {
	at := slices.IndexFunc(s.routes[q.Origin], func(r route) bool { return r.Destination == q.Destination })
	if at < 0 {
		return upstream.Answer{}, ctx.Err()
	}
	look := search{&s.routes[q.Origin][at], until.Add(-remembered).Unix(), until.Unix(), nil}
	look.days()
	known := map[fare.Day]fare.Fare{}
	for _, f := range look.fares {
		old, ok := known[f.Depart]
		f = look.between(q.Airports, f)
		switch {
		case f.Series() != q.OfCities(), !q.Airports.Include(f.Flight), q.NonStop && f.Stops != fare.NonStop,
			f.Depart < fare.DayOf(until):
		case !ok, f.Found > old.Found, f.Found == old.Found && f.Price < old.Price:
			known[f.Depart] = f
		}
	}
	return upstream.Answer{Fares: slices.Collect(maps.Values(known))}, ctx.Err()
}

const remembered = 7 * 24 * time.Hour
