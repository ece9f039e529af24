package notify

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/store"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/deals"
)

// Alerts to Anywhere are judged when the Sender runs, from the stored deals of the origin.

const maxListed = 10

type originDeals struct {
	origin     fare.City
	day, today fare.Day
	deals      deals.Origin
}

type deal struct {
	to fare.City
	deals.Deal
}

// due returns the deals to send now, cheapest first, and the new value of State.Met. A destination
// in the alert's State.Met is not sent again unless the alert is Fresh.
func (f *originDeals) due(a store.Alert) (due []deal, met string) {
	notified := a.State.Cities()
	if a.Fresh {
		notified = nil
	}
	var kept string
	area, limited := places.AreaOf(a.Area)
	for _, e := range f.deals.Entries {
		if limited && !area.HoldsCity(e.Destination) {
			continue
		}
		was := slices.Contains(notified, string(e.Destination))
		is, known := f.meets(a, e)
		if was && (is != nil || !known) {
			kept += string(e.Destination)
		}
		if is != nil || was && !known {
			met += string(e.Destination)
		}
		if is != nil && !was {
			due = append(due, deal{e.Destination, *is})
		}
	}
	if f.day < a.Paused || f.day < a.Since || a.Mailed > 0 && f.day <= a.Mailed &&
		!store.IsWrongDay(a.Mailed, f.day) || len(due) == 0 {
		return nil, kept
	}
	slices.SortStableFunc(due, func(a, b deal) int { return cmp.Compare(a.Fare.Price, b.Fare.Price) })
	return due, met
}

// If known is false, no current fare fits the alert's trip, or the fare could not be judged.
func (f *originDeals) meets(a store.Alert, e deals.Entry) (is *deals.Deal, known bool) {
	filter := deals.Filter{NonStop: a.Trip.Nonstop, Airlines: a.Trip.Airlines}
	if a.Trip.Month {
		filter.Month = &a.Trip.From
	}
	d, ok := e.Cheapest(f.today, filter)
	level := d.Verdict.Level
	switch {
	case !ok || f.today-fare.DayOf(time.Unix(d.Fare.Found, 0)) > verdict.LiveDays:
		return nil, false
	case a.Threshold > 0 && d.Fare.Price > a.Threshold:
		return nil, true
	case level == verdict.Unjudged:
		return nil, false
	case level != verdict.Great && (level != verdict.Good || a.LeastLevel() == string(verdict.Great)):
		return nil, true
	}
	return &d, true
}

// If no deal is due, concerns removes from State.Met the destinations whose fare no longer meets
// the alert, so that these destinations can be sent again.
func (f *originDeals) concerns(ctx context.Context, r *run, a store.Alert) (bool, error) {
	due, met := f.due(a)
	if len(due) > 0 || met == a.State.Met {
		return len(due) > 0, nil
	}
	return false, r.Alerts.MarkMet(ctx, a, met)
}

// The ID depends on the deals, so that a message with other deals is not dropped as a repetition.
func (f *originDeals) message(a store.Alert, links Links, today fare.Day) Message {
	l := LanguageOf(a)
	due, _ := f.due(a)
	m := Message{
		Language: l.Code, Day: today, Origin: CityName(f.origin, l.Code), More: max(0, len(due)-maxListed),
		List:        links.listOf(a, l),
		Unsubscribe: links.BaseURL + links.Unsubscribe(a.Subscriber, a.Ref()),
		Manage:      links.BaseURL + links.Manage(a.Subscriber, f.day.Time()),
		Snooze:      links.BaseURL + links.Snooze(a.Subscriber, a.Ref()),
	}
	list := sha256.New()
	for i, d := range due {
		fmt.Fprintln(list, d.to, d.Fare.Price, d.Fare.Depart)
		if i < maxListed {
			m.Fares = append(m.Fares, f.fare(a, d, links, l))
		}
	}
	m.ID = messageID(a, f.day) + fmt.Sprintf("%x", list.Sum(nil)[:4])
	return m
}

func (f *originDeals) fare(a store.Alert, d deal, links Links, l *i18n.Language) Fare {
	route, v := fare.Route{Origin: f.origin, Destination: d.to}, d.Verdict
	listed := Fare{
		Route: route, Origin: CityName(f.origin, l.Code), Destination: CityName(d.to, l.Code), Trip: a.Trip,
		Day: f.day, Price: d.Fare.Price, Depart: d.Fare.Depart, Found: time.Unix(d.Fare.Found, 0).UTC(),
		Level: v.Level, Reliability: v.Reliability, Sample: v.Sample, Percentile: v.Percentile, Median: v.Median,
		Page: links.pageOf(news{Route: route}, a, l),
	}
	if ownDay := d.OwnDay; ownDay.Judged() {
		listed.ForDay = judged(ownDay, v.Sample)
	}
	listed.Offer = verdict.Live{Flight: d.Fare.Flight, Stops: d.Fare.Stops}
	listed.Flight = wording.FlightSentence(l, listed.Offer)
	return listed
}
