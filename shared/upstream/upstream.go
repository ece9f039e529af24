// Package upstream defines the interface to sources of fares. A Source returns the economy fares
// for one adult that were recently found on routes from a city. A Deep source can also be asked about
// a single route.
//
// Start reading at Source. The packages below implement it: travelpayouts calls the real API,
// csvfile reads a file of recorded fares, and sample invents fares for trials.
package upstream

import (
	"context"
	"errors"
	"math"
	"time"

	"verdetto/shared/fare"
)

// Source returns fares for one city of origin at a time. An answer without fares means that the
// source knows none, an error that it did not answer. Callers must distinguish the two.
type Source interface {
	// Name returns a short name ("travelpayouts", "csv", "sample"). It is stored with the fares, so
	// that those of two sources do not mix.
	Name() string

	// Origins lists the cities from which the source may have fares, or returns nil if it does not
	// know them.
	Origins(ctx context.Context) ([]fare.City, error)

	// Fares returns the fares on routes from origin found after since and not after until, in any
	// order. A source whose memory is shorter returns what it has.
	Fares(ctx context.Context, origin fare.City, since, until time.Time) (Answer, error)
}

// Deep is a Source that can be asked for a year of departures of one route. Its method Fares need
// not return all fares of a route.
type Deep interface {
	Source

	// Departures returns the cheapest fare of each future departure day that the source knew at the
	// time until.
	Departures(ctx context.Context, q Question, until time.Time) (Answer, error)
}

// Checked is a Source that can check whether its answers still have the form that its adapter
// reads.
type Checked interface {
	Source

	// Drift asks one question of each kind and names the fields that are missing, new or of another
	// type. An error means that some question was not answered.
	Drift(ctx context.Context) (differences []string, err error)
}

// Question is a question to a Deep source about one series. If it names airports, only their fares
// are wanted.
type Question struct {
	fare.Series
	NonStop bool
}

type Answer struct {
	Fares   []fare.Fare
	Dropped map[Reason]int
}

var (
	// ErrRefused means that the source rejects the service's credentials. Trying other origins is
	// pointless.
	ErrRefused = errors.New("the fare source refused our credentials")
	// ErrUnavailable means that the source did not answer, or that its answer could not be read. A
	// later retry may succeed.
	ErrUnavailable = errors.New("the fare source could not be asked")
	// ErrBudget means that the service's own limit of calls per day is reached.
	ErrBudget = errors.New("the day's budget of calls to the fare source is spent")
)

// Reason is why a row cannot be compared with other fares.
type Reason string

// The texts appear in the refresh report.
const (
	RoundTrip    Reason = "round trip without a day of return"
	BadReturn    Reason = "return on the day of departure or before it"
	LongStay     Reason = "return too long after the departure"
	OtherCabin   Reason = "not economy"
	NotActual    Reason = "marked not actual"
	Departed     Reason = "departure before the day it was found"
	TooFarAhead  Reason = "departure too far ahead to be on sale"
	UnknownPlace Reason = "place without a city we know"
	SamePlace    Reason = "origin and destination are the same city"
	NoRate       Reason = "currency without a reference rate"
	BadPrice     Reason = "price not credible"
	FromFuture   Reason = "found after the day of asking"
	Malformed    Reason = "malformed row"
	NotAsked     Reason = "of another series than asked"
	TooOld       Reason = "found too long ago to be kept"
)

// Row is a fare as the source states it. A Comparable decides whether the service can use it.
type Row struct {
	Origin, Destination string // of cities or airports
	Depart              fare.Day
	Return              fare.Day // 0: one-way
	Found               time.Time
	DayOnly             bool    // Found is a day; its time is unknown
	Price               float64 // in major units
	Currency            string  // upper-case ISO 4217
	Stops               fare.Stops

	// The outward flight. A field is empty if the source does not state it.
	OriginAirport, DestinationAirport string // IATA codes
	Airline                           string // IATA code
	Minutes                           int    // from departure to arrival

	RoundTrip, OtherCabin, NotActual bool // RoundTrip: the day of return is unknown
}

// Comparable turns rows into fares, or returns the reason why one cannot be compared with others.
// It uses the rates only to check that a price is credible and convertible.
type Comparable struct {
	CityOf func(code string) (fare.City, bool) // of a city or airport
	Rates  func(on fare.Day) fare.Rates        // in force on a day
}

// Fare turns a row into a fare, or returns the reason why it cannot be compared. until is the end
// of the time for which the source was asked.
func (c Comparable) Fare(row Row, until time.Time) (fare.Fare, Reason) {
	switch {
	case row.RoundTrip && row.Return == 0:
		return fare.Fare{}, RoundTrip
	case row.Return != 0 && row.Return <= row.Depart:
		return fare.Fare{}, BadReturn
	case row.Return > row.Depart+fare.MaxNights:
		return fare.Fare{}, LongStay
	case row.OtherCabin:
		return fare.Fare{}, OtherCabin
	case row.NotActual:
		return fare.Fare{}, NotActual
	case row.Depart < fare.DayOf(row.Found):
		return fare.Fare{}, Departed
	case row.Depart > fare.DayOf(row.Found)+fare.MaxLead:
		return fare.Fare{}, TooFarAhead
	case row.Found.After(until):
		return fare.Fare{}, FromFuture
	case !(row.Price > 0) || math.IsInf(row.Price, 0):
		return fare.Fare{}, BadPrice
	}
	origin, ok := c.CityOf(row.Origin)
	if !ok {
		return fare.Fare{}, UnknownPlace
	}
	destination, ok := c.CityOf(row.Destination)
	if !ok {
		return fare.Fare{}, UnknownPlace
	}
	if origin == destination {
		return fare.Fare{}, SamePlace
	}
	currency, err := fare.ParseCurrency(row.Currency)
	if err != nil {
		return fare.Fare{}, NoRate
	}
	euro, ok := c.Rates(fare.DayOf(row.Found)).Euro(row.Price, row.Currency)
	if !ok {
		return fare.Fare{}, NoRate
	}
	quoted := fare.Cents(math.Round(row.Price * 100))
	if euro <= 0 || euro > fare.MaxPrice || quoted <= 0 {
		return fare.Fare{}, BadPrice
	}
	o := fare.Observation{
		Found: row.Found.Unix(), Price: quoted, Depart: row.Depart,
		Currency: currency, Stops: row.Stops, DayOnly: row.DayOnly,
		Flight: row.flight(),
	}
	if row.DayOnly {
		o.Found = fare.DayOf(row.Found).Time().Unix()
	}
	if row.Return != 0 {
		o.Nights = int16(row.Return - row.Depart)
	}
	return fare.Fare{Route: fare.Route{Origin: origin, Destination: destination}, Observation: o}, ""
}

// flight returns the outward flight without malformed codes and incredible durations. The airport
// may lie in another city than the one for which the fare is sold: Parma is sold as Milan.
func (r Row) flight() (f fare.Flight) {
	if r.OriginAirport+r.DestinationAirport+r.Airline != "" { // otherwise three errors would be created for nothing
		f.From, _ = fare.ParseAirport(r.OriginAirport)
		f.To, _ = fare.ParseAirport(r.DestinationAirport)
		f.Airline, _ = fare.ParseAirline(r.Airline)
	}
	if r.Minutes > 0 && r.Minutes <= fare.MaxMinutes {
		f.Minutes = int16(r.Minutes)
	}
	return f
}
