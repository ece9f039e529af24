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

// Alerts keeps who wants to hear of which route, and no more of them than that.
//
//	PENDING#<id>      ALERT          what was asked for and is not confirmed yet; expires
//	ALERTS#MIL-BUH    <subscriber>   an alert
//	SUBSCRIBER#<id>   ROUTES         the routes that a subscriber has alerts for
//	WATCHED#MIL       BUH            that somebody has an alert for the route
//	STOPPED#<id>      MARK           somebody to whom nothing is sent any more
type Alerts struct {
	Table  Table
	Outbox Outbox // where the mail that asks for confirmation is left
}

// MaxAlerts is how many alerts a subscriber can have.
const MaxAlerts = 20

// SubscriberID stands for an address: a pseudonym, so that the address itself is only where it is needed.
type SubscriberID string

// Alert is a wish to hear of a route.
type Alert struct {
	Subscriber SubscriberID `json:"s"`
	Route      fare.Route   `json:"r"`
	Email      string       `json:"e"`
	Language   string       `json:"l"`
	Threshold  fare.Cents   `json:"t,omitempty"` // euro cents; 0: by the verdict
	Mailed     fare.Day     `json:"m,omitempty"` // of the refresh that it was last told of; 0: none
	Fresh      bool         `json:"f,omitempty"` // the threshold is another than it was then
	version    int64
}

var (
	// ErrUsed: what was asked for has been confirmed before.
	ErrUsed = errors.New("confirmed before")
	// ErrTooMany: the subscriber has MaxAlerts alerts.
	ErrTooMany = errors.New("too many alerts")
	// ErrStopped: nothing is sent to the subscriber any more.
	ErrStopped = errors.New("mail is stopped")
	// ErrUnreadable: an item holds what nobody can make out. Reading it again is in vain.
	ErrUnreadable = errors.New("cannot be made out")
)

func pendingKey(id string) Key                      { return Key{"PENDING#" + id, "ALERT"} }
func alertKey(route fare.Route, s SubscriberID) Key { return Key{alertsOf(route), string(s)} }
func alertsOf(route fare.Route) string              { return "ALERTS#" + route.String() }
func subscriberKey(s SubscriberID) Key              { return Key{"SUBSCRIBER#" + string(s), "ROUTES"} }
func stoppedKey(s SubscriberID) Key                 { return Key{"STOPPED#" + string(s), "MARK"} }
func watchedKey(route fare.Route) Key {
	return Key{"WATCHED#" + string(route.Origin), string(route.Destination)}
}

// Ask keeps what was asked for until it expires, together with the job that
// sends the mail which asks for confirmation: both or neither. The same is
// written whatever is known of the subscriber.
func (a Alerts) AddPending(ctx context.Context, id string, wish Alert, expires time.Time, job Job) error {
	data, err := json.Marshal(wish)
	var leave Op
	if err == nil {
		leave, err = a.Outbox.put(job)
	}
	if err == nil {
		err = a.Table.Write(ctx, Op{Mode: Create, Item: Item{Key: pendingKey(id), Data: data, Expires: expires}}, leave)
	}
	if err != nil {
		return fmt.Errorf("keep what was asked for: %w", err)
	}
	return nil
}

// Pending gives what was asked for under an id: ErrNotFound where there is
// nothing or it has expired, ErrUsed where it was confirmed.
func (a Alerts) Pending(ctx context.Context, id string) (Alert, error) {
	wish, _, err := a.pending(ctx, id)
	return wish, err
}

func (a Alerts) pending(ctx context.Context, id string) (Alert, Item, error) {
	item, err := a.Table.Get(ctx, pendingKey(id), Strong)
	if err != nil {
		return Alert{}, item, fmt.Errorf("read what was asked for: %w", err)
	}
	if len(item.Data) == 0 {
		return Alert{}, item, ErrUsed
	}
	var wish Alert
	if err := json.Unmarshal(item.Data, &wish); err != nil {
		return Alert{}, item, fmt.Errorf("read what was asked for: %w", err)
	}
	return wish, item, nil
}

// Confirm makes an alert of what was asked for, or gives the one there is its
// threshold. It works once; what is kept of the wish is that it was used. What
// the subscriber was told of stays known, so that asking again for the same
// brings no second mail with the same news. ErrStopped: nothing is sent there.
func (a Alerts) Confirm(ctx context.Context, id string) (Alert, error) {
	for {
		wish, err := a.confirm(ctx, id)
		if !errors.Is(err, ErrConflict) && !errors.Is(err, ErrExists) {
			return wish, err
		}
	}
}

