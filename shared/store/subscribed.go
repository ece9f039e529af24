package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"verdetto/shared/fare"
)

// A route that somebody has an alert for is marked, and besides it each kind of
// trip that an alert is for: a refresh reads the marks of an origin at once.

// Watched is what somebody has, or had, alerts for from an origin.
type Watched struct {
	Destination fare.City   // may be Anywhere
	Trips       []fare.Trip // kinds of trips that there are alerts for, whatever else they are for; none where all are for the route
}

const oneWayMark = "one-way"

func watchedPartition(origin fare.City) string { return "WATCHED#" + string(origin) }

func watchedKey(route fare.Route) Key {
	return Key{watchedPartition(route.Origin), string(route.Destination)}
}

func watchedTripKey(route fare.Route, kind fare.Trip) Key {
	name := kind.String()
	if kind == fare.OneWay {
		name = oneWayMark
	}
	return Key{watchedPartition(route.Origin), string(route.Destination) + "#" + name}
}

// marks are the writes that mark what an alert watches.
func (a Alert) marks() []Op {
	ops := []Op{set(Item{Key: watchedKey(a.Route)})}
	if a.Trip != (Trip{}) {
		ops = append(ops, set(Item{Key: watchedTripKey(a.Route, a.Trip.Nights)}))
	}
	return ops
}

// Watched lists what somebody has, or had, alerts for from an origin.
func (a Alerts) Watched(ctx context.Context, origin fare.City) ([]Watched, error) {
	items, err := a.Table.Query(ctx, Range{Partition: watchedPartition(origin), Read: Strong})
	if err != nil {
		return nil, fmt.Errorf("list watched routes from %s: %w", origin, err)
	}
	var all []Watched
	for _, item := range items { // a route comes before its trips
		city, name, isTrip := strings.Cut(item.Sort, "#")
		if n := len(all); n == 0 || all[n-1].Destination != fare.City(city) {
			all = append(all, Watched{Destination: fare.City(city)})
		}
		if !isTrip {
			continue
		}
		kind := fare.OneWay
		if name != oneWayMark {
			if kind, err = fare.ParseTrip(name); err != nil {
				return nil, fmt.Errorf("list watched routes from %s: %w", origin, err)
			}
		}
		last := &all[len(all)-1]
		last.Trips = append(last.Trips, kind)
	}
	return all, nil
}

// Unwatch deletes the marks of a route if nobody has an alert for it, and tells whether there is none now.
func (a Alerts) Unwatch(ctx context.Context, route fare.Route) (bool, error) {
	marks, err := a.Table.Query(ctx, Range{Partition: watchedPartition(route.Origin), Prefix: string(route.Destination), Read: Strong})
	if err == nil && len(marks) == 0 {
		return true, nil
	}
	var alerts []Item
	if err == nil {
		alerts, err = a.Table.Query(ctx, Range{Partition: alertsOf(route), Limit: 1, Read: Strong})
	}
	if err == nil && len(alerts) > 0 {
		return false, nil
	}
	if err == nil { // whoever confirms an alert meanwhile writes the marks anew, and this fails
		var ops []Op
		for _, mark := range marks {
			ops = append(ops, Op{Mode: Remove, Item: mark})
		}
		err = a.Table.Write(ctx, ops...)
	}
	if errors.Is(err, ErrConflict) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("unwatch %s: %w", route, err)
	}
	return true, nil
}
