package webhook

import (
	"encoding/json"
	"fmt"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/notify"
	"verdetto/shared/store"
)

// The types of events.
const (
	typeFare = "alert.fare"
	typeTest = "alert.test"
)

// Event is the body of a delivery. Fields are only ever added.
type Event struct {
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"` // when it came about, however often it is delivered
	Data      Data      `json:"data"`
}

// Data is what an event tells.
type Data struct {
	Alert       string `json:"alert"` // its name in the links of the subscriber
	Route       string `json:"route"`
	Kind        string `json:"kind"`
	Language    string `json:"language,omitempty"`
	Threshold   *int64 `json:"thresholdCents,omitempty"`
	Level       string `json:"level,omitempty"` // of an alert to anywhere: that a fare has at least
	Fares       []Fare `json:"fares,omitempty"`
	More        int    `json:"more,omitempty"` // destinations that meet an alert to anywhere beside those of Fares
	List        string `json:"list,omitempty"` // where they are listed
	Unsubscribe string `json:"unsubscribe,omitempty"`
	Manage      string `json:"manage,omitempty"`
}

// Fare is one that was found. Prices are euro cents.
type Fare struct {
	Route           string    `json:"route"`
	OriginName      string    `json:"originName"`
	DestinationName string    `json:"destinationName"`
	Departure       string    `json:"departure"`
	Nights          string    `json:"nights,omitempty"` // of the alert: 1-3, 4-7, 8-14, 15+; none where it is for one-way fares
	Nonstop         bool      `json:"nonstop"`          // the alert is for fares without stops
	PriceCents      int64     `json:"priceCents"`
	Currency        string    `json:"currency"`
	Found           time.Time `json:"found"`
	Level           string    `json:"level"`
	Reliability     string    `json:"reliability,omitempty"`
	Percentile      *int      `json:"percentile,omitempty"`
	MedianCents     *int64    `json:"medianCents,omitempty"`
	MinimumCents    *int64    `json:"minimumCents,omitempty"`
	Sample          int       `json:"sample"`
}

// event writes the event of a message.
func event(of store.Alert, m notify.Message, now time.Time) ([]byte, error) {
	e := Event{Type: typeFare, Timestamp: now.UTC().Truncate(time.Second), Data: about(of)}
	e.Data.Language, e.Data.Unsubscribe, e.Data.Manage = m.Language, m.Unsubscribe, m.Manage
	e.Data.More, e.Data.List = m.More, m.List
	for _, f := range m.Fares {
		e.Data.Fares = append(e.Data.Fares, shown(f))
	}
	return written(e)
}

// testEvent writes the event that asks whether an endpoint answers.
func testEvent(of store.Alert, now time.Time) ([]byte, error) {
	return written(Event{Type: typeTest, Timestamp: now.UTC().Truncate(time.Second), Data: about(of)})
}

func about(a store.Alert) Data {
	d := Data{Alert: a.Ref().String(), Route: a.Route.String(), Kind: a.Condition()}
	if a.Threshold > 0 {
		d.Threshold = cents(a.Threshold)
	}
	if a.Route.Destination == store.Anywhere {
		d.Level = a.LeastLevel()
	}
	return d
}

func shown(f notify.Fare) Fare {
	s := Fare{
		Route: f.Route.String(), OriginName: f.Origin, DestinationName: f.Destination, Departure: f.Depart.String(),
		Nights: f.Trip.Nights.String(), Nonstop: f.Trip.Nonstop, PriceCents: int64(f.Price), Currency: "EUR", Found: f.Found.UTC(),
		Level: f.Level, Reliability: f.Reliability, Sample: f.Sample,
	}
	if f.Reliability != "" { // the level is known
		s.Percentile, s.MedianCents = &f.Percentile, cents(f.Median)
		if f.Minimum > 0 { // alerts to anywhere do not know it
			s.MinimumCents = cents(f.Minimum)
		}
	}
	return s
}

func cents(c fare.Cents) *int64 { return new(int64(c)) }

func written(e Event) ([]byte, error) {
	body, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", notify.ErrUnwritable, err)
	}
	return body, nil
}
