package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"verdetto/shared/fare"
)

// Notifications stores what refreshes saw of subscribed routes, and the news that
// subscribers have still to be notified of (keys: SEEN, WAKES).
type Notifications struct{ Table Table }

// Notification is news of a route that its subscribers are being notified of.
type Notification struct {
	Route   fare.Route `json:"r"`
	Day     fare.Day   `json:"d"` // of the refresh
	News    []byte     `json:"n"`
	History []byte     `json:"h"`           // what the refreshes saw, this one too
	Cursor  string     `json:"c,omitempty"` // the Place of an alert: all up to it have been notified
	// Trips tells that it is for the alerts for trips on the route, or for those to Anywhere, which
	// are judged when it is sent: it holds no news.
	Trips bool `json:"t,omitempty"`
	// Expires is when it is no news any more.
	Expires time.Time `json:"-"`

	version   int64
	malformed string // the sort key of one that is malformed
}

// Past is what earlier refreshes saw of a route.
type Past struct {
	Day     fare.Day `json:"d"` // of the last refresh that saw the route
	History []byte   `json:"h"`
	Digest  []byte   `json:"n"` // of the last news; none where it was taken back

	version int64
	expires time.Time
}

const notificationsPartition = "WAKES"

func seenKey(r fare.Route) Key         { return Key{"SEEN#" + r.String(), "HISTORY"} }
func notificationKey(r fare.Route) Key { return Notification{Route: r}.key() }

// tripsSort is what follows the route in the key of a notification of its trips.
const tripsSort = "#TRIPS"

func (n Notification) key() Key { return Key{notificationsPartition, n.Place()} }

// Place is where the notification stands in the order of all.
func (n Notification) Place() string {
	switch {
	case n.malformed != "":
		return n.malformed
	case n.Trips:
		return n.Route.String() + tripsSort
	}
	return n.Route.String()
}

func tripKey(r fare.Route, t Trip) Key { return Key{"SEEN#" + r.String(), "TRIP#" + t.String()} }

// LeaveTrips leaves a notification for the alerts for trips on a route, of which a refresh
// of a day has stored something, in place of any earlier; of a route to Anywhere for all alerts to it.
func (w Notifications) LeaveTrips(ctx context.Context, route fare.Route, day fare.Day, expires time.Time) error {
	n := Notification{Route: route, Day: day, Trips: true}
	err := write(ctx, w.Table, set(Item{Key: n.key(), Expires: expires}), n)
	return wrap(err, "leave a notification of trips on %s", route)
}

// PastTrip gives what earlier refreshes saw of a trip; nothing where none did.
func (w Notifications) PastTrip(ctx context.Context, route fare.Route, t Trip) (Past, error) {
	return w.past(ctx, tripKey(route, t))
}

// KeepTrip stores what refreshes saw of a trip over the past that was read, unless it is the same.
func (w Notifications) KeepTrip(
	ctx context.Context, past Past, route fare.Route, t Trip, history []byte, expires time.Time,
) error {
	if past.version > 0 && bytes.Equal(past.History, history) {
		return nil
	}
	op := over(Item{Key: tripKey(route, t), Version: past.version, Expires: expires})
	err := write(ctx, w.Table, op, Past{History: history})
	return wrap(err, "keep what was seen of a trip on %s", route)
}

// Past gives what earlier refreshes saw of a route; nothing where none did.
func (w Notifications) Past(ctx context.Context, route fare.Route) (Past, error) {
	return w.past(ctx, seenKey(route))
}

func (w Notifications) past(ctx context.Context, key Key) (Past, error) {
	item, err := w.Table.Get(ctx, key, Strong)
	if errors.Is(err, ErrNotFound) {
		return Past{}, nil
	}
	if err != nil {
		return Past{}, fmt.Errorf("read what was seen of %s: %w", strings.TrimPrefix(key.Partition, "SEEN#"), err)
	}
	var past Past
	if json.Unmarshal(item.Data, &past) != nil {
		past = Past{} // malformed: it counts as nothing and is written over, for a refresh must go on
	}
	past.version, past.expires = item.Version, item.Expires
	return past, nil
}

// Leave stores what a refresh saw of a route over the past that it read, and
// leaves the notification of it in place of any earlier: both or neither.
// Without News there is nothing to notify of, and what was left earlier is taken
// back. ErrConflict and ErrExists: another refresh was faster.
func (w Notifications) Leave(
	ctx context.Context, past Past, n Notification, digest []byte, pastExpires time.Time,
) error {
	var ops writes
	seen := over(Item{Key: seenKey(n.Route), Version: past.version, Expires: pastExpires})
	ops.put(seen, Past{Day: n.Day, History: n.History, Digest: digest})
	if len(n.News) > 0 {
		n.Cursor = ""
		ops.put(set(Item{Key: notificationKey(n.Route), Expires: n.Expires}), n)
	} else {
		ops.add(remove(notificationKey(n.Route)))
	}
	return wrap(ops.to(ctx, w.Table), "leave news of %s", n.Route)
}

// notificationDays is for how long a notification is kept: nobody is notified later.
const notificationDays = 9

// IsWrongDay reports whether a day that was stored lies so far after today that a
// wrong clock has stored it, not a process that was faster.
func IsWrongDay(stored, today fare.Day) bool { return stored > today+notificationDays }

// TakeBack removes news of a route that a refresh of a day, or an earlier one,
// has left: it is no longer true. Should it be true again on the same day, it is
// news again. ErrConflict and ErrExists: another refresh was faster.
func (w Notifications) TakeBack(ctx context.Context, route fare.Route, day fare.Day) error {
	past, err := w.Past(ctx, route)
	if err != nil || past.Day > day || len(past.Digest) == 0 {
		return err
	}
	return w.Leave(ctx, past, Notification{Route: route, Day: past.Day, History: past.History}, nil, past.expires)
}

// Next gives the notification after the Place of one, in a fixed order;
// ErrNotFound where there is no more. "" is before all. One that is
// ErrUnreadable is given so that it can be ended with Done, and no more.
func (w Notifications) Next(ctx context.Context, after string) (Notification, error) {
	items, err := w.Table.Query(ctx, Range{Partition: notificationsPartition, After: after, Limit: 1, Read: Strong})
	if err == nil && len(items) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return Notification{}, fmt.Errorf("look for news: %w", err)
	}
	return readNotification(items[0])
}

func readNotification(item Item) (Notification, error) {
	n := Notification{Expires: item.Expires, version: item.Version}
	if err := json.Unmarshal(item.Data, &n); err != nil {
		return Notification{version: item.Version, malformed: item.Sort}, fmt.Errorf(
			"read news of %s: %w: %w", item.Sort, ErrUnreadable, err,
		)
	}
	return n, nil
}

// Advance records that everyone up to the Place of an alert was notified of the news.
// ErrConflict: other news has come in its place.
func (w Notifications) Advance(ctx context.Context, n *Notification, to string) error {
	next := *n
	next.Cursor = to
	op := Op{Mode: Replace, Item: Item{Key: n.key(), Version: n.version, Expires: n.Expires}}
	if err := write(ctx, w.Table, op, next); err != nil {
		return fmt.Errorf("record who was notified of news of %s: %w", n.Route, err)
	}
	next.version++
	*n = next
	return nil
}

// Done removes news that everyone was notified of. Where other news has come in
// its place, that stays, and it is no error.
func (w Notifications) Done(ctx context.Context, n Notification) error {
	err := w.Table.Write(ctx, Op{Mode: Remove, Item: Item{Key: n.key(), Version: n.version}})
	return wrap(unless(err, ErrConflict), "end news of %s", n.Route)
}
