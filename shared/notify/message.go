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

type Message struct {
	ID       string // every process computes the same ID for the same news and alert
	Language string
	// Ended is true if all departure dates of the alert have passed.
	Ended   bool
	Day     fare.Day // 0 if Ended, and in jobs of earlier versions
	Fares   []Fare
	Picture mail.Picture
	// Origin, More and List are set only for alerts to Anywhere. More is the number of deals that
	// are not in Fares.
	Origin                      string
	More                        int
	List                        string
	Unsubscribe, Snooze, Manage string
}

type Fare struct {
	Route               fare.Route
	Origin, Destination string
	Trip                store.Trip
	Day                 fare.Day
	Price               fare.Cents
	Before              fare.Cents // an earlier price, with which messages compare Price, or 0
	LastDay             fare.Day   // day of the refresh whose fares an earlier message reported, or 0
	Known               fare.Cents // price that the subscriber knows, or 0
	Lowest              fare.Cents // for kind Low: lowest fare known in the last Alert.Days days, or 0
	Depart, Return      fare.Day
	Flight              string
	Offer               verdict.Live `json:"-"`
	Found               time.Time
	Level               verdict.Level
	Reliability         verdict.Reliability
	Percentile, Sample  int
	Median, Minimum     fare.Cents
	ForDay              *Judged `json:",omitempty"` // nil if the departure is not judged
	// Departure says what the departure usually costs. The first sentence of Waits is the advice.
	Departure, Waits []string
	Judgement        *verdict.Judgement `json:"-"`
	Page             string
}

// Judged is the verdict on the departure of a fare.
type Judged struct {
	Level       verdict.Level
	Reliability verdict.Reliability
	Usual       fare.Cents
	Sample      int
}

func (f Fare) Market() verdict.Level {
	if f.Trip.From > 0 || f.Level == verdict.Unjudged {
		return ""
	}
	return f.Level
}

func (f Fare) sure() verdict.Reliability {
	if f.ForDay != nil {
		return f.ForDay.Reliability
	}
	return f.Reliability
}

// After an error other than ErrUnwritable and mail.ErrRefused, Deliver can be called again with the
// same message, so a message may be delivered twice.
type Carrier interface {
	Deliver(ctx context.Context, to store.Alert, m Message) error
}

// ErrUnwritable means that a message cannot be composed, so a retry does not help.
var ErrUnwritable = errors.New("the message cannot be written")

// Asker asks the reader of an address to open the link and confirm the alert.
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
