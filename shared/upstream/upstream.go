// Package upstream defines the interface to sources of fares.
//
// Packages travelpayouts (the real API), csvfile (a file of recorded fares) and sample (invented
// fares) implement Source.
package upstream

import (
	"context"
	"errors"
	"math"
	"time"

	"verdetto/shared/fare"
)

// If a Source gets no usable answer, Fares returns an error, and not an Answer without fares.
type Source interface {
	// Name is stored with the fares, so that refreshes from two sources cannot mix their fares.
	Name() string

	// Origins returns nil if the source cannot list its cities.
	Origins(ctx context.Context) ([]fare.City, error)

	// Fares returns the fares found after the time since, up to the time until, in any order.
	Fares(ctx context.Context, origin fare.City, since, until time.Time) (Answer, error)
}

// Deep is a Source that can also be asked about one series.
type Deep interface {
	Source

	Departures(ctx context.Context, q Question, until time.Time) (Answer, error)
}

type Checked interface {
	Source

	// Drift compares answers of the source with the form that its adapter reads, and describes the
	// differences.
	Drift(ctx context.Context) (differences []string, err error)
}

type Question struct {
	fare.Series
	NonStop bool
}

type Answer struct {
	Fares   []fare.Fare
	Dropped map[Reason]int
}

var (
	ErrRefused     = errors.New("the fare source refused our credentials")
	ErrUnavailable = errors.New("the fare source could not be asked")
	ErrBudget      = errors.New("the day's budget of calls to the fare source is spent")
)

type Reason string

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

type Row struct {
	Origin, Destination string // IATA codes of cities or airports
	Depart              fare.Day
	Return              fare.Day // 0 for a one-way fare, or if RoundTrip is set and the day is unknown
	Found               time.Time
	DayOnly             bool    // the time of day in Found is unknown
	Price               float64 // in units such as dollars, not cents
	Currency            string
	Stops               fare.Stops

	OriginAirport, DestinationAirport string
	Airline                           string
	Minutes                           int // duration of the outward flight; 0 if unknown

	RoundTrip, OtherCabin, NotActual bool
}

type Comparable struct {
	CityOf func(code string) (fare.City, bool)
	Rates  func(on fare.Day) fare.Rates
}

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

// flight does not check that an airport belongs to the city of the fare, because a fare to Parma is
// sold as a fare to Milan.
func (r Row) flight() (f fare.Flight) {
	if r.OriginAirport+r.DestinationAirport+r.Airline != "" {
		f.From, _ = fare.ParseAirport(r.OriginAirport)
		f.To, _ = fare.ParseAirport(r.DestinationAirport)
		f.Airline, _ = fare.ParseAirline(r.Airline)
	}
	if r.Minutes > 0 && r.Minutes <= fare.MaxMinutes {
		f.Minutes = int16(r.Minutes)
	}
	return f
}
