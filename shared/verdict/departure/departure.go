// Package departure judges the fare of one departure. Is it cheap for this route and lead
// time? How likely is the same departure at least 5 % cheaper within 7 or 14 days?
//
// # The rule
//
// A fare is judged by the fares of earlier days, whose weight fades, and by the other departures of
// its route that are on sale on the judged day.
//
//   - Lead time. All routes share one curve: the log of fares over the days
//     before departure, in 11 spans. Each span is shrunk towards 0 by 20 fares.
//     Weights halve every 60 days.
//   - Level. The residual of a fare is its log less the route's mean and less
//     the curve. The mean is of logs without their part of the curve. Weights
//     halve every 7 days. From 4 other departures on sale on, each of these
//     enters the mean with the weight of 100 fares, so that the mean follows the
//     season at once.
//   - Rank. The percentile is the rank among the route's residuals of a similar
//     lead time (5 groups). These are shrunk by 20 fares to the route's residuals
//     of any lead time, and those by 20 to the residuals of all routes. Residuals
//     are counted in steps of 5 %; residuals of one step are ties and count half.
//     Weights halve every 30 days. From 8 other departures on sale on, each of
//     these is ranked among as one fare. So a route is judged from its first
//     refresh on. With neither 8 earlier fares nor 8 other departures there is no
//     percentile.
//   - Chance. The log odds of a fall are a sum: an intercept, the route's own
//     term, and one term each for four properties. They are the lead time, the
//     percentile, the number of moves of this departure's fare in 30 days, and
//     its distance from its own minimum of 60 days. A property can be unknown.
//   - Learning. The tables start with the constants in rule.json. When the
//     outcomes of a day's questions are known, each term moves by its gradient
//     over its information. The weight of a single day is capped, so a sale of
//     the whole market counts as one day. Weights halve every 60 days.
//
// A fare on sale is the newest fare of a departure that was found at most LiveDays earlier. An old
// one counts as if it had been found on the judged day, at that day's lead time: the judged fare
// may be as old, and most fares do not move within a week.
//
// # The state
//
// The state has three parts. Pooled is shared by all routes, Route belongs to one route, and Past
// to one departure. Answers do not change them: Pooled.View returns a View of a day, Route.Day a
// RouteDay, and RouteDay.Judge an Answer.
//
// A refresh first judges, then folds in the new fares. Route.Fold and Past.See change the route's
// parts. Route.Fold also adds to Statistics. These are summed over all routes and passed to
// Pooled.Fold at the end of the cycle. Route.Learn and Pooled.Learn do the same with outcomes.
//
// The package does no I/O and reads no clock. Prices are in hundredths of the route's currency.
// They are never compared across routes.
package departure

import (
	"math"

	"verdetto/shared/fare"
)

const (
	// Fall is the share by which a departure must become cheaper to count as a fall.
	Fall = 0.05

	prior = 20.0 // number of fares by which a mean or a share is shrunk

	// The half-lives, in days.
	halfLife         = 60.0 // of the lead-time curve and of what is learned about falls
	levelHalfLife    = 7.0  // of a route's mean
	residualHalfLife = 30.0

	onSaleWeight = 100. // of a departure on sale in the route's mean; that of an earlier fare is 1 at first
	onSaleLevel  = 4    // other departures on sale from which they enter the mean
	onSaleRank   = 8    // other departures on sale from which they are ranked among
)

// Horizon is the number of days within which a fare may fall.
type Horizon int

// The horizons: 7 and 14 days.
const (
	Week Horizon = iota
	Fortnight
	horizons
)

// Days returns the length of a horizon.
func (h Horizon) Days() fare.Day { return [horizons]fare.Day{7, 14}[h] }

// Quote is the price of a departure on the day of a refresh.
type Quote struct {
	Lead  int        // days before departure
	Price fare.Cents // hundredths of the currency of the route
}

// gain is the weight of a fare seen on day, in a sum stored as of epoch. New fares gain weight, so
// old sums need no update to fade. The value of a sum on a day is the sum divided by that day's
// gain.
func gain(epoch, day fare.Day, halfLife float64) float64 {
	return math.Exp2(float64(day-epoch) / halfLife)
}

// epochDays is the length of an epoch: four half-lives of residuals, which are stored as multiples
// of a unit.
const epochDays = 120

func logOf(price fare.Cents) float64 { return math.Log(float64(price) / 100) }

// Horizons returns the horizons, the shortest first.
func Horizons() []Horizon { return []Horizon{Week, Fortnight} }
