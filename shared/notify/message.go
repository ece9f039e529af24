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

// Message is what an alert tells its subscriber, whichever carrier takes it: the
// facts, in no channel's words.
type Message struct {
	ID       string // the same for the same news to the same alert, whichever process sends it
	Language string // the code of a language of i18n
	// Ended tells that all departures have been that the alert was for, and that it is removed.
	Ended   bool
	Fares   []Fare // what was found; of an alert that has ended, what it was for
	Picture mail.Picture
	// Of an alert to anywhere: the name of its origin, how many destinations meet it beside
	// those of Fares, and where they are listed.
	Origin string
	More   int
	List   string
	// Unsubscribe ends this alert, Snooze pauses it for a month, Manage shows all of the subscriber.
	Unsubscribe, Snooze, Manage string
}

// Fare is one that a message tells of, and how it was judged.
type Fare struct {
	Route               fare.Route
	Origin, Destination string     // names of the cities, in the message's language
	Trip                store.Trip // that the alert is for
	Day                 fare.Day   // of the refresh
	Price               fare.Cents // euro
	// what it cost in the alert's last message, or when the alert first saw it; 0: not known
	Before             fare.Cents
	Told               fare.Day   // the day of that message; 0: there was none
	Lowest             fare.Cents // of a Low: the lowest fare of its days before this one; 0: not known
	Depart, Return     fare.Day   // Return is 0 of a fare one-way
	Found              time.Time
	Level              string // as in verdict
	Reliability        string
	Percentile, Sample int
	Median, Minimum    fare.Cents
	// Departure says what is usual for the departure, Waits what waiting has come to,
	// the advice first: sentences in the message's language; none where nothing is known.
	Departure, Waits []string
	Expected         *Expected // the same in numbers; nil where nothing is known
	Page             string    // where the whole verdict is shown
}

// Expected is what is usual for a departure, and what has come of waiting.
type Expected struct {
	Low, High fare.Cents // half of comparable fares lie between these
	Waits     []Wait
}

// Wait is what has come of waiting for so many days, in cases like this one.
type Wait struct {
	Days int
	Fall float64 // chance of a fall by 5 % or more, 0 to 1
	More bool    // the chance is that or more
	// Mean is what waiting has come to on average: below 0 it was cheaper. Pays tells that the record carries it.
	Mean fare.Cents
	Pays bool
}

// Carrier takes messages to the subscribers of a channel. What went wrong is one
// of the errors of package mail: ErrRefused for good, ErrThrottled, ErrBlocked, or
// ErrUnwritable; after any other the message may have been taken, and it is tried again.
type Carrier interface {
	Deliver(ctx context.Context, to store.Alert, m Message) error
}

// ErrUnwritable: the message cannot be written. Trying again would not make it right.
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
	f, l := m.Fares[0], i18n.In(m.Language)
	var when template.HTML
	if to.Kind != "" { // else the mail has a text of its own
		when = When(to, l)
	}
	return mail.AlertMail(mail.Alert{
		ID: m.ID, To: to.Email, Lang: m.Language, Origin: f.Origin, Destination: f.Destination,
		Price: f.Price, Depart: f.Depart, Return: f.Return, Found: f.Found, Since: Since(to, f, l),
		Compared: compared(f, l),
		Level:    f.Level, Reliability: f.Reliability, Percentile: f.Percentile, Sample: f.Sample,
		Median: f.Median, Minimum: f.Minimum, Threshold: to.Threshold, When: when, Trip: TripText(to.Trip, l),
		Asked: to.Asked, Picture: m.Picture,
		Departure: f.Departure, Waits: f.Waits, Page: f.Page,
		Unsubscribe: m.Unsubscribe, Snooze: m.Snooze, Manage: m.Manage,
	})
}

func listMail(to store.Alert, m Message) (mail.Message, error) {
	l := i18n.In(m.Language)
	list := mail.List{
		ID: m.ID, To: to.Email, Lang: m.Language, Subject: ListTitle(m, l), More: m.More, When: When(to, l),
		Trip: TripText(to.Trip, l), Asked: to.Asked,
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

// compared says how many comparable departures cost less; empty of a fare that is compared with those of other days.
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
		Trip: TripText(to.Trip, i18n.In(m.Language)), Manage: m.Manage, Unsubscribe: m.Unsubscribe,
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
