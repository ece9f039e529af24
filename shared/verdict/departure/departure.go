// Package departure judges the fare of one departure: is it cheap for this
// route so many days ahead, and how likely is the same departure at least 5 %
// cheaper within 7 or 14 days?
//
// # The rule
//
// Every sum fades with a half-life of 60 days and holds only days before the
// day of the question.
//
//   - Lead time. All routes share one curve of the log of fares over the days
//     before departure, in 11 spans, each shrunk to nothing by 20 fares.
//   - Level. The residual of a fare is its log less the route's mean (of logs
//     brought to one lead time by the curve) and less the curve. The percentile
//     is its place among the route's residuals of a similar lead time (5
//     groups), shrunk by 20 fares to the route's residuals of any lead time,
//     which are shrunk by 20 to those of all routes. Residuals are counted in
//     steps of 5 %; those of the same step are equal, and count half. Under
//     MinCount fares of the route there is no answer.
//   - Chance. The log odds that the departure falls are a sum: an intercept, the
//     route's own term, and one term each for the lead time, the percentile, how
//     often the fare of this departure moved in 30 days, and how far it is above
//     its own minimum of 60 days. Each table has a cell for "not known".
//   - Learning. The tables begin at the constants in rule.json. When it is known
//     what became of the questions of a day, each term moves by its gradient over
//     its information; what a single day may weigh is capped, so that a sale of
//     the whole market counts as one day, however many fares it has.
//
// # What is kept
//
// The state lies in three parts. Pooled is of all routes together. Route is of
// one route. Past is of one departure. A question is answered from the three
// without changing any of them: Pooled.On gives a View of a day, Route.On one
// route as seen on it, and RouteDay.Judge an Answer. A refresh asks first
// (Judge), then folds in what was seen: Route.Fold and Past.See change the
// route's parts and leave what the pooled part has to know in Statistics, which
// are added up over all routes and given to Pooled.Fold at the end of the cycle.
// Route.Learn and Pooled.Learn do the same with outcomes.
//
// Nothing here reads a clock, a file or a store. Prices are hundredths of
// whatever currency the route is quoted in: they are never compared across routes.
package departure

import (
	"math"

	"verdetto/shared/fare"
)

const (
	// Fall is how much cheaper a departure must become to have fallen: to (1 - Fall) of the price or less.
	Fall = 0.05

	halfLife = 60.0 // days
	prior    = 20.0 // fares that a mean or a share is shrunk by
)

// Horizon is a span of days within which a fare may fall.
type Horizon int

const (
	Week Horizon = iota
	Fortnight
	horizons
)

// Days is the length of a horizon.
func (h Horizon) Days() fare.Day { return [horizons]fare.Day{7, 14}[h] }

// Quote is a price that a departure had on the day of a refresh.
type Quote struct {
	Lead  int        // days before departure
	Price fare.Cents // hundredths of the currency of the route
}

// gain is what a fare seen on a day weighs in a sum that is kept as of its
// epoch. Sums fade by this growing, so that no day has to touch them all; what
// a sum is worth on a day is the sum over that day's gain.
func gain(epoch, day fare.Day) float64 { return math.Exp2(float64(day-epoch) / halfLife) }

// epochDays is how long an epoch lasts: four half-lives, after which gains are
// 16 and what was seen before the epoch hardly counts.
const epochDays = 240

func logOf(price fare.Cents) float64 { return math.Log(float64(price) / 100) }

// Horizons are the spans that chances are told for, the shortest first.
func Horizons() []Horizon { return []Horizon{Week, Fortnight} }
