package notify

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/text/i18n"
	"verdetto/shared/verdict"
)

// Alerts with Digest set are sent in one mail a week, on a weekday computed from the subscriber's
// pseudonym. A digest that is more than 6 days late is skipped.

const (
	digestHour = 8 // UTC
	maxJudged  = 10_000
)

func (r *run) digests(ctx context.Context) error {
	kept := store.Digests{Table: r.Notifications.Table}
	progress, err := kept.Progress(ctx)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	last := fare.DayOf(r.Now().Add(-digestHour * time.Hour))
	if progress.Day == 0 {
		return kept.Advance(ctx, &progress, last, "")
	}
	if store.IsWrongDay(progress.Day, last) { // a day may be repeated: each Digest holds the day of its last mail
		progress.Day, progress.Cursor = last-1, ""
	}
	if progress.Day < last-7 {
		progress.Day, progress.Cursor = last-7, ""
	}
	w := &weekly{run: r, kept: kept, progress: &progress, judged: map[routeTrip]func() (*judgedTrip, error){}}
	complete := true
	for day := progress.Day + 1; day <= last; day++ {
		settled, err := w.day(ctx, day)
		if err != nil {
			return err
		}
		if complete = complete && settled; complete {
			if err := kept.Advance(ctx, &progress, day, ""); err != nil {
				return err
			}
		}
	}
	if !complete {
		r.result.More = true
	}
	return nil
}

type weekly struct {
	*run
	kept     store.Digests
	progress *store.DigestProgress

	judging sync.Mutex
	judged  map[routeTrip]func() (*judgedTrip, error)
}

// If settled is false, the next call of Work must try this day again.
func (w *weekly) day(ctx context.Context, day fare.Day) (settled bool, err error) {
	first, settled := day == w.progress.Day+1, true
	at := ""
	if first {
		at = w.progress.Cursor
	}
	for {
		if err := w.hold(ctx); err != nil {
			return false, err
		}
		page, err := w.kept.Page(ctx, day.Time().Weekday(), at, pageSize)
		if err != nil {
			return false, err
		}
		all, err := w.page(ctx, day, page)
		if err != nil {
			return false, err
		}
		settled = settled && all
		if len(page) < pageSize {
			return settled, nil
		}
		at = string(page[len(page)-1].Subscriber)
		if first && settled {
			if err := w.kept.Advance(ctx, w.progress, day-1, at); err != nil {
				return false, err
			}
		}
	}
}

func (w *weekly) page(ctx context.Context, day fare.Day, page []store.Digest) (settled bool, err error) {
	if len(w.judged) > maxJudged {
		clear(w.judged)
	}
	by, b := w.channel(""), batch{run: w.run}
	for _, d := range page {
		if d.Day >= day && !store.IsWrongDay(d.Day, day) {
			continue
		}
		begun := b.send(ctx, by, func() (bool, error) {
			return w.carry(ctx, by, "what is watched", func() (*parcel, error) { return w.parcel(ctx, d, day) })
		})
		if !begun || ctx.Err() != nil {
			break
		}
	}
	return b.wait(ctx)
}

