// Package departure judges the fare of one departure. Is the fare cheap for this route and lead
// time (days before departure)? What is the chance that the fare of the same departure falls at
// least 5 % within 7 or 14 days?
//
// # The rule
//
// A fare is compared with two kinds of fares of its route: fares of earlier days, with less weight
// the older they are, and the other departures on sale on the judged day.
//
// Shrinking by 20 fares means: an average is taken as if 20 more fares had a default value. So a few
// fares hardly move it.
//
//   - Lead time. All routes share one curve: how the log of a fare depends on the
//     days before departure, in 11 ranges of days. Each range is shrunk towards 0
//     by 20 fares. The weight of a fare halves every 60 days.
//   - Level. The residual of a fare is its log, minus the route's mean, minus the
//     curve. The mean is the average of log minus curve. Weights halve every 7
//     days. If at least 4 other departures are on sale, each of them enters the
//     mean with the weight of 100 fares, so that the mean follows the season at
//     once.
//   - Rank. The percentile is the rank among the route's residuals of a similar
//     lead time (5 groups). These are shrunk by 20 fares towards the route's
//     residuals of any lead time, and those by 20 fares towards the residuals of
//     all routes. Residuals are counted in steps of 5 %; residuals of one step are
//     ties and count half. Weights halve every 30 days. If at least 8 other
//     departures are on sale, the fare is ranked among them too, each with the
//     weight of one fare. So a route is judged from its first refresh on. With
//     fewer than 8 earlier fares and fewer than 8 other departures there is no
//     percentile.
//   - Chance. The log odds of a fall are a sum: an intercept, the route's own
//     term, and one term for each of five properties. The properties are the lead
//     time, the percentile, the number of price changes of this departure in 30
//     days, how far the fare is above the departure's minimum of 60 days, and how
//     far it is above the cheapest other departure on sale, if 4 others are. A
//     property can be unknown.
//   - Learning. The terms start with the constants in rule.json. When the outcomes
//     of one day's answers are known, each term changes by its gradient divided by
//     its information. The weight of a single day is limited, so a sale of the
//     whole market counts as one day. Weights halve every 60 days.
//
// A fare on sale is a departure's newest fare, found at most LiveDays earlier. An older fare counts
// as if it had been found on the judged day, at the lead time of that day: the judged fare may be
// as old, and most fares do not change within a week.
//
// # The state
//
// The state has three parts. Pooled belongs to all routes together, Route to one route, and Past to
// one departure. Answers do not change the state: Pooled.View returns a View of a day, Route.Day a
// RouteDay, and RouteDay.Judge an Answer.
//
// A refresh first judges the new fares, then adds them to the state. Route.Fold and Past.See change
// the data of the route. Route.Fold also adds to Statistics. Statistics are summed over all routes
// and passed to Pooled.Fold at the end of the cycle, one pass over all routes. Route.Learn and
// Pooled.Learn do the same with outcomes.
//
// The package does no I/O and reads no clock. Prices are in hundredths of the route's currency.
// They are never compared across routes.
package departure

import (
	"math"

	"verdetto/shared/fare"
)

const (
	// Fall is the share by which a departure must become cheaper: 5 %.
	Fall = 0.05

	prior = 20.0 // weight, in fares, of the value that a mean or a share is shrunk towards

	// The half-lives, in days.
	halfLife         = 60.0 // of the lead-time curve and of what is learned about falls
	levelHalfLife    = 7.0  // of a route's mean
	residualHalfLife = 30.0

	onSaleWeight = 100. // weight of a departure on sale in the route's mean; an earlier fare starts with 1
	onSaleLevel  = 4    // with this many other departures on sale, they enter the mean
	onSaleRank   = 8    // with this many other departures on sale, a fare is ranked among them
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

// gain is the weight of a fare seen on day, in a sum stored as of epoch. Newer fares have a larger
// weight, so stored sums fade without an update. The value of a sum on a day is the sum divided by
// gain for that day.
func gain(epoch, day fare.Day, halfLife float64) float64 {
	return math.Exp2(float64(day-epoch) / halfLife)
}

// epochDays is the length of an epoch in days: four half-lives of the residuals.
const epochDays = 120

func logOf(price fare.Cents) float64 { return math.Log(float64(price) / 100) }

// Horizons returns the horizons, the shortest first.
func Horizons() []Horizon { return []Horizon{Week, Fortnight} }
