// Package departure judges the fare of one departure. Is the fare cheap for this route and lead
// time (days before departure)? What is the chance that the fare of the same departure falls at
// least 5 % within 7 or 14 days?
//
// # The rule
//
// A fare is compared with fares of its route found on earlier days, which lose weight with age, and
// with the other departures on sale on the judged day.
//
// Averages are shrunk by 20 fares: computed as if 20 more fares had a default value. So an average
// of only a few fares stays close to the default.
//
//   - Lead time. All routes share one curve: how the log of a fare depends on the days before
//     departure, in 11 ranges. Each range is shrunk towards 0. Weights have a half-life of 60 days.
//   - Level. The residual of a fare is its log, minus the route's mean, minus the curve. The mean
//     is the average of log minus curve, with a half-life of 7 days. If at least 4 other departures
//     are on sale, each enters the mean with the weight of 100 fares, so that the mean follows the
//     season at once.
//   - Rank. The percentile is the rank of the fare's residual among the route's residuals of a
//     similar lead time, in 5 groups. Each group is shrunk towards the route's residuals of any
//     lead time, and these towards the residuals of all routes. Residuals are counted in steps of
//     0.05; those of the same step are ties and count half. Weights have a half-life of 30 days. If
//     at least 8 other departures are on sale, the fare is ranked among them too, each with the
//     weight of one fare, so a route can be judged from its first refresh on. With fewer than 8
//     earlier fares and fewer than 8 other departures, there is no percentile.
//   - Chance. The log odds of a fall are the sum of an intercept, the route's own term, and one
//     term for each of five properties: the lead time, the percentile, the number of price changes
//     of this departure in 30 days, how far the fare is above the departure's minimum of 60 days,
//     and how far it is above the cheapest other departure on sale, if 4 others are. Each property
//     but the lead time can be unknown.
//   - Learning. The route's term starts at 0, and the others with the constants in rule.json. When
//     outcomes become known (did the fare fall?), each term changes in proportion to its gradient
//     divided by its information. The weight of a single day is limited, so a sale of the whole
//     market counts as one day. Weights have a half-life of 60 days.
//
// A departure is on sale if one of its fares was found at most LiveDays ago; the newest counts, as
// if it had been found on the judged day, at the lead time of that day.
//
// # The state
//
// The state has three parts. Pooled belongs to all routes together, Route to one route, and Past to
// one departure. Answers do not change the state: Pooled.View returns a View of a day, Route.Day a
// RouteDay, and RouteDay.Judge an Answer.
//
// A refresh judges the new fares before it adds them to the state. RouteDay.Fold and Past.See
// change the data of the route. RouteDay.Fold also adds to Statistics, which are summed over all
// refreshes of a day and passed to Pooled.Fold. In the same way, Route.Learn and Pooled.Learn add
// the outcomes of earlier answers.
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

	prior = 20.0 // number of fares by which averages are shrunk; see the package comment

	// Half-lives of the weight of a fare, in days.
	halfLife         = 60.0 // of the lead-time curve and of what is learned about falls
	levelHalfLife    = 7.0  // of a route's mean
	residualHalfLife = 30.0

	onSaleWeight = 100. // weight of a departure on sale in the route's mean; an earlier fare starts with 1
	onSaleLevel  = 4    // how many others must be on sale to enter the route's mean
	onSaleRank   = 8    // how many others must be on sale for a fare to be ranked among them
)

// Horizon is a time within which a fall may happen.
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

// gain returns the weight of a fare seen on day, relative to one seen on epoch. Newer fares have a
// larger weight, so old fares lose weight without a change of the stored sum. Divide a sum by the
// gain of a later day to get its value on that day.
func gain(epoch, day fare.Day, halfLife float64) float64 {
	return math.Exp2(float64(day-epoch) / halfLife)
}

// epochDays is the age at which stored sums get a new epoch: four half-lives of a residual.
const epochDays = 120

func logOf(price fare.Cents) float64 { return math.Log(float64(price) / 100) }

func Horizons() []Horizon { return []Horizon{Week, Fortnight} }
