package refresh

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"verdetto/shared/alertlink"
	"verdetto/shared/fare"
	"verdetto/shared/i18n"
	"verdetto/shared/mail"
	"verdetto/shared/places"
	"verdetto/shared/store"
	"verdetto/shared/watch"
)

// telling is a piece of news on its way to many.
type telling struct {
	wake    store.Notification
	news    watch.News
	history watch.History
	picture mail.Picture
}

func (r *run) telling(wake store.Notification) (*telling, error) {
	t := &telling{wake: wake}
	var faults [3]error
	t.news, faults[0] = watch.Decode(wake.News)
	t.history, faults[1] = watch.DecodeHistory(wake.History)
	t.picture.PNG, faults[2] = watch.Picture(t.news)
	t.picture.Width, t.picture.Height, t.picture.Weeks = watch.PictureWidth, watch.PictureHeight, watch.Weeks
	return t, errors.Join(faults[:]...)
}

// message writes the mail for a subscriber.
func (r *run) message(t *telling, a store.Alert) (mail.Message, error) {
	lang := i18n.In(a.Language).Code
	n, route := t.news, t.news.Route
	return mail.AlertMail(mail.Alert{
		ID: messageID(a.Subscriber, route, n.Day), To: a.Email, Lang: lang,
		Origin: nameOf(route.Origin, lang), Destination: nameOf(route.Destination, lang),
		Price: n.Price, Depart: n.Depart, Found: time.Unix(n.Found, 0).UTC(),
		Level: n.Level, Reliability: n.Reliability, Percentile: n.Percentile, Sample: n.Sample,
		Median: n.Median, Minimum: n.Minimum, Threshold: a.Threshold, Picture: t.picture,
		Unsubscribe: r.BaseURL + "/v1/alerts/unsubscribe?t=" + alertlink.Sign(r.Pepper, alertlink.Unsubscribe, string(a.Subscriber), route.String()),
		Manage:      r.BaseURL + "/v1/alerts/manage?t=" + alertlink.Sign(r.Pepper, alertlink.Manage, string(a.Subscriber), ""),
	})
}

func nameOf(city fare.City, lang string) string {
	if name := places.Name(city, lang); name != "" {
		return name
	}
	return string(city)
}

// messageID is the same for the same news to the same subscriber, whichever process sends it.
func messageID(s store.SubscriberID, route fare.Route, day fare.Day) string {
	sum := sha256.Sum256([]byte("alert\x00" + string(s) + "\x00" + route.String() + "\x00" + day.String()))
	return fmt.Sprintf("%s-%s-%x", day.Time().Format("20060102"), route, sum[:16])
}

const (
	tries   = 6
	backoff = time.Second // and twice as long each time
	// enough postponed in a row, or refused: the carrier or we are at fault, not
	// they, who have all had mail from us before.
	enough = 5
)

// one tells one subscriber. It is not settled where neither the mail was sent
// nor is there a reason not to; an error stops everything.
func (r *run) one(ctx context.Context, t *telling, listed store.Alert) (settled bool, err error) {
	for try := range tries {
		if err := r.pace.wait(ctx); err != nil {
			return false, context.Cause(ctx)
		}
		if err := r.hold(ctx); err != nil {
			return false, err
		}
		// As it stands now: it may have been changed, removed or told of since the page was read.
		a, err := r.Alerts.One(ctx, listed.Route, listed.Subscriber)
		if errors.Is(err, store.ErrNotFound) || err == nil && !t.wakes(a) {
			return true, nil
		}
		var stopped bool
		if err == nil {
			stopped, err = r.Alerts.Stopped(ctx, a.Subscriber)
		}
		if err != nil || stopped {
			return stopped, err
		}
		message, err := r.message(t, a)
		if err != nil {
			r.fault(ctx, fmt.Errorf("tell of %s: %w", listed.Route, err))
			return true, nil // trying again would not make it right; the next refresh has another
		}
		if again, err := r.send(ctx, t, a, message); !again {
			return err == nil, err
		}
		r.pace.back(backoff << try)
	}
	return false, r.postponed(ctx, listed.Route)
}

// send hands the message over and keeps what became of it, also where the time
// for more is over meanwhile. again: it was not sent, or perhaps not.
func (r *run) send(ctx context.Context, t *telling, a store.Alert, m mail.Message) (again bool, err error) {
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.reserve())
	defer cancel()
	switch err := r.Mail.Send(last, m); {
	case err == nil:
		if err := r.firmly(last, func() error { return r.Alerts.MarkNotified(last, a, t.wake.Day) }); err != nil {
			return false, err
		}
		r.sent()
	case errors.Is(err, mail.ErrRefused):
		r.Log.WarnContext(ctx, "mail refused for good", "route", a.Route.String(), "error", err)
		if err := r.firmly(last, func() error { return r.Alerts.Stop(last, a.Subscriber, r.Now().Add(stopFor)) }); err != nil {
			return false, err
		}
		return false, r.refused(a.Route)
	case errors.Is(err, mail.ErrBlocked):
		return false, err
	default: // throttled, or nobody knows
		r.Log.WarnContext(ctx, "mail is tried again", "route", a.Route.String(), "error", err)
		return true, nil
	}
	return false, nil
}

// firmly does a write that must not be left undone, a few times over.
func (r *run) firmly(ctx context.Context, write func() error) (err error) {
	for try := range 3 {
		if try > 0 && r.pace.sleep(ctx, backoff/4<<try) != nil {
			return err
		}
		if err = write(); err == nil {
			return nil
		}
	}
	return err
}

func (r *run) sent() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report.Sent++
	r.postponedInARow, r.refusedInARow = 0, 0
}

// refused counts somebody who will never be told. Where it is not one but everyone, it is an error.
func (r *run) refused(route fare.Route) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report.Refused++
	if r.refusedInARow++; r.refusedInARow < enough {
		return nil
	}
	return fmt.Errorf("tell of %s: %w for good to %d subscribers in a row", route, mail.ErrRefused, enough)
}

// postponed counts somebody for the next Work, and is an error likewise.
func (r *run) postponed(ctx context.Context, route fare.Route) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report.Postponed++
	if r.postponedInARow++; r.postponedInARow < enough {
		r.Log.WarnContext(ctx, "mail postponed", "route", route.String())
		return nil
	}
	return fmt.Errorf("tell of %s: %w %d times over, for %d subscribers in a row", route, mail.ErrThrottled, tries, enough)
}
