package notify

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/fare"
	"verdetto/shared/fare/airlines"
	"verdetto/shared/fare/places"
	"verdetto/shared/store"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
	"verdetto/shared/verdict"
)

// notification is a decoded notification, with the looks composed from it.
type notification struct {
	stored store.Notification
	look   *look // data for the route's messages; nil if alerts are judged when they are sent
	// trips holds the looks composed so far; nil means that there is nothing to send. The zero Trip
	// holds the look for alerts to Anywhere.
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

// newLook returns a look whose messages share one picture, which is drawn once.
func newLook(found news, h history) *look {
	picture := sync.OnceValues(func() ([]byte, error) {
		if found.tooFew() {
			return nil, nil
		}
		return drawPicture(found)
	})
	return &look{news: found, history: h, picture: picture, ahead: func() outlook { return found.ahead }}
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

// fareOf describes the fare of the news in the language of an alert.
func (l Links) fareOf(n news, ahead outlook, a store.Alert, in *i18n.Language) Fare {
	f := Fare{
		Route: n.Route, Trip: a.Trip, Day: n.Day, Price: n.Price, Depart: n.Depart, Return: n.Return,
		Flight: wording.FlightSentence(in, n.fare()), Facts: factsOf(n.fare()), Found: time.Unix(n.Found, 0).UTC(),
		Level: n.Level, Reliability: n.Reliability, Percentile: n.Percentile, Sample: n.Sample,
		Median: n.Median, Minimum: n.Minimum,
		ForDay: ahead.judged(), Departure: ahead.departure(in), Waits: ahead.waits(in), Expected: ahead.expected(),
		Page: l.pageOf(n, a, in),
	}
	f.Origin, f.Destination = ends(n.Route, a.Trip, in.Code)
	return f
}

func factsOf(of verdict.Live) (f Facts) {
	flight := of.Flight
	if stops, known := of.Stops.Number(); known && flight.Known() {
		f.Stops = &stops
	}
	if flight.From != (fare.Airport{}) || flight.To != (fare.Airport{}) {
		f.Airports = &Airports{flight.From.String(), flight.To.String()}
	}
	if flight.Airline != (fare.Airline{}) {
		f.Airline = &Airline{flight.Airline.String(), airlines.Name(flight.Airline)}
	}
	if minutes := int(flight.Minutes); minutes > 0 {
		f.Minutes = &minutes
	}
	return f
}

// fare returns the fare of the news, whose price is in EUR cents.
func (n news) fare() verdict.Live {
	l := verdict.Live{Depart: n.Depart, Price: n.Price, Found: n.Found, Flight: n.Flight, Stops: n.Stops}
	if n.Return > 0 {
		l.Nights = int16(n.Return - n.Depart)
	}
	return l
}

// ending composes the message that an alert has ended because all its departure dates have passed.
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

// confirmMail composes the mail that asks the reader to confirm a pending alert.
func confirmMail(pending store.Alert, id string, links Links) (mail.Message, error) {
	lang := i18n.ForCode(pending.Language).Code
	from, to := names(pending, lang)
	host := ""
	if u, err := url.Parse(pending.Address); err == nil && pending.Channel == store.Webhook {
		host = u.Hostname() // the path may be secret
	}
	return mail.ConfirmMail(mail.Confirm{
		Host: host,
		To:   pending.Email, Lang: lang, Threshold: pending.Threshold, When: When(pending, i18n.ForCode(lang)),
		Trip: TripText(pending.Trip, i18n.ForCode(lang)), Link: links.BaseURL + links.Confirm(id),
		Stop:   links.BaseURL + links.Requests(links.Mailbox(pending.Email)),
		Origin: from, Destination: to,
	})
}

func manageMail(a store.Alert, links Links, now time.Time) (mail.Message, error) {
	return mail.AlertsMail(mail.AlertsLink{
		To: a.Email, Lang: i18n.ForCode(a.Language).Code, Days: ManageDays,
		Link: links.BaseURL + links.Manage(a.Subscriber, now),
		Stop: links.BaseURL + links.Requests(links.Mailbox(a.Email)),
	})
}

// names returns the names of the two ends of an alert: cities, the airports of its trip, an area,
// or the word for anywhere.
func names(a store.Alert, lang string) (from, to string) {
	from, to = ends(a.Route, a.Trip, lang)
	if area, ok := places.AreaOf(a.Area); ok {
		to = area.NameIn(lang)
	}
	return from, to
}

// RouteName returns the names of the two ends of an alert, with a dash between them.
func RouteName(a store.Alert, lang string) string {
	from, to := names(a, lang)
	return from + "–" + to
}

// ends returns the names of the two ends of a fare: cities, or the airports of a trip.
func ends(route fare.Route, trip store.Trip, lang string) (from, to string) {
	name := func(city fare.City, a fare.Airport) string {
		if a != (fare.Airport{}) {
			return places.AirportName(a.String(), lang)
		}
		return CityName(city, lang)
	}
	return name(route.Origin, trip.Airports.From), name(route.Destination, trip.Airports.To)
}

// CityName returns the name of a city in a language, or its code if the city is not in the tables
// any more. For Anywhere it returns the word for it.
func CityName(city fare.City, lang string) string {
	if city == store.Anywhere {
		return i18n.ForCode(lang).Text("alerts.anywhere")
	}
	if name := places.Name(city, lang); name != "" {
		return name
	}
	return string(city)
}

// messageID depends only on the alert and the day of the news, so every process computes the same
// ID.
func messageID(a store.Alert, day fare.Day) string {
	name := "alert\x00" + string(a.Subscriber) + "\x00" + a.Route.String() + "\x00" + day.String()
	if a.ID != "" {
		name += "\x00" + a.ID
	}
	sum := sha256.Sum256([]byte(name))
	return fmt.Sprintf("%s-%s-%x", day.Time().Format("20060102"),
		strings.TrimSuffix(a.Route.String(), "-"+string(store.Anywhere)), sum[:16])
}
