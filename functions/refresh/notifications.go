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

// storeNotifications must be called before the refresh is recorded as complete, or a killed refresh would lose the
// notifications.
func (r *Refresher) storeNotifications(ctx context.Context, origin fare.City, subscribed []store.SubscribedRoute,
	summaries map[fare.City]mergeResult, today fare.Day) (n int, err error) {
	var faults []error
	for _, w := range subscribed {
		if w.Destination == store.Anywhere {
			continue
		}
		if len(w.Trips) > 0 {
			faults = append(faults, r.leaveTrips(ctx, origin, w.Destination, today))
		}
		route := fare.Route{Origin: origin, Destination: w.Destination}
		is, err := notify.StoreNews(ctx, store.Notifications{Table: r.Fares.Table}, route,
			summaries[w.Destination].summary, today)
		faults = append(faults, err)
		if is {
			n++
		}
	}
	return n, errors.Join(faults...)
}

func (r *Refresher) leaveTrips(ctx context.Context, origin, destination fare.City, today fare.Day) error {
	route := fare.Route{Origin: origin, Destination: destination}
	return store.Notifications{Table: r.Fares.Table}.LeaveTrips(ctx, route, today,
		(today + verdict.LiveDays + 1).Time())
}

func toAnywhere(subscribed []store.SubscribedRoute) bool {
	return slices.ContainsFunc(subscribed, func(w store.SubscribedRoute) bool { return w.Destination == store.Anywhere })
}

// storeAnywhere must be called after the origin's deals are written, because the sender compares alerts with the deals.
func (r *Refresher) storeAnywhere(ctx context.Context, origin fare.City) error {
	return r.leaveTrips(ctx, origin, store.Anywhere, fare.DayOf(r.Now()))
}

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

func (r *Refresher) storePairs(ctx context.Context, origin fare.City, asked []fare.Series) error {
	if len(asked) == 0 {
		return nil
	}
	subscribed, err := r.subscribedRoutes(ctx, origin)
	faults := []error{err}
	for _, w := range subscribed {
		if slices.ContainsFunc(w.Pairs, func(s fare.Series) bool { return slices.Contains(asked, s) }) {
			faults = append(faults, r.leaveTrips(ctx, origin, w.Destination, fare.DayOf(r.Now())))
		}
	}
	return errors.Join(faults...)
}
