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
	"verdetto/shared/text/wording"
)

// Message is the content of a notification, independent of the channel.
type Message struct {
	ID       string // the same for the same news and alert in every process
	Language string // the code of a language in i18n
	// Ended reports whether all departures of the alert have passed, so that it is removed.
	Ended   bool
	Fares   []Fare // the fares found; of an ended alert, its subject
	Picture mail.Picture
	// Of an alert to anywhere: the name of its origin, the number of deals not listed in Fares, and
	// the page that lists them all.
	Origin string
	More   int
	List   string
	// Unsubscribe ends this alert, Snooze pauses it for a month, Manage shows all alerts of the
	// subscriber.
	Unsubscribe, Snooze, Manage string
}

// Fare is a fare in a message, with its verdict.
type Fare struct {
	Route               fare.Route
	Origin, Destination string     // city names in the message's language
	Trip                store.Trip // the trip of the alert
	Day                 fare.Day   // of the refresh
	Price               fare.Cents // euro
	// Before is the price in the alert's last message, or when the alert first saw it; 0: unknown.
	Before             fare.Cents
	LastDay            fare.Day   // the day of that message; 0: none
	Lowest             fare.Cents // of a Low: the lowest earlier fare of its days; 0: unknown
	Depart, Return     fare.Day   // Return is 0 for a one-way fare
	Found              time.Time
	Level              string // as in verdict
	Reliability        string
	Percentile, Sample int
	Median, Minimum    fare.Cents
	// Departure states the usual price of the departure; Waits states the record of waiting, advice
	// first. Both are sentences in the message's language, and empty if nothing is known.
	Departure, Waits []string
	Expected         *Expected // the same in numbers; nil if nothing is known
	Page             string    // link to the whole verdict
}

// Expected is the usual price of a departure, and the record of waiting.
type Expected struct {
	Low, High fare.Cents // half of comparable fares lie between these
	Waits     []Wait
}

// Wait is the record of waiting a number of days in similar cases.
type Wait struct {
	Days int
	Fall float64 // chance of a fall by 5 % or more, 0 to 1
	More bool    // the chance is at least Fall
	// Mean is the average change from waiting, negative if prices fell. Pays reports whether the
	// record supports waiting.
	Mean fare.Cents
	Pays bool
}

// Carrier delivers messages to the subscribers of a channel. Known failures are the errors of
// package mail (ErrRefused for good, ErrThrottled, ErrBlocked) and ErrUnwritable. After any other
// error the message may have been delivered; it is retried.
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
		Price: f.Price, Depart: f.Depart, Return: f.Return, Found: f.Found, Since: Since(to, f, l),
		Compared: compared(f, l),
		Level:    f.Level, Reliability: f.Reliability, Percentile: f.Percentile, Sample: f.Sample,
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
		Trip: TripText(to.Trip, l), RequestDay: to.RequestDay,
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

// compared returns the sentence on how many comparable departures cost less. It is empty for an
// alert without a departure date, whose fare is compared with those of other days.
func compared(f Fare, l *i18n.Language) string {
	if f.Trip.From == 0 {
		return ""
	}
	return wording.Comparables(l, f.Percentile)
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
