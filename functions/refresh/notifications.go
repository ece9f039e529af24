package refresh

import (
	"context"
	"errors"
	"slices"

	"verdetto/shared/fare"
	"verdetto/shared/notify"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
)

// storeNotifications stores notifications for the subscribed routes from an origin and returns how
// many routes have news. summaries are the results of this refresh. A refresh records at its very
// end that the origin was asked; if it is killed earlier, the next refresh stores the
// notifications.
func (r *Refresher) storeNotifications(ctx context.Context, origin fare.City, subscribed []store.SubscribedRoute,
	summaries map[fare.City]verdict.RouteSummary, today fare.Day) (n int, err error) {
	var faults []error
	for _, w := range subscribed {
		if w.Destination == store.Anywhere {
			continue // storeAnywhere does
		}
		if len(w.Trips) > 0 {
			faults = append(faults, r.leaveTrips(ctx, origin, w.Destination, today))
		}
		route := fare.Route{Origin: origin, Destination: w.Destination}
		is, err := notify.StoreNews(ctx, store.Notifications{Table: r.Fares.Table}, route,
			summaries[w.Destination], today)
		faults = append(faults, err)
		if is {
			n++
		}
	}
	return n, errors.Join(faults...)
}

// leaveTrips stores a notification for the trip alerts on a route. The sender later decides which
// alerts are due.
func (r *Refresher) leaveTrips(ctx context.Context, origin, destination fare.City, today fare.Day) error {
	route := fare.Route{Origin: origin, Destination: destination}
	return store.Notifications{Table: r.Fares.Table}.LeaveTrips(ctx, route, today,
		(today + verdict.LiveDays + 1).Time())
}

// toAnywhere reports whether some subscribed route goes to anywhere.
func toAnywhere(subscribed []store.SubscribedRoute) bool {
	return slices.ContainsFunc(subscribed, func(w store.SubscribedRoute) bool { return w.Destination == store.Anywhere })
}

// storeAnywhere stores a notification for the alerts from an origin to any destination. Call it
// after the origin's deals are written: the sender compares the alerts with the deals.
func (r *Refresher) storeAnywhere(ctx context.Context, origin fare.City) error {
	return r.leaveTrips(ctx, origin, store.Anywhere, fare.DayOf(r.Now()))
}

// storeReturns stores notifications for the subscribed routes for which this run asked for returns.
func (r *Refresher) storeReturns(ctx context.Context, origin fare.City, subscribed []store.SubscribedRoute,
	asked summaries) error {
	var faults []error
	for _, w := range subscribed {
		isAsked := func(trip fare.Trip) bool { _, is := asked[trip][w.Destination]; return is && trip != fare.OneWay }
		if slices.ContainsFunc(w.Trips, isAsked) {
			faults = append(faults, r.leaveTrips(ctx, origin, w.Destination, fare.DayOf(r.Now())))
		}
	}
	return errors.Join(faults...)
}
