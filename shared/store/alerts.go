package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"verdetto/shared/fare"
)

// Alerts stores who subscribes to which route, and no more of them than that
// (keys: PENDING, ALERTS, SUBSCRIBER, WATCHED, STOPPED).
type Alerts struct {
	Table  Table
	Outbox Outbox // of the mail that asks for confirmation
}

// MaxAlerts is how many alerts a subscriber can have.
const MaxAlerts = 20

// SubscriberID is a pseudonym of an address, so that the address itself is stored only where it is needed.
type SubscriberID string

// Alert is a subscription to a route.
type Alert struct {
	Subscriber SubscriberID `json:"s"`
	Route      fare.Route   `json:"r"`
	Email      string       `json:"e"`
	Language   string       `json:"l"`
	Threshold  fare.Cents   `json:"t,omitempty"` // euro cents; 0: by the verdict
	Mailed     fare.Day     `json:"m,omitempty"` // the day of the refresh that its last mail was about; 0: none was sent
	Fresh      bool         `json:"f,omitempty"` // the threshold has changed since that mail
	version    int64
}

var (
	// ErrUsed: the pending subscription has been confirmed before.
	ErrUsed = errors.New("confirmed before")
	// ErrTooMany: the subscriber has MaxAlerts alerts.
	ErrTooMany = errors.New("too many alerts")
	// ErrStopped: nothing is sent to the subscriber any more.
	ErrStopped = errors.New("mail is stopped")
	// ErrUnreadable: an item is malformed. Reading it again does not help.
	ErrUnreadable = errors.New("malformed")
)

func pendingKey(id string) Key                      { return Key{"PENDING#" + id, "ALERT"} }
func alertKey(route fare.Route, s SubscriberID) Key { return Key{alertsOf(route), string(s)} }
func alertsOf(route fare.Route) string              { return "ALERTS#" + route.String() }
func subscriberKey(s SubscriberID) Key              { return Key{"SUBSCRIBER#" + string(s), "ROUTES"} }
func stoppedKey(s SubscriberID) Key                 { return Key{"STOPPED#" + string(s), "MARK"} }
func watchedKey(route fare.Route) Key {
	return Key{"WATCHED#" + string(route.Origin), string(route.Destination)}
}

// AddPending stores a pending subscription until it expires, together with the
// job that sends the mail which asks for confirmation: both or neither. The same
// is written whatever is stored of the subscriber already.
func (a Alerts) AddPending(ctx context.Context, id string, pending Alert, expires time.Time, job Job) error {
	data, err := json.Marshal(pending)
	var put Op
	if err == nil {
		put, err = a.Outbox.put(job)
	}
	if err == nil {
		err = a.Table.Write(ctx, Op{Mode: Create, Item: Item{Key: pendingKey(id), Data: data, Expires: expires}}, put)
	}
	if err != nil {
		return fmt.Errorf("store pending subscription: %w", err)
	}
	return nil
}

// Pending gives the pending subscription of an id: ErrNotFound where there is
// none or it has expired, ErrUsed where it was confirmed.
func (a Alerts) Pending(ctx context.Context, id string) (Alert, error) {
	pending, _, err := a.pending(ctx, id)
	return pending, err
}

func (a Alerts) pending(ctx context.Context, id string) (Alert, Item, error) {
	item, err := a.Table.Get(ctx, pendingKey(id), Strong)
	if err != nil {
		return Alert{}, item, fmt.Errorf("read pending subscription: %w", err)
	}
	if len(item.Data) == 0 {
		return Alert{}, item, ErrUsed
	}
	var pending Alert
	if err := json.Unmarshal(item.Data, &pending); err != nil {
		return Alert{}, item, fmt.Errorf("read pending subscription: %w", err)
	}
	return pending, item, nil
}

// Confirm makes an alert of a pending subscription, or gives the one there is
// its threshold. It works once; all that stays of the pending subscription is
// that it was used. What the subscriber was notified of stays recorded, so that
// subscribing again to the same brings no second mail with the same news.
// ErrStopped: nothing is sent there.
func (a Alerts) Confirm(ctx context.Context, id string) (alert Alert, err error) {
	err = RetryConflicts(ctx, func() (err error) {
		alert, err = a.confirm(ctx, id)
		return err
	})
	return alert, err
}

