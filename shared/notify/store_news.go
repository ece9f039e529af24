package notify

import (
	"bytes"
	"context"
	"crypto/sha256"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
)

// StoreNews reports whether it stored news. If there is no current fare, earlier news is deleted.
// StoreNews is idempotent within a day.
func StoreNews(ctx context.Context, notifications store.Notifications, route fare.Route, summary verdict.RouteSummary,
	today fare.Day) (left bool, err error) {
	if summary.AsOf > today {
		return false, nil // a later refresh is already stored
	}
	found, live := newsOf(route, summary, today)
	err = store.RetryConflicts(ctx, func() (err error) {
		if !live {
			return notifications.TakeBack(ctx, route, today)
		}
		left, err = storeNews(ctx, notifications, found, lowFor(summary, today))
		return err
	})
	return left, err
}

func storeNews(ctx context.Context, notifications store.Notifications, found news, low fare.Day) (bool, error) {
	past, err := notifications.Past(ctx, found.Route)
	if err != nil {
		return false, err
	}
	encoded := found.encode()
	digest := sha256.Sum256(encoded)
	if past.Day > found.Day && !store.IsWrongDay(past.Day, found.Day) || past.Day == found.Day &&
		bytes.Equal(past.Digest, digest[:8]) {
		return false, nil
	}
	// A malformed history counts as empty, so that the refresh continues.
	h, _ := decodeHistory(past.History)
	seen := found.observation()
	seen.Low = low
	n := store.Notification{
		Route: found.Route, Day: found.Day, News: encoded, History: h.add(seen).encode(),
		Expires: (found.Day + verdict.LiveDays + 1).Time(),
	}
	if found.Level == verdict.Unjudged {
		n.News = nil
	}
	if err := notifications.Put(ctx, past, n, digest[:8], (found.Day + verdict.HistoryDays).Time()); err != nil {
		return false, err
	}
	return len(n.News) > 0, nil
}
