// Package departure judges the fare of one departure. Is the fare cheap for this route and lead
// time (days before departure)? What is the chance that the fare of the same departure falls at
// least 5 % within 7 or 14 days? docs/evidence.md describes the rule.
//
// Pooled is the state of all routes together, Route is the state of one route, and Past is the price
// history of one departure. Pooled.View returns a View of a day, Route.Day a RouteDay, and
// RouteDay.Judge an Answer.
//
// A refresh judges new fares before it adds them to the state. RouteDay.Fold adds new fares to the
// route and to Statistics, which are summed over all routes and passed to Pooled.Fold. Likewise,
// Route.Learn and Pooled.Learn add the outcomes of earlier answers.
//
// The package does no I/O and reads no clock. Prices are in hundredths of the route's currency
// unless stated otherwise.
package departure

import (
	"math"

	"verdetto/shared/fare"
)

const (
	// Fall is the minimum drop that counts as a fall, as a share of the price.
	Fall = 0.05

	prior = 20.0 // weight of the default value in an average, as a number of fares

	// Half-lives of the weight of a fare, in days.
	halfLife         = 60.0 // for the lead-time curve and for what is learned about falls
	levelHalfLife    = 7.0
	residualHalfLife = 30.0

	onSaleWeight = 100. // weight of a departure on sale in the route's mean; the weight of an earlier fare starts at 1
	onSaleLevel  = 4    // from this number on, other departures on sale count in the route's mean
	onSaleRank   = 8    // from this number on, a fare is ranked among the other departures on sale
)

type Horizon int

const (
	Week Horizon = iota
	Fortnight
	horizons
)

func (h Horizon) Days() fare.Day { return [horizons]fare.Day{7, 14}[h] }

type Quote struct {
	Lead  int
	Price fare.Cents
}

// gain returns the weight of a fare seen on day, relative to a fare seen on epoch. Divide a sum by
// the gain of a later day to get the value of the sum on that day.
func gain(epoch, day fare.Day, halfLife float64) float64 {
	return math.Exp2(float64(day-epoch) / halfLife)
}

const epochDays = 120

func logOf(price fare.Cents) float64 { return math.Log(float64(price) / 100) }

func Horizons() []Horizon { return []Horizon{Week, Fortnight} }