func (a Alerts) confirm(ctx context.Context, id string) (Alert, error) {
	wish, asked, err := a.pending(ctx, id)
	if err != nil {
		return wish, err
	}
	if stopped, err := a.Stopped(ctx, wish.Subscriber); err != nil {
		return wish, err
	} else if stopped {
		return wish, ErrStopped
	}
	routes, version, err := a.routes(ctx, wish.Subscriber)
	if err != nil {
		return wish, err
	}
	if !slices.Contains(routes, wish.Route) {
		if len(routes) >= MaxAlerts {
			return wish, ErrTooMany
		}
		routes = append(routes, wish.Route)
	}
	put := Op{Mode: Create, Item: Item{Key: alertKey(wish.Route, wish.Subscriber)}}
	switch had, err := a.One(ctx, wish.Route, wish.Subscriber); {
	case err == nil:
		// Over the version that was read: somebody may be telling the subscriber just now.
		put.Mode, put.Item.Version = Replace, had.version
		wish.Mailed, wish.Fresh = had.Mailed, had.Fresh || had.Threshold != wish.Threshold
	case !errors.Is(err, ErrNotFound):
		return wish, err
	}
	put.Item.Data, err = json.Marshal(wish)
	var list Op
	if err == nil {
		list, err = listOp(wish.Subscriber, routes, version)
	}
	if err == nil {
		asked.Data = nil
		err = a.Table.Write(ctx,
			Op{Mode: Replace, Item: asked},
			list,
			put,
			Op{Mode: Set, Item: Item{Key: watchedKey(wish.Route)}},
			// Whoever stops mail meanwhile removes what there is by then: nothing is to come after that.
			Op{Mode: Check, Item: Item{Key: stoppedKey(wish.Subscriber)}})
	}
	if err != nil {
		return wish, fmt.Errorf("confirm an alert: %w", err)
	}
	return wish, nil
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
		switch one, err := a.One(ctx, route, s); {
		case errors.Is(err, ErrNotFound): // removed between the two reads
		case err != nil:
			return nil, err
		default:
			alerts = append(alerts, one)
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
	one := Alert{version: item.Version}
	if err := json.Unmarshal(item.Data, &one); err != nil {
		return Alert{}, fmt.Errorf("read an alert: %w: %w", ErrUnreadable, err)
	}
	return one, nil
}

// Readable tells whether more is known of an alert than whose it is; see Page.
func (a Alert) Readable() bool { return a.Email != "" }

// Remove deletes alerts of a subscriber, all of them where no route is named,
// and says how many there were.
func (a Alerts) Remove(ctx context.Context, s SubscriberID, which ...fare.Route) (int, error) {
	for {
		n, err := a.remove(ctx, s, which)
		if !errors.Is(err, ErrConflict) && !errors.Is(err, ErrExists) {
			return n, err
		}
	}
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

// Stop deletes all alerts of a subscriber and keeps until a moment that nothing
// is to be sent there: mail was refused for good, or somebody complained of it.
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

// Unwatch forgets that a route is watched if nobody has an alert for it, and tells whether it did.
func (a Alerts) Unwatch(ctx context.Context, route fare.Route) (bool, error) {
	mark, err := a.Table.Get(ctx, watchedKey(route), Strong)
	if errors.Is(err, ErrNotFound) {
		return true, nil
	}
	var some []Item
	if err == nil {
		some, err = a.Table.Query(ctx, Range{Partition: alertsOf(route), Limit: 1, Read: Strong})
	}
	if err == nil && len(some) > 0 {
		return false, nil
	}
	if err == nil { // whoever confirms an alert meanwhile writes the mark anew, and this fails
		err = a.Table.Write(ctx, Op{Mode: Remove, Item: mark})
	}
	if errors.Is(err, ErrConflict) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("forget that %s is watched: %w", route, err)
	}
	return true, nil
}

// Page gives the alerts for a route in a fixed order, after a subscriber. Fewer than limit means that there are no more.
// One that cannot be made out has its place as well, but is not Readable: the others are to be told.
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

// Told keeps that a subscriber was told of a refresh, also where the alert was
// changed meanwhile. One that was removed stays so, and that is no error.
func (a Alerts) MarkNotified(ctx context.Context, one Alert, of fare.Day) error {
	one.Fresh = false
	for one.Mailed < of {
		one.Mailed = of
		data, err := json.Marshal(one)
		if err == nil {
			err = a.Table.Write(ctx, Op{Mode: Replace, Item: Item{Key: alertKey(one.Route, one.Subscriber), Version: one.version, Data: data}})
		}
		if err == nil {
			return nil
		}
		if errors.Is(err, ErrConflict) {
			one, err = a.One(ctx, one.Route, one.Subscriber)
		}
		if errors.Is(err, ErrNotFound) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("keep that somebody was told: %w", err)
		}
	}
	return nil
}
