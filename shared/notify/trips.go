package notify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
)

type notification struct {
	stored store.Notification
	look   *look // nil if stored.Trips is true
	// In trips, a nil value means that there is nothing to send. Alerts to Anywhere have the zero
	// Trip as key.
	trips map[store.Trip]*look
}

func open(stored store.Notification) (*notification, error) {
	n := &notification{stored: stored}
	if stored.Trips {
		n.trips = map[store.Trip]*look{}
		return n, nil
	}
	found, err := decodeNews(stored.News)
	h, fault := decodeHistory(stored.History)
	n.look = newLook(found, h)
	return n, errors.Join(err, fault)
}

// lookFor returns nil if there is nothing to send.
func (r *run) lookFor(ctx context.Context, n *notification, a store.Alert) (*look, error) {
	trip, judge := a.Trip, r.judge
	switch {
	case n.stored.Route.Destination == store.Anywhere:
		trip, judge = store.Trip{}, func(ctx context.Context, stored store.Notification, _ store.Trip) (*look, error) {
			return r.lookFrom(ctx, stored)
		}
	case n.stored.Trips != (a.Trip != store.Trip{}):
		return nil, nil // alerts with a Trip have a notification of their own
	case !n.stored.Trips:
		return n.look, nil
	}
	if l, judged := n.trips[trip]; judged {
		return l, nil
	}
	l, err := judge(ctx, n.stored, trip)
	if err == nil {
		n.trips[trip] = l
	}
	return l, err
}

func (r *run) lookFrom(ctx context.Context, stored store.Notification) (*look, error) {
	f := &originDeals{origin: stored.Route.Origin, day: stored.Day, today: fare.DayOf(r.Now())}
	if f.day < f.today-verdict.LiveDays {
		return nil, nil
	}
	var err error
	f.deals, _, err = store.Fares{Table: r.Notifications.Table}.DealsNow(ctx, f.origin, fare.OneWay)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read deals of %s: %w", f.origin, err)
	}
	return &look{from: f}, nil
}

// judge stores the result in the trip's history before any subscriber is notified.
func (r *run) judge(ctx context.Context, stored store.Notification, trip store.Trip) (*look, error) {
	if stored.Day < fare.DayOf(r.Now())-verdict.LiveDays {
		return nil, nil
	}
	found, ok, err := r.found(ctx, stored.Route, trip)
	if err != nil || !ok {
		return nil, err
	}
	found.Day = stored.Day
	past, err := r.Notifications.PastTrip(ctx, stored.Route, trip)
	if err != nil {
		return nil, err
	}
	h, _ := decodeHistory(past.History)
	seen := found.observation()
	seen.Low = h.lowFor(seen)
	h = h.add(seen)
	if h[len(h)-1].Day != seen.Day {
		return nil, nil
	}
	if err := r.Notifications.KeepTrip(ctx, past, stored.Route, trip, h.encode(),
		(stored.Day + verdict.HistoryDays).Time()); err != nil {
		return nil, err
	}
	for _, e := range h {
		found.low(e.Day, e.Price)
	}
	return newLook(found, h), nil
}

func (r *run) found(ctx context.Context, route fare.Route, trip store.Trip) (news, bool, error) {
	q := answer.Question{
		From: answer.Code(cmp.Or(trip.Airports.From.String(), string(route.Origin))),
		To:   answer.Code(cmp.Or(trip.Airports.To.String(), string(route.Destination))),
		Trip: trip.Nights, NonStop: trip.Nonstop, Airlines: trip.Airlines,
	}
	var cheapest *verdict.Live
	var err error
	switch month := departure.Month; {
	case trip.From == 0:
	case trip.Month:
		q.When = &answer.When{When: verdict.When{Date: trip.To, Span: &month}}
	case trip.From == trip.To:
		q.When = &answer.When{When: verdict.When{Date: trip.From}}
	default:
		if cheapest, err = r.cheapestWithin(ctx, &q, trip); cheapest == nil {
			return news{}, false, unlessNoFare(err)
		}
	}
	a, err := r.answers.Answer(ctx, q)
	if err != nil {
		return news{}, false, unlessNoFare(err)
	}
	if a.Series.Airports != trip.Airports {
		return news{}, false, nil // the answer is not about the airports of the trip
	}
	if cheapest == nil {
		cheapest = &a.Judgement.Fare
	}
	n := newsOfFare(route, *cheapest, a.Judgement.Verdict)
	n.Return = cheapest.Return()
	q.When, q.Price = &answer.When{When: verdict.When{Date: n.Depart}, Back: n.Return}, nil
	if n.ahead, err = lookAhead(ctx, r.answers, q, n.Price); err != nil {
		return n, false, err
	}
	// The level of a period must not be better than the level of the fare on the day of departure.
	if n.ahead != nil && trip.From > 0 && n.Level.Place() < n.ahead.Verdict.Level.Place() && n.Level.Place() >= 0 {
		n.Level = n.ahead.Verdict.Level
	}
	return n, true, nil
}

// cheapestWithin returns nil if no day of the trip has a fare. It changes q so that the fare is
// compared with the cheapest fares of periods of similar length.
func (r *run) cheapestWithin(ctx context.Context, q *answer.Question, trip store.Trip) (*verdict.Live, error) {
	first := max(trip.From, fare.DayOf(r.Now()))
	_, c, err := r.answers.Calendar(ctx, *q, true)
	if err != nil {
		return nil, err
	}
	all := slices.DeleteFunc(c.Days, func(d verdict.Day) bool { return d.Fare.Depart < first || d.Fare.Depart > trip.To })
	if len(all) == 0 {
		return nil, nil
	}
	cheapest := slices.MinFunc(all, func(a, b verdict.Day) int { return cmp.Compare(a.Fare.Price, b.Fare.Price) }).Fare
	q.When = &answer.When{When: verdict.When{Date: first + (trip.To-first)/2, Span: spanOf(trip.To - first + 1)}}
	quoted := verdict.Quoted(cheapest)
	q.Price = &answer.Price{Amount: float64(quoted.Amount) / 100, Currency: quoted.Currency.String()}
	return &cheapest, nil
}

// spanOf returns the kind of period with the closest length, or nil for a single day.
func spanOf(days fare.Day) *departure.Span {
	lengths := []struct {
		span departure.Span
		days fare.Day
	}{{departure.Within1, 3}, {departure.Within3, 7}, {departure.Within7, 15}, {departure.Month, 30}}
	away := func(n fare.Day) fare.Day { return max(n-days, days-n) }
	nearest := lengths[0]
	for _, l := range lengths {
		if away(l.days) < away(nearest.days) {
			nearest = l
		}
	}
	if away(1) < away(nearest.days) {
		return nil
	}
	return &nearest.span
}

func unlessNoFare(err error) error {
	if answer.Why(err) != nil || errors.As(err, new(*answer.UnknownCity)) {
		return nil //nolint:nilerr // that no fare is known is a valid result
	}
	return err
}
