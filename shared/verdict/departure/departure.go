// Package departure judges the fare of one departure. Is it cheap for this route and lead
// time? How likely is the same departure at least 5 % cheaper within 7 or 14 days?
//
// # The rule
//
// Every sum fades with a half-life of 60 days. It holds only days before the judged day.
//
//   - Lead time. All routes share one curve: the log of fares over the days
//     before departure, in 11 spans. Each span is shrunk towards 0 by 20 fares.
//   - Level. The residual of a fare is its log less the route's mean and less
//     the curve. The mean is of logs without their part of the curve. The
//     percentile is the rank among the route's residuals of a similar lead time
//     (5 groups). These are shrunk by 20 fares to the route's residuals of any
//     lead time, and those by 20 to the residuals of all routes. Residuals are
//     counted in steps of 5 %; residuals of one step are ties and count half.
//     A route with fewer than MinCount fares has no percentile.
//   - Chance. The log odds of a fall are a sum: an intercept, the route's own
//     term, and one term each for four properties. They are the lead time, the
//     percentile, the number of moves of this departure's fare in 30 days, and
//     its distance from its own minimum of 60 days. A property can be unknown.
//   - Learning. The tables start with the constants in rule.json. When the
//     outcomes of a day's questions are known, each term moves by its gradient
//     over its information. The weight of a single day is capped, so a sale of
//     the whole market counts as one day.
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

	halfLife = 60.0 // days
	prior    = 20.0 // number of fares by which a mean or a share is shrunk
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
func gain(epoch, day fare.Day) float64 { return math.Exp2(float64(day-epoch) / halfLife) }

// epochDays is the length of an epoch: four half-lives. The gain at its end is 16, and fares before
// the epoch hardly count.
const epochDays = 240

func logOf(price fare.Cents) float64 { return math.Log(float64(price) / 100) }

// Horizons returns the horizons, the shortest first.
func Horizons() []Horizon { return []Horizon{Week, Fortnight} }
