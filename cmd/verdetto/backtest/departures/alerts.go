package departures

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"verdetto/cmd/verdetto/backtest/stats"
	"verdetto/shared/fare"
)

// The replay creates alerts on the first day of each week and follows each until a deadline. A
// simulated traveller buys at the alert's first message, or at the deadline if the alert sends
// none.

// alertSubject is what the replayed alerts watch: departures or routes.
type alertSubject struct {
	deadline func(quote) (fare.Day, bool) // of an alert created on a row; false: no alert is created
	watch    func(t *Trips, cycle int) *alertPanel
	without  string // error text if no alert can be followed to its deadline
}

const (
	alertLead     = 28 // a new alert needs at least this many days to the departure
	alertDeadline = 14 // days before departure at which a traveller without a message buys
	alertWeeks    = 8  // weeks from a new alert on a route to its deadline
)

var alertsOnDepartures = alertSubject{
	func(q quote) (fare.Day, bool) { return q.departs() - alertDeadline, q.lead >= alertLead },
	(*Trips).watchDepartures,
	fmt.Sprintf("departure was watched from %d days ahead or more to %d days ahead", alertLead, alertDeadline),
}

var alertsOnRoutes = alertSubject{
	func(q quote) (fare.Day, bool) { return q.day + 7*alertWeeks, true },
	(*Trips).watchRoutes,
	fmt.Sprintf("route that can be judged was watched for %d weeks", alertWeeks),
}

// AlertReport holds the results of alerts of each kind, such as threshold or verdict. Shares and
// changes are fractions: 0.05 is 5 %. A change below 0 means that the traveller saves money.
type AlertReport struct {
	Ask        string         `json:"ask"` // what the alerts watch: partenza (departures) or rotta (routes)
	First      string         `json:"first"`
	From       string         `json:"from"` // the first day of new alerts
	To         string         `json:"to"`
	Cycle      int            `json:"cycleDays"`
	Read       int            `json:"rowsRead"`
	Dropped    map[string]int `json:"rowsDropped,omitempty"`
	Notes      []string       `json:"notes,omitempty"`
	BlockDays  int            `json:"blockDays"`
	Alerts     int            `json:"alerts"`     // number of alerts of each kind
	Departures int            `json:"departures"` // departures with alerts, or routes with alerts
	Routes     int            `json:"routes"`
	Unjudged   int            `json:"unjudged"`  // alerts left out: too few fares to judge when created
	Unwatched  int            `json:"unwatched"` // alerts left out: not seen in the week before the deadline
	Days       float64        `json:"days"`      // mean days from creation to the deadline
	Prices     []AlertPrices  `json:"prices"`
}

// AlertPrices holds the results of the same alerts on one set of prices: the recorded prices, or
// the invented prices of a reference.
type AlertPrices struct {
	Name  string      `json:"name"`
	Kinds []AlertKind `json:"kinds"`
}

// AlertKind holds the results of the alerts of one kind. Values without data are absent.
type AlertKind struct {
	Name        string    `json:"kind"`
	WithMessage *Estimate `json:"told"`                 // share of alerts with a message
	Messages    *Estimate `json:"messages"`             // messages per alert
	SeenNext    *Estimate `json:"seenNext,omitempty"`   // share of messages whose departure was seen at the next refresh
	Still       *Estimate `json:"stillThere,omitempty"` // share of SeenNext with a fare at most 2 % dearer
	AtOnce      *Estimate `json:"againstAtOnce"`        // change of the price paid against buying when the alert was created
	Later       *Estimate `json:"againstAtOnceLater"`   // the same for buying one refresh after the first message
	Random      *Estimate `json:"againstRandomDay"`     // against the mean price of all refreshes from creation to the deadline
	Deadline    *Estimate `json:"againstNoAlert"`       // against buying at the deadline
	SameWaits   *Estimate `json:"againstSameWaits"`     // against waiting as long as other alerts; see meansOfWaits
}

// Estimate is a mean with its 95 % confidence interval.
type Estimate struct {
	Count    int          `json:"count"`
	Mean     float64      `json:"mean"`
	Interval *stats.Range `json:"interval,omitempty"`
}

// The values of Options.Ask for RunAlerts: what the alerts watch.
const DepartureAlerts, RouteAlerts = "partenza", "rotta"

// RunAlerts replays alerts on the departures of a panel (observed fares), or on the cheapest fare
// of its routes.
func RunAlerts(ctx context.Context, t *Trips, o Options) (AlertReport, error) {
	on := alertsOnDepartures
	if o.Ask = cmp.Or(o.Ask, DepartureAlerts); o.Ask == RouteAlerts {
		on = alertsOnRoutes
	}
	return within(ctx, func() (AlertReport, error) { return replayAlerts(t, o, on) })
}

func replayAlerts(t *Trips, o Options, on alertSubject) (AlertReport, error) {
	o.Cycle = max(o.Cycle, 1)
	t = t.thinned(o)
	if len(t.rows) == 0 {
		return AlertReport{}, errors.New("no fare was seen on the days asked for")
	}
	real := on.watch(t, o.Cycle)
	r := AlertReport{
		Ask: o.Ask, First: t.rows[0].day.String(), From: max(o.From, t.rows[0].day).String(),
		To: t.last().String(), Cycle: o.Cycle,
		Read: t.Read, Dropped: t.Dropped, Notes: t.Notes,
	}
	asked := real.alerts(on, o, &r)
	if len(asked) == 0 {
		return r, fmt.Errorf("no %s, on %s to %s", on.without, r.First, r.To)
	}
	panel := real.panel
	first, last := panel.rows[asked[0].row].day, panel.rows[asked[0].row].day
	for _, a := range asked {
		first, last = min(first, panel.rows[a.row].day), max(last, panel.rows[a.row].day)
	}
	sample := panel.sample(first, last)
	r.BlockDays = sample.Days
	for _, other := range []struct {
		name string
		of   *alertPanel
	}{
		{"as they were", real},
		{"random walk", on.watch(panel.randomWalk(), o.Cycle)},
		{"shuffled", on.watch(panel.shuffled(), o.Cycle)},
	} {
		f := follower{other.of, asked, sample}
		r.Prices = append(r.Prices, AlertPrices{other.name, f.kinds()})
	}
	return r, nil
}