func (a Alerts) confirm(ctx context.Context, id string) (Alert, error) {
	alert, pending, err := a.pending(ctx, id)
	if err != nil {
		return alert, err
	}
	if stopped, err := a.Stopped(ctx, alert.Subscriber); err != nil {
		return alert, err
	} else if stopped {
		return alert, ErrStopped
	}
	routes, version, err := a.routes(ctx, alert.Subscriber)
	if err != nil {
		return alert, err
	}
	if !slices.Contains(routes, alert.Route) {
		if len(routes) >= MaxAlerts {
			return alert, ErrTooMany
		}
		routes = append(routes, alert.Route)
	}
	put := Op{Mode: Create, Item: Item{Key: alertKey(alert.Route, alert.Subscriber)}}
	switch had, err := a.One(ctx, alert.Route, alert.Subscriber); {
	case err == nil:
		// Over the version that was read: the subscriber may be notified just now.
		put.Mode, put.Item.Version = Replace, had.version
		alert.Mailed, alert.Fresh = had.Mailed, had.Fresh || had.Threshold != alert.Threshold
	case !errors.Is(err, ErrNotFound):
		return alert, err
	}
	put.Item.Data, err = json.Marshal(alert)
	var list Op
	if err == nil {
		list, err = listOp(alert.Subscriber, routes, version)
	}
	if err == nil {
		pending.Data = nil
		err = a.Table.Write(ctx,
			Op{Mode: Replace, Item: pending},
			list,
			put,
			Op{Mode: Set, Item: Item{Key: watchedKey(alert.Route)}},
			// Whoever stops mail meanwhile removes what there is by then: nothing is to come after that.
			Op{Mode: Check, Item: Item{Key: stoppedKey(alert.Subscriber)}})
	}
	if err != nil {
		return alert, fmt.Errorf("confirm an alert: %w", err)
	}
	return alert, nil
}

// routes gives the routes that a subscriber has alerts for, none at version 0.
func (a Alerts) routes(ctx context.Context, s SubscriberID) ([]fare.Route, int64, error) {
	var routes []fare.Route
	item, err := a.Table.Get(ctx, subscriberKey(s), Strong)
	if errors.Is(err, ErrNotFound) {
		return nil, 0, nil
	}
	if err == nil {
		err = json.Unmarshal(item.Data, &routes)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read a subscriber: %w", err)
	}
	return routes, item.Version, nil
}

// listOp is the write of a subscriber's routes over a version.
func listOp(s SubscriberID, routes []fare.Route, version int64) (Op, error) {
	data, err := json.Marshal(routes)
	op := Op{Mode: Replace, Item: Item{Key: subscriberKey(s), Version: version, Data: data}}
	switch {
	case version == 0:
		op.Mode = Create
	case len(routes) == 0:
		op.Mode = Remove
	}
	return op, err
}

// Of lists the alerts of a subscriber.
func (a Alerts) Of(ctx context.Context, s SubscriberID) ([]Alert, error) {
	routes, _, err := a.routes(ctx, s)
	if err != nil {
		return nil, err
	}
	var alerts []Alert
	for _, route := range routes {
		switch alert, err := a.One(ctx, route, s); {
		case errors.Is(err, ErrNotFound): // removed between the two reads
		case err != nil:
			return nil, err
		default:
			alerts = append(alerts, alert)
		}
	}
	return alerts, nil
}

// One gives a subscriber's alert for a route as it stands now, or ErrNotFound.
func (a Alerts) One(ctx context.Context, route fare.Route, s SubscriberID) (Alert, error) {
	item, err := a.Table.Get(ctx, alertKey(route, s), Strong)
	if err != nil {
		return Alert{}, fmt.Errorf("read an alert: %w", err)
	}
	return readAlert(item)
}

func readAlert(item Item) (Alert, error) {
	alert := Alert{version: item.Version}
	if err := json.Unmarshal(item.Data, &alert); err != nil {
		return Alert{}, fmt.Errorf("read an alert: %w: %w", ErrUnreadable, err)
	}
	return alert, nil
}

// Readable tells whether the stored alert could be read; of one that could not, see Page.
func (a Alert) Readable() bool { return a.Email != "" }

// Remove deletes alerts of a subscriber, all of them where no route is named,
// and says how many there were.
func (a Alerts) Remove(ctx context.Context, s SubscriberID, which ...fare.Route) (removed int, err error) {
	err = RetryConflicts(ctx, func() (err error) {
		removed, err = a.remove(ctx, s, which)
		return err
	})
	return removed, err
}

