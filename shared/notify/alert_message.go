package notify

import (
	"fmt"
	"sync"
	"time"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
	"verdetto/shared/verdict"
)

type look struct {
	news    news
	history history
	picture func() ([]byte, error)
	ahead   func() *verdict.Judgement
	from    *originDeals // if set, the alert is to Anywhere and the other fields are empty
}

func (l *look) due(a store.Alert) bool {
	if l.from != nil {
		due, _ := l.from.due(a)
		return len(due) > 0
	}
	due, _ := dueOf(a, l.history)
	return due
}

func newLook(found news, h history) *look {
	picture := sync.OnceValues(func() ([]byte, error) {
		if found.tooFew() {
			return nil, nil
		}
		return drawPicture(found)
	})
	return &look{news: found, history: h, picture: picture, ahead: func() *verdict.Judgement { return found.ahead }}
}

func (n *look) message(a store.Alert, links Links, today fare.Day) (Message, error) {
	if n.from != nil {
		return n.from.message(a, links, today), nil
	}
	l, found := LanguageOf(a), n.news
	picture, err := n.picture()
	if err != nil {
		return Message{}, fmt.Errorf("%w: %w", ErrUnwritable, err)
	}
	f := links.fareOf(found, n.ahead(), a, l)
	f.Before, f.LastDay = before(a, n.history)
	f.Known = known(a, n.history)
	if a.Kind == store.Low {
		f.Lowest = found.lowest(fare.Day(a.Days), n.history)
	}
	return Message{
		ID: messageID(a, found.Day), Language: l.Code, Day: today, Fares: []Fare{f},
		Picture:     mail.Picture{PNG: picture, Width: pictureWidth, Height: pictureHeight, Weeks: found.drawn()},
		Unsubscribe: links.BaseURL + links.Unsubscribe(a.Subscriber, a.Ref()),
		Manage:      links.BaseURL + links.Manage(a.Subscriber, found.Day.Time()),
		Snooze:      links.BaseURL + links.Snooze(a.Subscriber, a.Ref()),
	}, nil
}

func (l Links) fareOf(n news, ahead *verdict.Judgement, a store.Alert, in *i18n.Language) Fare {
	f := Fare{
		Route: n.Route, Trip: a.Trip, Day: n.Day, Price: n.Price, Depart: n.Depart, Return: n.Return,
		Flight: wording.FlightSentence(in, n.fare()), Offer: n.fare(), Found: time.Unix(n.Found, 0).UTC(),
		Level: n.Level, Reliability: n.Reliability, Percentile: n.Percentile, Sample: n.Sample,
		Median: n.Median, Minimum: n.Minimum,
		Page: l.pageOf(n, a, in),
	}
	f.Origin, f.Destination = ends(n.Route, a.Trip, in.Code)
	return f.lookingAhead(ahead, in)
}

func (n news) fare() verdict.Live {
	l := verdict.Live{Depart: n.Depart, Price: n.Price, Found: n.Found, Flight: n.Flight, Stops: n.Stops}
	if n.Return > 0 {
		l.Nights = int16(n.Return - n.Depart)
	}
	return l
}

func ending(a store.Alert, links Links, today fare.Day) Message {
	l := i18n.ForCode(a.Language)
	from, to := names(a, l.Code)
	return Message{
		ID: "end-" + messageID(a, a.Trip.To), Language: l.Code, Ended: true,
		Fares: []Fare{{
			Route: a.Route, Origin: from, Destination: to, Trip: a.Trip, Day: today,
		}},
		Unsubscribe: links.BaseURL + links.Unsubscribe(a.Subscriber, a.Ref()),
		Manage:      links.BaseURL + links.Manage(a.Subscriber, a.Trip.To.Time()),
	}
}
