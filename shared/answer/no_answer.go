package answer

import (
	"errors"
	"fmt"

	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/verdict"
)

// Each Reason needs a text in the catalogues of messages.
type Reason string

const (
	NotCovered    Reason = "not_covered"
	NoRoutes      Reason = "no_routes"
	NoReturns     Reason = "no_returns" // the route has one-way fares, but no return with the requested nights
	NoReturnsFrom Reason = "no_returns_from"
	NoFare        Reason = "no_fare"
	NoAirline     Reason = "no_airline"
	NoFareOn      Reason = "no_fare_on"
	StopsUnknown  Reason = "stops_unknown"
)

type NoAnswer struct {
	Reason Reason
	SeriesData
	Ends     [2]places.Match
	NonStop  bool
	Airlines fare.Airlines

	Collection *verdict.Collection // set only if the service has no fares yet
	Known      []fare.Airline      // the airlines of the stored fares; set only if Calendar has no answer
	// When, Near, Over and Usual are set only for NoFareOn. Over means that the departures are past in
	// UTC, and then Usual is not set.
	When
	Near  []verdict.Day
	Over  bool
	Usual verdict.Judgement
}

func (e *NoAnswer) Error() string { return fmt.Sprintf("%s: %s", e.Series, e.Reason) }

func (e *NoAnswer) Unseen() bool {
	return e != nil && (e.Reason == NotCovered || e.Reason == NoReturns)
}

func Why(err error) *NoAnswer {
	var e *NoAnswer
	errors.As(err, &e)
	return e
}

func (q Question) without(why Reason, f SeriesData) *NoAnswer {
	if why == NoFare && q.Airlines != "" {
		why = NoAirline
	}
	return &NoAnswer{Reason: why, SeriesData: f, Ends: [2]places.Match{q.From.Means, q.To.Means}, NonStop: q.NonStop,
		Airlines: q.Airlines}
}
