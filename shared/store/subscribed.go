package store

import (
	"context"
	"fmt"
	"strings"

	"verdetto/shared/fare"
)

// A route that somebody has an alert for is marked, and besides it each kind of
// trip that an alert is for: a refresh reads the marks of an origin at once.

// SubscribedRoute is what somebody has, or had, alerts for from an origin.
type SubscribedRoute struct {
	Destination fare.City // may be Anywhere
	// Kinds of trips that there are alerts for, whatever else they are for; none where all are for
	// the route
	Trips []fare.Trip
}

const oneWayMark = "one-way"

func subscribedPartition(origin fare.City) string { return "WATCHED#" + string(origin) }

// marks are the writes that mark what an alert is for.
func (a Alert) marks() []Op {
	mark := Key{subscribedPartition(a.Route.Origin), string(a.Route.Destination)}
	ops := []Op{set(Item{Key: mark})}
	switch {
	case a.Trip == (Trip{}):
		return ops
	case a.Trip.Nights == fare.OneWay:
		mark.Sort += "#" + oneWayMark
	default:
		mark.Sort += "#" + a.Trip.Nights.String()
	}
	return append(ops, set(Item{Key: mark}))
}

// SubscribedRoutes lists what somebody has, or had, alerts for from an origin.
func (a Alerts) SubscribedRoutes(ctx context.Context, origin fare.City) ([]SubscribedRoute, error) {
	items, err := a.Table.Query(ctx, Range{Partition: subscribedPartition(origin), Read: Strong})
	if err != nil {
		return nil, fmt.Errorf("list subscribed routes from %s: %w", origin, err)
	}
	var all []SubscribedRoute
	for _, item := range items { // a route comes before its trips
		city, name, isTrip := strings.Cut(item.Sort, "#")
		if n := len(all); n == 0 || all[n-1].Destination != fare.City(city) {
			all = append(all, SubscribedRoute{Destination: fare.City(city)})
		}
		if !isTrip {
			continue
		}
		kind := fare.OneWay
		if name != oneWayMark {
			if kind, err = fare.ParseTrip(name); err != nil {
				return nil, fmt.Errorf("list subscribed routes from %s: %w", origin, err)
			}
		}
		last := &all[len(all)-1]
		last.Trips = append(last.Trips, kind)
	}
	return all, nil
}

// ForgetRoute deletes the marks of a route if nobody has an alert for it, and reports whether there is none now.
func (a Alerts) ForgetRoute(ctx context.Context, route fare.Route) (bool, error) {
	r := Range{Partition: subscribedPartition(route.Origin), Prefix: string(route.Destination), Read: Strong}
	marks, err := a.Table.Query(ctx, r)
	if err != nil || len(marks) == 0 {
		return err == nil, wrap(err, "forget route %s", route)
	}
	alerts, err := a.Table.Query(ctx, Range{Partition: alertsOf(route), Limit: 1, Read: Strong})
	if err != nil || len(alerts) > 0 {
		return false, wrap(err, "forget route %s", route)
	}
	var w writes
	for _, mark := range marks { // a confirmation meanwhile writes them anew, and this fails
		w.add(Op{Mode: Remove, Item: mark})
	}
	err = w.to(ctx, a.Table)
	return err == nil, wrap(unless(err, ErrConflict), "forget route %s", route)
}
