package store

import (
	"context"
	"fmt"
	"strings"

	"verdetto/shared/fare"
)

// Marks have forms such as LON, LON#4-7 and LON@BGY-STN#4-7.

// SubscribedRoute is a route that has alerts or had alerts.
type SubscribedRoute struct {
	Destination fare.City
	Trips       []fare.Trip
	Pairs       []fare.Series
}

const oneWayMark = "one-way"

func subscribedPartition(origin fare.City) string { return "WATCHED#" + string(origin) }

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
	ops = append(ops, set(Item{Key: mark}))
	if a.Trip.Airports != (fare.Airports{}) {
		pair := fare.Series{Route: a.Route, Trip: a.Trip.Nights, Airports: a.Trip.Airports}
		mark.Sort = strings.TrimPrefix(pair.String(), string(a.Route.Origin)+"-")
		ops = append(ops, set(Item{Key: mark}))
	}
	return ops
}

func (a Alerts) SubscribedRoutes(ctx context.Context, origin fare.City) ([]SubscribedRoute, error) {
	items, err := a.Table.Query(ctx, Range{Partition: subscribedPartition(origin), Read: Strong})
	if err != nil {
		return nil, fmt.Errorf("list subscribed routes from %s: %w", origin, err)
	}
	var all []SubscribedRoute
	// In sort order, the route LON comes first, then trips such as LON#4-7, then airports such as
	// LON@BGY-STN#4-7.
	for _, item := range items {
		if strings.Contains(item.Sort, "@") {
			pair, err := fare.ParseSeries(string(origin) + "-" + item.Sort)
			if err != nil || len(all) == 0 {
				return nil, fmt.Errorf("list subscribed routes from %s: %q: %w", origin, item.Sort, err)
			}
			last := &all[len(all)-1]
			last.Pairs = append(last.Pairs, pair)
			continue
		}
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

// ForgetRoute reports whether no mark is left.
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
	for _, mark := range marks { // a concurrent confirmation rewrites a mark, which makes this write fail
		w.add(Op{Mode: Remove, Item: mark})
	}
	err = w.commit(ctx, a.Table)
	return err == nil, wrap(unless(err, ErrConflict), "forget route %s", route)
}