func (w *weekly) parcel(ctx context.Context, d store.Digest, day fare.Day) (*parcel, error) {
	today := fare.DayOf(w.Now())
	alerts, err := w.Alerts.BySubscriber(ctx, d.Subscriber)
	if errors.Is(err, store.ErrUnreadable) {
		w.fault(ctx, fmt.Errorf("write a digest of %s: %w", d.Subscriber, err))
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	alerts = slices.DeleteFunc(alerts, func(a store.Alert) bool {
		return !a.Digest || !a.MayDigest() || a.PausedOn(today) || a.Trip.HasPassed(today)
	})
	if len(alerts) == 0 {
		return nil, nil
	}
	if stopped, err := w.Alerts.Stopped(ctx, d.Subscriber); stopped || err != nil {
		return nil, err
	}
	lines := make([]digestLine, len(alerts))
	prices := map[string]fare.Cents{}
	for i, a := range alerts {
		if lines[i], err = w.line(ctx, a, d.Prices[a.Ref().String()]); err != nil {
			return nil, err
		}
		if price := cmp.Or(lines[i].price, lines[i].before); price > 0 {
			prices[a.Ref().String()] = price
		}
	}
	return &parcel{
		to: d.Subscriber,
		hand: func(ctx context.Context) error {
			m, err := w.Links.digestMail(d.Subscriber, day, today, lines)
			if err != nil {
				return fmt.Errorf("%w: %w", ErrUnwritable, err)
			}
			return w.Mail.Send(ctx, m)
		},
		settle: func(ctx context.Context) error { return w.kept.MarkSent(ctx, d, day, prices) },
	}, nil
}

type digestLine struct {
	alert  store.Alert
	found  news
	price  fare.Cents
	before fare.Cents // last price in an earlier digest, or 0
	met    bool
}

// Alerts of kind Drop or Change compare the fare with the parameter before. If before is 0, they
// compare the fare with the price in the alert's State.
func (w *weekly) line(ctx context.Context, a store.Alert, before fare.Cents) (digestLine, error) {
	l := digestLine{alert: a, found: news{Route: a.Route, Depart: a.Trip.From}, before: before}
	judged, err := w.judgedOf(ctx, routeTrip{a.Route, a.Trip})
	if err != nil || judged == nil {
		return l, err
	}
	l.found, l.price = judged.found, judged.found.Price
	seen := judged.found.observation()
	if a.Kind == store.Low {
		past, err := judged.past()
		if err != nil {
			return l, err
		}
		seen.Low = past.lowThisWeek(seen)
	}
	l.met = watchOf(a).meets(State{Price: cmp.Or(before, stateOf(a).Price)}, seen)
	return l, nil
}

type routeTrip struct {
	route fare.Route
	trip  store.Trip
}

type judgedTrip struct {
	found news
	past  func() (history, error)
}

// judgedOf caches results but not errors, and returns nil if no fare fits the trip.
func (w *weekly) judgedOf(ctx context.Context, trip routeTrip) (*judgedTrip, error) {
	w.judging.Lock()
	judge := w.judged[trip]
	if judge == nil {
		judge = sync.OnceValues(func() (*judgedTrip, error) { return w.judgeToday(ctx, trip) })
		w.judged[trip] = judge
	}
	w.judging.Unlock()
	found, err := judge()
	if err != nil {
		w.judging.Lock()
		delete(w.judged, trip)
		w.judging.Unlock()
	}
	return found, err
}

func (w *weekly) judgeToday(ctx context.Context, trip routeTrip) (*judgedTrip, error) {
	found, ok, err := w.found(ctx, trip.route, trip.trip)
	if err != nil || !ok {
		return nil, err
	}
	found.Day = fare.DayOf(w.Now())
	past := sync.OnceValues(func() (history, error) {
		read := w.Notifications.Past
		if trip.trip != (store.Trip{}) {
			read = func(ctx context.Context, r fare.Route) (store.Past, error) {
				return w.Notifications.PastTrip(ctx, r, trip.trip)
			}
		}
		past, err := read(ctx, trip.route)
		h, _ := decodeHistory(past.History)
		return h, err
	})
	return &judgedTrip{found, past}, nil
}

func (l Links) digestMail(s store.SubscriberID, day, today fare.Day, lines []digestLine) (mail.Message, error) {
	latest := slices.MaxFunc(lines, func(a, b digestLine) int {
		return cmp.Compare(a.alert.RequestDay,
			b.alert.RequestDay)
	}).alert
	lang := i18n.ForCode(latest.Language)
	slices.SortStableFunc(lines, func(a, b digestLine) int { return cmp.Compare(a.rank(), b.rank()) })
	latest.Language = lang.Code
	d := mailed{To: latest, T: lang, M: Message{Day: today,
		Manage: l.BaseURL + l.Manage(s, today.Time()), Unsubscribe: l.BaseURL + l.EndDigest(s)}}
	links, met := []string{d.M.Manage, d.M.Unsubscribe}, 0
	for _, line := range lines {
		a := line.alert
		a.Language = lang.Code
		in := LanguageOf(a)
		row := mailed{Fare: l.fareOf(line.found, line.found.ahead, a, in), To: a, T: in, Met: line.met, M: Message{Day: today,
			Unsubscribe: l.BaseURL + l.Unsubscribe(s, a.Ref()), Snooze: l.BaseURL + l.Snooze(s, a.Ref())}}
		row.Price, row.Before = line.price, line.before
		if row.Met {
			met++
		}
		d.Rows, links = append(d.Rows, row), append(links, row.Page, row.M.Unsubscribe, row.M.Snooze)
	}
	d.Subject = lang.Text("mail.digest.subject")
	if met > 0 {
		d.Subject = lang.Text("mail.digest.subject_met", "Met", met, "All", len(lines))
	}
	return mail.Write("digest", mail.Message{ID: digestID(s, day), To: latest.Email, Subject: d.Subject, Tag: mail.AlertTag,
		Unsubscribe: d.M.Unsubscribe}, links, d)
}

func (v mailed) WeekdayText() string { return v.T.Weekday(store.DigestWeekday(v.To.Subscriber)) }

func (l digestLine) rank() int {
	const unjudged, none = 101, 102 // above every percentile, which is at most 100
	rank := l.found.Percentile
	switch {
	case l.price == 0:
		rank = none
	case l.found.Level == verdict.Unjudged:
		rank = unjudged
	}
	if !l.met {
		rank += none + 1
	}
	return rank
}

// digestID depends only on subscriber and day, so that a retry uses the same ID.
func digestID(s store.SubscriberID, day fare.Day) string {
	sum := sha256.Sum256([]byte("digest\x00" + string(s) + "\x00" + day.String()))
	return fmt.Sprintf("digest-%s-%x", day.Time().Format("20060102"), sum[:16])
}
