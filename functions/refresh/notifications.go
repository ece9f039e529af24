package refresh

import (
	"context"
	"errors"

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
func (r *Refresher) leaveNotifications(ctx context.Context, origin fare.City, watched []fare.City, summaries map[fare.City]verdict.RouteSummary, today fare.Day) (left int, err error) {
	var faults []error
	for _, destination := range watched {
		route := fare.Route{Origin: origin, Destination: destination}
		is, err := notify.Leave(ctx, store.Notifications{Table: r.Fares.Table}, route, summaries[destination], today)
		if err != nil {
			faults = append(faults, err)
		}
		if is {
			left++
		}
	}
	return left, errors.Join(faults...)
}
