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

type Notifications struct{ Table Table }

type Notification struct {
	Route   fare.Route `json:"r"`
	Day     fare.Day   `json:"d"`
	News    []byte     `json:"n"`
	History []byte     `json:"h"` // what refreshes found, the latest last
	Cursor  string     `json:"c,omitempty"`
	// Trips marks a notification for alerts to trips or to Anywhere, which has neither News nor History.
	Trips   bool      `json:"t,omitempty"`
	Expires time.Time `json:"-"`

	version   int64
	malformed string
}

type Past struct {
	Day     fare.Day `json:"d"`
	History []byte   `json:"h"`
	Digest  []byte   `json:"n"` // identifies the last news; empty after TakeBack

	version int64
	expires time.Time
}

const notificationsPartition = "WAKES"

func seenKey(r fare.Route) Key         { return Key{"SEEN#" + r.String(), "HISTORY"} }
func notificationKey(r fare.Route) Key { return Notification{Route: r}.key() }

const tripsSort = "#TRIPS"

func (n Notification) key() Key { return Key{notificationsPartition, n.Place()} }

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

func (w Notifications) LeaveTrips(ctx context.Context, route fare.Route, day fare.Day, expires time.Time) error {
	n := Notification{Route: route, Day: day, Trips: true}
	err := write(ctx, w.Table, set(Item{Key: n.key(), Expires: expires}), n)
	return wrap(err, "leave a notification of trips on %s", route)
}

func (w Notifications) PastTrip(ctx context.Context, route fare.Route, t Trip) (Past, error) {
	return w.past(ctx, tripKey(route, t))
}

// If the history changes, KeepTrip fails unless the stored version is that of past.
func (w Notifications) KeepTrip(
	ctx context.Context, past Past, route fare.Route, t Trip, history []byte, expires time.Time,
) error {
	if past.version > 0 && bytes.Equal(past.History, history) {
		return nil
	}
	op := replace(Item{Key: tripKey(route, t), Version: past.version, Expires: expires})
	err := write(ctx, w.Table, op, Past{History: history})
	return wrap(err, "keep what was seen of a trip on %s", route)
}

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
		past = Past{}
	}
	past.version, past.expires = item.Version, item.Expires
	return past, nil
}

// Without News, Put deletes the route's notification. Put fails with ErrConflict or ErrExists if another process wrote
// since past was read.
func (w Notifications) Put(
	ctx context.Context, past Past, n Notification, digest []byte, pastExpires time.Time,
) error {
	var ops writes
	seen := replace(Item{Key: seenKey(n.Route), Version: past.version, Expires: pastExpires})
	ops.addRecord(seen, Past{Day: n.Day, History: n.History, Digest: digest})
	if len(n.News) > 0 {
		n.Cursor = ""
		ops.addRecord(set(Item{Key: notificationKey(n.Route), Expires: n.Expires}), n)
	} else {
		ops.add(remove(notificationKey(n.Route)))
	}
	return wrap(ops.commit(ctx, w.Table), "leave news of %s", n.Route)
}

// IsWrongDay reports whether only a wrong clock can have stored a day.
func IsWrongDay(stored, today fare.Day) bool { return stored > today+9 }

// TakeBack deletes the route's notification, unless Put has been called for a later day.
func (w Notifications) TakeBack(ctx context.Context, route fare.Route, day fare.Day) error {
	past, err := w.Past(ctx, route)
	if err != nil || past.Day > day || len(past.Digest) == 0 {
		return err
	}
	return w.Put(ctx, past, Notification{Route: route, Day: past.Day, History: past.History}, nil, past.expires)
}

// With ErrUnreadable, Next returns a malformed notification, for which only Place and Delete may be used.
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

// Advance fails with ErrConflict if a refresh has replaced the notification meanwhile.
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

// Delete does nothing if a refresh has replaced the notification meanwhile.
func (w Notifications) Delete(ctx context.Context, n Notification) error {
	err := w.Table.Write(ctx, Op{Mode: Remove, Item: Item{Key: n.key(), Version: n.version}})
	return wrap(unless(err, ErrConflict), "end news of %s", n.Route)
}
