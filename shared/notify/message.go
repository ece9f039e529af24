package notify

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
)

// Message is the content of a notification, in a form for every channel.
type Message struct {
	ID       string // every process computes the same ID for the same news and alert
	Language string // the code of a language in i18n
	// Ended is true if all departure dates of the alert have passed; the message then says so.
	Ended   bool
	Day     fare.Day // day on which the message is composed; 0 in jobs of earlier versions
	Fares   []Fare   // the fares found; if the alert has ended, the fares that it was for
	Picture mail.Picture
	// Origin, More and List are only for an alert to Anywhere: the name of its origin, the number
	// of deals that Fares does not list, and the link to the page that lists all deals.
	Origin string
	More   int
	List   string
	// Links that end this alert, pause it for 30 days, and show all alerts of the subscriber.
	Unsubscribe, Snooze, Manage string
}

type Fare struct {
	Route               fare.Route
	Origin, Destination string     // city names in the message's language
	Trip                store.Trip // the trip of the alert
	Day                 fare.Day   // day of the refresh that stored the notification
	Price               fare.Cents // EUR cents
	// Before is the price in the alert's last message. In the first message of an alert of kind
	// Drop or Change, it is the first price found after the alert was added. 0: unknown.
	Before             fare.Cents
	LastDay            fare.Day     // the day of the refresh that the last message reported; 0: none
	Known              fare.Cents   // the price that the subscriber knows; 0: none
	Lowest             fare.Cents   // for kind Low: the lowest earlier fare within the alert's number of days; 0: unknown
	Depart, Return     fare.Day     // Return is 0 for a one-way fare
	Flight             string       // a sentence about the flight in the message's language; may be empty
	Offer              verdict.Live `json:"-"` // the fare of the source, for webhook events
	Found              time.Time
	Level              verdict.Level
	Reliability        verdict.Reliability
	Percentile, Sample int
	Median, Minimum    fare.Cents
	ForDay             *Judged `json:",omitempty"` // the fare compared with those of other departures at the same lead time; nil: unknown
	// Departure says what fares on this departure usually cost, and Waits what waiting brought in
	// similar recorded cases. The first sentence of Waits is the advice. Both are in the language
	// of the message, and empty if nothing is known.
	Departure, Waits []string
	Judgement        *verdict.Judgement `json:"-"` // Departure and Waits in numbers; nil if nothing is known
	Page             string             // link to the page with the whole verdict
}

// Judged compares a fare with the fares for its departure. Fare.Level is the level on which the
// alert depends.
type Judged struct {
	Level       verdict.Level
	Reliability verdict.Reliability
	Usual       fare.Cents
	Sample      int
}

// Market returns the level of the fares of the route, or "" if it is unknown or the alert is for a
// trip on given days.
func (f Fare) Market() verdict.Level {
	if f.Trip.From > 0 || f.Level == verdict.Unjudged {
		return ""
	}
	return f.Level
}

// sure returns the certainty of ForDay or, without it, that of the fare's Level.
func (f Fare) sure() verdict.Reliability {
	if f.ForDay != nil {
		return f.ForDay.Reliability
	}
	return f.Reliability
}

// Carrier delivers messages to the subscribers of one channel. Known failures are ErrUnwritable and
// the errors of package mail (ErrRefused, ErrThrottled, ErrBlocked). After any other error, the
// message may have been delivered, and the sender retries it.
type Carrier interface {
	Deliver(ctx context.Context, to store.Alert, m Message) error
}

// ErrUnwritable means that a message cannot be composed. A retry does not help.
var ErrUnwritable = errors.New("the message cannot be written")

// Asker asks the reader of an address to confirm a pending alert; link leads to the page with the
// button that confirms it. Ask returns the errors of package mail.
type Asker interface {
	Ask(ctx context.Context, pending store.Alert, id, link string) error
}

func messageID(a store.Alert, day fare.Day) string {
	name := "alert\x00" + string(a.Subscriber) + "\x00" + a.Route.String() + "\x00" + day.String()
	if a.ID != "" {
		name += "\x00" + a.ID
	}
	sum := sha256.Sum256([]byte(name))
	return fmt.Sprintf("%s-%s-%x", day.Time().Format("20060102"),
		strings.TrimSuffix(a.Route.String(), "-"+string(store.Anywhere)), sum[:16])
}
