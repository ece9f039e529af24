package refresh

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
	"verdetto/shared/watch"
)

// wake leaves news of the watched routes from an origin that was asked and whose
// answer is stored. sheets are those that this refresh has made. It says for how
// many routes there is something new to tell.
func (r *Refresher) wake(ctx context.Context, origin fare.City, watched []fare.City, sheets map[fare.City]verdict.RouteSummary, today fare.Day) (woken int, err error) {
	var faults []error
	for _, destination := range watched {
		route := fare.Route{Origin: origin, Destination: destination}
		is, err := r.wakeRoute(ctx, route, sheets[destination], today)
		if err != nil {
			faults = append(faults, err)
		}
		if is {
			woken++
		}
	}
	return woken, errors.Join(faults...)
}

// wakeRoute leaves news of one route, once: what a refresh of the same day has
// seen just so is not left again. A refresh that was killed before it got here
// has not said that the origin was asked, so the next one comes here again.
func (r *Refresher) wakeRoute(ctx context.Context, route fare.Route, sheet verdict.RouteSummary, today fare.Day) (woken bool, err error) {
	wakes := store.Notifications{Table: r.Fares.Table}
	if sheet.AsOf > today {
		return false, nil // a later refresh knows more
	}
	news, live := watch.Look(route, sheet, today)
	for range attempts {
		if live {
			woken, err = r.leave(ctx, wakes, news)
		} else {
			err = wakes.TakeBack(ctx, route, today)
		}
		if !errors.Is(err, store.ErrConflict) && !errors.Is(err, store.ErrExists) {
			return woken, err
		}
	}
	return woken, err
}

func (r *Refresher) leave(ctx context.Context, wakes store.Notifications, news watch.News) (bool, error) {
	past, err := wakes.Past(ctx, news.Route)
	if err != nil {
		return false, err
	}
	told := news.Encode()
	digest := sha256.Sum256(told)
	if past.Day > news.Day || past.Day == news.Day && bytes.Equal(past.Digest, digest[:8]) {
		return false, nil
	}
	// What cannot be read is forgotten: a refresh must go on, and an alert that was
	// told of then waits until a refresh sees the fare above again.
	history, _ := watch.DecodeHistory(past.History)
	wake := store.Notification{Route: news.Route, Day: news.Day, News: told, Expires: (news.Day + verdict.LiveDays + 1).Time()}
	wake.History = history.Add(news.Seen()).Encode()
	if news.Level == verdict.Insufficient {
		wake.News = nil
	}
	if err := wakes.Leave(ctx, past, wake, digest[:8], (news.Day + verdict.HistoryDays).Time()); err != nil {
		return false, fmt.Errorf("wake %s: %w", news.Route, err)
	}
	return len(wake.News) > 0, nil
}
