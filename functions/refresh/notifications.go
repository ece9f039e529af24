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

// leaveNotifications leaves news of the watched routes from an origin that was
// asked and whose answer is stored. summaries are those that this refresh has
// made. It says for how many routes there is something new to tell. A refresh that
// was killed before it got here has not said that the origin was asked, so the
// next one comes here again.
func (r *Refresher) leaveNotifications(ctx context.Context, origin fare.City, watched []store.SubscribedRoute, summaries map[fare.City]verdict.RouteSummary, today fare.Day) (left int, err error) {
	var faults []error
	for _, w := range watched {
		if w.Destination == store.Anywhere {
			continue // see leaveAnywhere
		}
		route := fare.Route{Origin: origin, Destination: w.Destination}
		if err := r.leaveTrips(ctx, route, w.Trips, today); err != nil {
			faults = append(faults, err)
		}
		is, err := notify.Leave(ctx, store.Notifications{Table: r.Fares.Table}, route, summaries[w.Destination], today)
		if err != nil {
			faults = append(faults, err)
		}
		if is {
			left++
		}
	}
	return left, errors.Join(faults...)
}

// leaveTrips leaves a notification for the alerts for trips on a route, where there
// are any. They are judged when it is sent: it does not say whether there is anything to tell.
func (r *Refresher) leaveTrips(ctx context.Context, route fare.Route, trips []fare.Trip, today fare.Day) error {
	if len(trips) == 0 {
		return nil
	}
	return store.Notifications{Table: r.Fares.Table}.LeaveTrips(ctx, route, today, (today + verdict.LiveDays + 1).Time())
}

// toAnywhere tells whether there are alerts to anywhere among the watched.
func toAnywhere(watched []store.SubscribedRoute) bool {
	return slices.ContainsFunc(watched, func(w store.SubscribedRoute) bool { return w.Destination == store.Anywhere })
}

// leaveAnywhere leaves a notification for the alerts to anywhere from an origin once
// its deals are written: they are judged by these when it is sent.
func (r *Refresher) leaveAnywhere(ctx context.Context, origin fare.City) error {
	today := fare.DayOf(r.Now())
	route := fare.Route{Origin: origin, Destination: store.Anywhere}
	return store.Notifications{Table: r.Fares.Table}.LeaveTrips(ctx, route, today, (today + verdict.LiveDays + 1).Time())
}

// leaveReturns leaves notifications of trips for the watched routes whose returns were asked for.
func (r *Refresher) leaveReturns(ctx context.Context, origin fare.City, watched []store.SubscribedRoute, asked summaries) error {
	var faults []error
	for _, w := range watched {
		if slices.ContainsFunc(w.Trips, func(trip fare.Trip) bool { _, is := asked[trip][w.Destination]; return is && trip != fare.OneWay }) {
			faults = append(faults, r.leaveTrips(ctx, fare.Route{Origin: origin, Destination: w.Destination}, w.Trips, fare.DayOf(r.Now())))
		}
	}
	return errors.Join(faults...)
}
