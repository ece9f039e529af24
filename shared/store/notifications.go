package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"verdetto/shared/fare"
)

// Wakes keeps what refreshes saw of watched routes, and the news that
// subscribers have still to be told of.
//
//	SEEN#MIL-BUH   HISTORY   what the last refreshes saw
//	WAKES          MIL-BUH   news, and how far it has been told
type Notifications struct{ Table Table }

// Wake is news of a route that is being told.
type Notification struct {
	Route   fare.Route   `json:"r"`
	Day     fare.Day     `json:"d"` // of the refresh
	News    []byte       `json:"n"`
	History []byte       `json:"h"`           // what the refreshes saw, this one too
	Cursor  SubscriberID `json:"c,omitempty"` // all up to this one have been told
	// Expires is when it is no news any more.
	Expires time.Time `json:"-"`

	version int64
	spoiled string // the sort key of what cannot be made out
}

// Past is what refreshes have seen of a route.
type Past struct {
	Day     fare.Day `json:"d"` // of the last refresh that saw the route
	History []byte   `json:"h"`
	Digest  []byte   `json:"n"` // of the last news; none where it was taken back

	version int64
	expires time.Time
}

const notificationsPartition = "WAKES"

func seenKey(r fare.Route) Key         { return Key{"SEEN#" + r.String(), "HISTORY"} }
func notificationKey(r fare.Route) Key { return Key{notificationsPartition, r.String()} }

// Past gives what refreshes have seen of a route; nothing where none did.
func (w Notifications) Past(ctx context.Context, route fare.Route) (Past, error) {
	item, err := w.Table.Get(ctx, seenKey(route), Strong)
	if errors.Is(err, ErrNotFound) {
		return Past{}, nil
	}
	if err != nil {
		return Past{}, fmt.Errorf("read what was seen of %s: %w", route, err)
	}
	var past Past
	if json.Unmarshal(item.Data, &past) != nil {
		past = Past{} // forgotten, and written over: a refresh must go on
	}
	past.version, past.expires = item.Version, item.Expires
	return past, nil
}

// Leave keeps what a refresh saw of a route over the past that it read, and
// leaves the news of it in place of any earlier: both or neither. Without News
// there is nothing to tell, and what was left earlier is taken back. ErrConflict
// and ErrExists: another refresh was faster.
func (w Notifications) Leave(ctx context.Context, past Past, wake Notification, digest []byte, keep time.Time) error {
	seen := Op{Mode: Replace, Item: Item{Key: seenKey(wake.Route), Version: past.version, Expires: keep}}
	if past.version == 0 {
		seen.Mode = Create
	}
	var err error
	seen.Item.Data, err = json.Marshal(Past{Day: wake.Day, History: wake.History, Digest: digest})
	news := Op{Mode: Delete, Item: Item{Key: notificationKey(wake.Route)}}
	if err == nil && len(wake.News) > 0 {
		wake.Cursor = ""
		news.Mode, news.Item.Expires = Set, wake.Expires
		news.Item.Data, err = json.Marshal(wake)
	}
	if err == nil {
		err = w.Table.Write(ctx, seen, news)
	}
	if err != nil {
		return fmt.Errorf("leave news of %s: %w", wake.Route, err)
	}
	return nil
}

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

// Next gives the news that comes after that of a route, in a fixed order;
// ErrNotFound where there is no more. The zero route is before all. What is
// ErrUnreadable is given so that it can be ended with Done, and no more.
func (w Notifications) Next(ctx context.Context, after fare.Route) (Notification, error) {
	r := Range{Partition: notificationsPartition, Limit: 1, Read: Strong}
	if after != (fare.Route{}) {
		r.After = after.String()
	}
	items, err := w.Table.Query(ctx, r)
	if err == nil && len(items) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return Notification{}, fmt.Errorf("look for news: %w", err)
	}
	return readNotification(items[0])
}

func readNotification(item Item) (Notification, error) {
	wake := Notification{Expires: item.Expires, version: item.Version}
	if err := json.Unmarshal(item.Data, &wake); err != nil {
		return Notification{version: item.Version, spoiled: item.Sort}, fmt.Errorf("read news of %s: %w: %w", item.Sort, ErrUnreadable, err)
	}
	return wake, nil
}

// Advance keeps that everyone up to a subscriber was told of the news.
// ErrConflict: it is not what there is to tell any more.
func (w Notifications) Advance(ctx context.Context, wake *Notification, to SubscriberID) error {
	next := *wake
	next.Cursor = to
	data, err := json.Marshal(next)
	if err == nil {
		err = w.Table.Write(ctx, Op{Mode: Replace, Item: Item{Key: notificationKey(wake.Route), Version: wake.version, Data: data, Expires: wake.Expires}})
	}
	if err != nil {
		return fmt.Errorf("keep how far news of %s was told: %w", wake.Route, err)
	}
	next.version++
	*wake = next
	return nil
}

// Done removes news that everyone was told of. Where other news has come in its
// place, that stays, and it is no error.
func (w Notifications) Done(ctx context.Context, wake Notification) error {
	key := notificationKey(wake.Route)
	if wake.spoiled != "" {
		key.Sort = wake.spoiled
	}
	err := w.Table.Write(ctx, Op{Mode: Remove, Item: Item{Key: key, Version: wake.version}})
	if err != nil && !errors.Is(err, ErrConflict) {
		return fmt.Errorf("end news of %s: %w", wake.Route, err)
	}
	return nil
}
