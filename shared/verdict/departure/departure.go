// Package departure judges the fare of one departure. Is the fare cheap for this route and lead
// time (days before departure)? What is the chance that the fare of the same departure falls at
// least 5 % within 7 or 14 days?
//
// # The rule
//
// A fare is compared with two kinds of fares of its route: fares of earlier days, with less weight
// the older they are, and the other departures on sale on the judged day.
//
// Shrinking by 20 fares means: an average is computed as if 20 more fares had a default value. So
// an average of only a few fares stays close to the default.
//
//   - Lead time. All routes share one curve: how the log of a fare depends on the
//     days before departure, in 11 ranges of days. Each range is shrunk towards 0
//     by 20 fares. The weight of a fare halves every 60 days.
//   - Level. The residual of a fare is its log, minus the route's mean, minus the
//     curve. The mean is the average of log minus curve. Weights halve every 7
//     days. If at least 4 other departures are on sale, each of them enters the
//     mean with the weight of 100 fares, so that the mean follows the season at
//     once.
//   - Rank. The percentile is the rank of the fare's residual among the route's
//     residuals of a similar lead time (5 groups). The residuals of a group are
//     shrunk by 20 fares towards the route's residuals of any lead time. These
//     are shrunk by 20 fares towards the residuals of all routes. Residuals are
//     counted in steps of 5 %; residuals of one step are ties and count half.
//     Weights halve every 30 days. If at least 8 other departures are on sale,
//     the fare is ranked among them too, each with the weight of one fare. So a
//     route is judged from its first refresh on. With fewer than 8 earlier fares
//     and fewer than 8 other departures there is no percentile.
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
// A departure is on sale if one of its fares was found at most LiveDays days ago. The newest of its
// fares counts. A fare of an earlier day counts as if it had been found on the judged day, at the
// lead time of that day. The reason: most fares do not change within a week.
//
// # The state
//
// The state has three parts. Pooled belongs to all routes together, Route to one route, and Past to
// one departure. Answers do not change the state: Pooled.View returns a View of a day, Route.Day a
// RouteDay, and RouteDay.Judge an Answer.
//
// A refresh first judges the new fares, then adds them to the state. RouteDay.Fold and Past.See
// change the data of the route. RouteDay.Fold also adds to Statistics. Statistics are summed over
// all routes and passed to Pooled.Fold at the end of the cycle, one pass over all routes. In the
// same way, Route.Learn and Pooled.Learn add the outcomes of earlier answers.
//
// The package does no I/O and reads no clock. Prices are in hundredths of the route's currency.
// Prices of different routes are never compared.
package departure

import (
	"math"

	"verdetto/shared/fare"
)

const (
	// Fall is the minimum drop that counts as a fall, as a share of the price: 5 %.
	Fall = 0.05

	prior = 20.0 // number of assumed fares with the default value; see Shrinking in the package comment

	// The times, in days, in which the weight of a fare halves.
	halfLife         = 60.0 // of the lead-time curve and of what is learned about falls
	levelHalfLife    = 7.0  // of a route's mean
	residualHalfLife = 30.0

	onSaleWeight = 100. // weight of a departure on sale in the route's mean; an earlier fare starts with 1
	onSaleLevel  = 4    // from this number of other departures on sale, they enter the route's mean
	onSaleRank   = 8    // from this number of other departures on sale, a fare is ranked among them
)

// Horizon is a number of days, 7 or 14. A forecast states the chance that a fare falls within that
// number of days.
type Horizon int

// The horizons: 7 and 14 days.
const (
	Week Horizon = iota
	Fortnight
	horizons
)

// Days returns the number of days of the horizon, 7 or 14.
func (h Horizon) Days() fare.Day { return [horizons]fare.Day{7, 14}[h] }

// Quote is the price of a departure on one day.
type Quote struct {
	Lead  int        // days before departure
	Price fare.Cents // hundredths of the currency of the route
}

// gain returns the weight of a fare seen on day, in a sum whose weights are relative to the day
// epoch. Newer fares have a larger weight, so older fares count less without an update of the sum.
// Divide the sum by gain of a later day to get its value on that day.
func gain(epoch, day fare.Day, halfLife float64) float64 {
	return math.Exp2(float64(day-epoch) / halfLife)
}

// epochDays is the number of days after which stored sums get a new reference day (epoch). It is
// four times the 30 days in which the weight of a residual (distance from the usual price) halves.
const epochDays = 120

func logOf(price fare.Cents) float64 { return math.Log(float64(price) / 100) }

// Horizons returns the horizons (7 or 14 days), the shortest first.
func Horizons() []Horizon { return []Horizon{Week, Fortnight} }
