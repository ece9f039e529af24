package notify

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"time"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/text/i18n"
)

// Message is the content of a notification, independent of the channel.
type Message struct {
	ID       string // the same for the same news and alert in every process
	Language string // the code of a language in i18n
	// Ended reports whether all departures of the alert have passed, so that it is removed.
	Ended   bool
	Day     fare.Day // day on which it is composed; 0 in jobs of earlier versions
	Fares   []Fare   // the fares found; of an ended alert, the fares that it was for
	Picture mail.Picture
	// The next three fields are for an alert to Anywhere: the name of its origin, the number of
	// deals that Fares does not list, and the page that lists them all.
	Origin string
	More   int
	List   string
	// Unsubscribe is the link that ends this alert, Snooze pauses it for a month, and Manage shows
	// all alerts of the subscriber.
	Unsubscribe, Snooze, Manage string
}

// Fare is a fare in a message, with its verdict.
type Fare struct {
	Route               fare.Route
	Origin, Destination string     // city names in the message's language
	Trip                store.Trip // the trip of the alert
	Day                 fare.Day   // day of the refresh that found the fare
	Price               fare.Cents // euro
	// Before is the price in the alert's last message. If there was none, it is the first price
	// that was found after the alert was made. 0: unknown.
	Before             fare.Cents
	LastDay            fare.Day   // the day of that message; 0: none
	Known              fare.Cents // the price that the subscriber knows; 0: none
	Lowest             fare.Cents // of kind Low: lowest earlier fare of its days; 0: unknown
	Depart, Return     fare.Day   // Return is 0 for a one-way fare
	Flight             string     // a sentence about the flight in the message's language; may be empty
	Found              time.Time
	Level              string // a code of package verdict
	Reliability        string
	Percentile, Sample int
	Median, Minimum    fare.Cents
	// Departure says what fares on this departure usually cost. Waits says what waiting brought in
	// similar recorded cases, with the advice first. Both are sentences in the message's language,
	// and empty if nothing is known.
	Departure, Waits []string
	Expected         *Expected // Departure and Waits in numbers; nil if nothing is known
	Page             string    // link to the page with the whole verdict
}

// Expected is the usual price of a departure, and what waiting brought in similar recorded cases.
type Expected struct {
	Low, High fare.Cents // half of the comparable fares lie between Low and High
	Waits     []Wait
}

// Wait says what happened in similar recorded cases when a traveller waited a number of days.
type Wait struct {
	Days int
	Fall float64 // chance that the fare falls by 5 % or more, 0 to 1
	More bool    // the chance is at least Fall
	// Mean is the average price change, negative if prices fell. Pays reports whether the recorded
	// cases show that waiting saves money.
	Mean fare.Cents
	Pays bool
}

// Carrier delivers messages to the subscribers of a channel. Known failures are the errors of
// package mail (ErrRefused for good, ErrThrottled, ErrBlocked) and ErrUnwritable. After any other
// error the message may have been delivered, and the sender retries it.
type Carrier interface {
	Deliver(ctx context.Context, to store.Alert, m Message) error
}

// ErrUnwritable reports that a message cannot be composed. A retry does not help.
var ErrUnwritable = errors.New("the message cannot be written")

type byMail struct{ mail.Sender }

func (c byMail) Deliver(ctx context.Context, to store.Alert, m Message) error {
	write := fareMail
	switch {
	case m.Ended:
		write = endMail
	case m.List != "":
		write = listMail
	}
	written, err := write(to, m)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnwritable, err)
	}
	return c.Send(ctx, written)
}

func fareMail(to store.Alert, m Message) (mail.Message, error) {
	f, l := m.Fares[0], i18n.ForCode(m.Language)
	var when template.HTML
	if to.Kind != "" { // otherwise the mail uses its default text
		when = When(to, l)
	}
	return mail.AlertMail(mail.Alert{
		ID: m.ID, To: to.Email, Lang: m.Language, Origin: f.Origin, Destination: f.Destination,
		Subject: Subject(to, f, l), Price: f.Price, Depart: f.Depart, Return: f.Return, Flight: f.Flight, Found: f.Found, Day: m.Day,
		Since: Since(to, f, l), Dated: to.Trip.From > 0,
		Level: f.Level, Reliability: f.Reliability, Sample: f.Sample,
		Median: f.Median, Minimum: f.Minimum, Threshold: to.Threshold, When: when, Trip: TripText(to.Trip, l),
		RequestDay: to.RequestDay, Picture: m.Picture,
		Departure: f.Departure, Waits: f.Waits, Page: f.Page,
		Unsubscribe: m.Unsubscribe, Snooze: m.Snooze, Manage: m.Manage,
	})
}

func listMail(to store.Alert, m Message) (mail.Message, error) {
	l := i18n.ForCode(m.Language)
	list := mail.List{
		ID: m.ID, To: to.Email, Lang: m.Language, Subject: ListTitle(m, l), More: m.More, When: When(to, l),
		Trip: TripText(to.Trip, l), RequestDay: to.RequestDay, Day: m.Day,
		Page: m.List, Unsubscribe: m.Unsubscribe, Snooze: m.Snooze, Manage: m.Manage,
	}
	for _, f := range m.Fares {
		list.Fares = append(list.Fares, mail.Listed{
			Destination: f.Destination, Price: f.Price, Median: f.Median, Depart: f.Depart, Found: f.Found,
			Level: f.Level, Reliability: f.Reliability, Page: f.Page,
		})
	}
	return mail.ListMail(list)
}

func endMail(to store.Alert, m Message) (mail.Message, error) {
	f := m.Fares[0]
	return mail.EndMail(mail.End{
		ID: m.ID, To: to.Email, Lang: m.Language, Origin: f.Origin, Destination: f.Destination,
		Trip: TripText(to.Trip, i18n.ForCode(m.Language)), Manage: m.Manage, Unsubscribe: m.Unsubscribe,
	})
}

func (s *Sender) carrier(channel string) (Carrier, error) {
	if channel == "" {
		return byMail{s.Mail}, nil
	}
	if c := s.Carriers[channel]; c != nil {
		return c, nil
	}
	return nil, fmt.Errorf("%w: there is no carrier for %q here", ErrUnwritable, channel)
}
