package departure

import (
	"math"
	"slices"

	"verdetto/shared/fare"
)

const (
	// MinCount is the number of past fares that a verdict about a departure needs, unless enough
	// other departures are on sale, and the number of past days with a fare that a verdict about a
	// route needs.
	MinCount = 8
	// LiveDays is the maximum age, in days, of a fare that a refresh stores as available. A summary
	// or departure state is valid for as many days, so a fare may be shown until it is twice as old.
	LiveDays = 7
)

// Level says how a fare compares with others. Its values are published and stored.
type Level string

const (
	Great     Level = "ottimo"
	Good      Level = "buono"
	Fair      Level = "normale"
	Expensive Level = "caro"
)

// Levels are in order, from cheap to expensive.
var Levels = [...]Level{Great, Good, Fair, Expensive}

func (l Level) Place() int { return slices.Index(Levels[:], l) }

// levelLimits are the highest percentiles of Great, Good and Fair.
var levelLimits = [...]int{10, 35, 70}

// Percent converts a percentile from 0 to 1 to the published whole number from 0 to 100, rounding
// down.
func Percent(percentile float64) int { return int(math.Floor(100*percentile + 1e-9)) }

// LevelOf takes a percentile from 0 to 1.
func LevelOf(percentile float64) Level { return LevelAt(Percent(percentile)) }

// Beside corrects the level that follows from the percentile of a price. usual is the usual price,
// and high the upper end of the half that is shown beside the price, all in EUR cents. Prices are
// ranked in steps of 5 %, so without this a price above the usual one could be cheap, one below it
// Expensive, and an Expensive one within that half. A price near the usual one is always Fair.
func (l Level) Beside(price, usual, high fare.Cents) Level {
	cheap := l == Great || l == Good
	if Near(price, usual) || cheap && price > usual || l == Expensive && price <= max(usual, high) {
		return Fair
	}
	return l
}

// Near reports whether a price differs from the usual one by less than 2 % or at most 1 EUR. Both
// are in EUR cents.
func Near(price, usual fare.Cents) bool {
	const percent, least = 2, 100
	apart := max(price, usual) - min(price, usual)
	return apart*100 < usual*percent || apart <= least
}

// LevelAt takes a percentile from 0 to 100.
func LevelAt(percent int) Level {
	for i, limit := range levelLimits {
		if percent <= limit {
			return Levels[i]
		}
	}
	return Expensive
}
