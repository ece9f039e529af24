package answer

import (
	"errors"
	"fmt"

	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/verdict"
)

// Reason says why a question about fares has no answer. The catalogues have a text for each.
type Reason string

const (
	NotCovered    Reason = "not_covered"     // no fare of the series was ever observed
	NoRoutes      Reason = "no_routes"       // no fare from the origin was ever observed
	NoReturns     Reason = "no_returns"      // no return of the series was ever observed, but one-way fares of the route were
	NoReturnsFrom Reason = "no_returns_from" // no return with such nights from the origin was ever observed
	NoFare        Reason = "no_fare"         // the route is covered, but has no current fare
	NoAirline     Reason = "no_airline"      // the route is covered, but has no current fare of the chosen airlines
	NoFareOn      Reason = "no_fare_on"      // the requested departures have no current fare
	StopsUnknown  Reason = "stops_unknown"   // fares of the route do not say whether they are non-stop
)

type NoAnswer struct {
	Reason Reason
	SeriesData
	Ends     [2]places.Match // what the names of origin and destination mean
	NonStop  bool
	Airlines fare.Airlines

	Collection *verdict.Collection // nil if the service has any fares
	Known      []fare.Airline      // for a calendar: the airlines of the stored fares, those with the most fares first
	// For NoFareOn: the question, the nearest departures with a live fare in order of date, and the
	// judgement on the usual fare. If the departures are Over, there is no judgement: a refresh has
	// dropped them, because their day is past in UTC, though not at the origin.
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
