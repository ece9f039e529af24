package departures

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"verdetto/cmd/verdetto/backtest/stats"
	"verdetto/shared/fare"
)

// The replay of alerts asks for alerts on what is seen on the first day of each
// week, and lets each kind tell of it until a deadline. Who follows an alert buys
// when the first message comes, and at the deadline if none does.

// alertsOn is what alerts are asked about.
type alertsOn struct {
	deadline func(quote) (fare.Day, bool) // of an alert asked for on a row; false: it is not asked for
	watch    func(t *Trips, cycle int) *watched
	without  string // what a panel lacks that has none to follow
}

const (
	alertLead     = 28 // days ahead, at least, that alerts on departures are asked for
	alertDeadline = 14 // days ahead on which who was told nothing buys
	alertWeeks    = 8  // from asking for an alert on a route to its deadline
)

var alertsOnDepartures = alertsOn{
	func(q quote) (fare.Day, bool) { return q.departs() - alertDeadline, q.lead >= alertLead },
	(*Trips).watchDepartures,
	fmt.Sprintf("departure was watched from %d days ahead or more to %d days ahead", alertLead, alertDeadline),
}

var alertsOnRoutes = alertsOn{
	func(q quote) (fare.Day, bool) { return q.day + 7*alertWeeks, true },
	(*Trips).watchRoutes,
	fmt.Sprintf("route that can be judged was watched for %d weeks", alertWeeks),
}

// AlertReport is what alerts of each kind came to. Shares and changes are
// fractions; a change under 0 is money saved.
type AlertReport struct {
	Ask        string         `json:"ask"` // partenza or rotta: what alerts are on
	First      string         `json:"first"`
	From       string         `json:"from"` // alerts are asked for from this day on
	To         string         `json:"to"`
	Cycle      int            `json:"cycleDays"`
	Read       int            `json:"rowsRead"`
	Dropped    map[string]int `json:"rowsDropped,omitempty"`
	Notes      []string       `json:"notes,omitempty"`
	BlockDays  int            `json:"blockDays"`
	Alerts     int            `json:"alerts"`     // of each kind
	Departures int            `json:"departures"` // or routes
	Routes     int            `json:"routes"`
	Unjudged   int            `json:"unjudged"`  // alerts that were left out: the rule knew too little when they were asked for
	Unwatched  int            `json:"unwatched"` // or the departure was not seen in the week before the deadline
	Days       float64        `json:"days"`      // from the asking to the deadline, in the mean
	Prices     []AlertPrices  `json:"prices"`
}

// AlertPrices is the same alerts on the prices of the panel, or on others.
type AlertPrices struct {
	Name  string      `json:"name"`
	Kinds []AlertKind `json:"kinds"`
}

// AlertKind is what became of the alerts of a kind. What nothing can be said of is absent.
type AlertKind struct {
	Name     string    `json:"kind"`
	Told     *Estimate `json:"told"`                 // share of alerts that told anything
	Messages *Estimate `json:"messages"`             // of an alert
	Again    *Estimate `json:"seenNext,omitempty"`   // share of messages whose departure was seen on the day after, or at the next refresh
	Still    *Estimate `json:"stillThere,omitempty"` // share of these whose fare was at most 2 % dearer then
	AtOnce   *Estimate `json:"againstAtOnce"`        // change of what is paid against buying when the alert was asked for
	Later    *Estimate `json:"againstAtOnceLater"`   // the same of who is a look late: buys at the one after the first message
	Random   *Estimate `json:"againstRandomDay"`     // against the mean of all looks from the asking to the deadline
	Deadline *Estimate `json:"againstNoAlert"`       // against buying at the deadline
	Dealt    *Estimate `json:"againstSameWaits"`     // against the mean of waits as long as those of the alerts asked for as many days ahead
}

// Estimate is a mean, and the interval that holds it.
type Estimate struct {
	Count    int          `json:"count"`
	Mean     float64      `json:"mean"`
	Interval *stats.Range `json:"interval,omitempty"`
}

// The questions that alerts can be on: Options.Ask of RunAlerts.
const DepartureAlerts, RouteAlerts = "partenza", "rotta"

// RunAlerts replays alerts on the departures of a panel, or on its routes: on the cheapest fare of any date.
func RunAlerts(ctx context.Context, t *Trips, o Options) (AlertReport, error) {
	on := alertsOnDepartures
	if o.Ask = cmp.Or(o.Ask, DepartureAlerts); o.Ask == RouteAlerts {
		on = alertsOnRoutes
	}
	return within(ctx, func() (AlertReport, error) { return replayAlerts(t, o, on) })
}

func replayAlerts(t *Trips, o Options, on alertsOn) (AlertReport, error) {
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
		of   *watched
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
