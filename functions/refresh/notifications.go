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

// leaveNotifications leaves notifications for the subscribed routes from an origin
// and returns for how many there is something new. summaries are those that this
// refresh has made. A refresh that was killed before it got here has not recorded
// that the origin was asked, so the next one comes here again.
func (r *Refresher) leaveNotifications(ctx context.Context, origin fare.City, watched []store.SubscribedRoute,
	summaries map[fare.City]verdict.RouteSummary, today fare.Day) (n int, err error) {
	var faults []error
	for _, w := range watched {
		if w.Destination == store.Anywhere {
			continue // see leaveAnywhere
		}
		if len(w.Trips) > 0 {
			faults = append(faults, r.leaveTrips(ctx, origin, w.Destination, today))
		}
		route := fare.Route{Origin: origin, Destination: w.Destination}
		is, err := notify.Leave(ctx, store.Notifications{Table: r.Fares.Table}, route, summaries[w.Destination], today)
		faults = append(faults, err)
		if is {
			n++
		}
	}
	return n, errors.Join(faults...)
}

// leaveTrips leaves a notification for the alerts for trips on a route. They are
// judged when it is sent.
func (r *Refresher) leaveTrips(ctx context.Context, origin, destination fare.City, today fare.Day) error {
	route := fare.Route{Origin: origin, Destination: destination}
	return store.Notifications{Table: r.Fares.Table}.LeaveTrips(ctx, route, today,
		(today + verdict.LiveDays + 1).Time())
}

// toAnywhere reports whether there are alerts to anywhere among the subscribed routes.
func toAnywhere(watched []store.SubscribedRoute) bool {
	return slices.ContainsFunc(watched, func(w store.SubscribedRoute) bool { return w.Destination == store.Anywhere })
}

// leaveAnywhere leaves a notification for the alerts to anywhere from an origin once
// its deals are written: they are judged by these when it is sent.
func (r *Refresher) leaveAnywhere(ctx context.Context, origin fare.City) error {
	return r.leaveTrips(ctx, origin, store.Anywhere, fare.DayOf(r.Now()))
}

// leaveReturns leaves notifications for the subscribed routes whose returns were asked for.
func (r *Refresher) leaveReturns(ctx context.Context, origin fare.City, watched []store.SubscribedRoute,
	asked summaries) error {
	var faults []error
	for _, w := range watched {
		isAsked := func(trip fare.Trip) bool { _, is := asked[trip][w.Destination]; return is && trip != fare.OneWay }
		if slices.ContainsFunc(w.Trips, isAsked) {
			faults = append(faults, r.leaveTrips(ctx, origin, w.Destination, fare.DayOf(r.Now())))
		}
	}
	return errors.Join(faults...)
}