func (a Alerts) remove(ctx context.Context, s SubscriberID, which []fare.Route) (int, error) {
	routes, version, err := a.routes(ctx, s)
	if err != nil {
		return 0, err
	}
	var ops []Op
	rest := slices.DeleteFunc(slices.Clone(routes), func(r fare.Route) bool {
		gone := len(which) == 0 || slices.Contains(which, r)
		if gone {
			ops = append(ops, Op{Mode: Delete, Item: Item{Key: alertKey(r, s)}})
		}
		return gone
	})
	if len(ops) == 0 {
		return 0, nil
	}
	list, err := listOp(s, rest, version)
	if err == nil {
		err = a.Table.Write(ctx, append(ops, list)...)
	}
	if err != nil {
		return 0, fmt.Errorf("remove alerts: %w", err)
	}
	return len(ops), nil
}

// Stop deletes all alerts of a subscriber and records until when nothing is to
// be sent there: mail was refused for good, or somebody complained of it.
func (a Alerts) Stop(ctx context.Context, s SubscriberID, until time.Time) error {
	if err := a.Table.Write(ctx, Op{Mode: Set, Item: Item{Key: stoppedKey(s), Expires: until}}); err != nil {
		return fmt.Errorf("stop mail to a subscriber: %w", err)
	}
	_, err := a.Remove(ctx, s)
	return err
}

// Stopped tells whether nothing is to be sent to a subscriber.
func (a Alerts) Stopped(ctx context.Context, s SubscriberID) (bool, error) {
	_, err := a.Table.Get(ctx, stoppedKey(s), Strong)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read whether mail is stopped: %w", err)
	}
	return true, nil
}

// Watched lists the destinations from an origin that somebody has, or had, alerts for.
func (a Alerts) Watched(ctx context.Context, origin fare.City) ([]fare.City, error) {
	items, err := a.Table.Query(ctx, Range{Partition: "WATCHED#" + string(origin), Read: Strong})
	if err != nil {
		return nil, fmt.Errorf("list watched routes from %s: %w", origin, err)
	}
	cities := make([]fare.City, len(items))
	for i, item := range items {
		cities[i] = fare.City(item.Sort)
	}
	return cities, nil
}

// Unwatch deletes the mark that a route is watched if nobody has an alert for it, and tells whether there is none now.
func (a Alerts) Unwatch(ctx context.Context, route fare.Route) (bool, error) {
	mark, err := a.Table.Get(ctx, watchedKey(route), Strong)
	if errors.Is(err, ErrNotFound) {
		return true, nil
	}
	var alerts []Item
	if err == nil {
		alerts, err = a.Table.Query(ctx, Range{Partition: alertsOf(route), Limit: 1, Read: Strong})
	}
	if err == nil && len(alerts) > 0 {
		return false, nil
	}
	if err == nil { // whoever confirms an alert meanwhile writes the mark anew, and this fails
		err = a.Table.Write(ctx, Op{Mode: Remove, Item: mark})
	}
	if errors.Is(err, ErrConflict) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("unwatch %s: %w", route, err)
	}
	return true, nil
}

// Page gives the alerts for a route in a fixed order, after a subscriber. Fewer than limit means that there are no more.
// A malformed one has its place as well, with no more than whose it is, and is not Readable: the others are to be notified.
func (a Alerts) Page(ctx context.Context, route fare.Route, after SubscriberID, limit int) ([]Alert, error) {
	items, err := a.Table.Query(ctx, Range{Partition: alertsOf(route), After: string(after), Limit: limit})
	if err != nil {
		return nil, fmt.Errorf("list alerts for %s: %w", route, err)
	}
	alerts := make([]Alert, len(items))
	for i, item := range items {
		if alerts[i], err = readAlert(item); err != nil {
			alerts[i] = Alert{Subscriber: SubscriberID(item.Sort), Route: route}
		}
	}
	return alerts, nil
}

// MarkNotified records that a subscriber was notified of a refresh, also where
// the alert was changed meanwhile: then the change stays. One that was removed
// stays so, and that is no error.
func (a Alerts) MarkNotified(ctx context.Context, alert Alert, of fare.Day) error {
	alert.Fresh = false
	err := RetryConflicts(ctx, func() error {
		if alert.Mailed >= of {
			return nil
		}
		next := alert
		next.Mailed = of
		data, err := json.Marshal(next)
		if err == nil {
			err = a.Table.Write(ctx, Op{Mode: Replace, Item: Item{Key: alertKey(next.Route, next.Subscriber), Version: next.version, Data: data}})
		}
		if !errors.Is(err, ErrConflict) {
			return err
		}
		current, readErr := a.One(ctx, alert.Route, alert.Subscriber)
		if readErr != nil {
			return readErr
		}
		alert = current
		return err
	})
	if err != nil && !errors.Is(err, ErrNotFound) {
		return fmt.Errorf("record that a subscriber was notified: %w", err)
	}
	return nil
}
