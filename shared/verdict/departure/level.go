package departure

import (
	"math"
	"slices"

	"verdetto/shared/fare"
)

const (
	// MinCount is how many past fares, or past days with a fare, a verdict needs. A verdict about a
	// departure does not need them if enough other departures are on sale.
	MinCount = 8
	// LiveDays is the maximum age, in days, of a fare that a refresh stores as available. A summary
	// or departure state is valid for as many days.
	LiveDays = 7
)

// Values of Level are published and stored, so existing ones must not change.
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

var levelLimits = [...]int{10, 35, 70}

// Percent rounds a percentile from 0 to 1 down to a whole number of percent.
func Percent(percentile float64) int { return int(math.Floor(100*percentile + 1e-9)) }

// LevelOf takes a percentile from 0 to 1.
func LevelOf(percentile float64) Level { return LevelAt(Percent(percentile)) }

// Prices are ranked in steps of 5 %, so Beside corrects a level that contradicts the price, such as
// Good above the usual price. Amounts are in EUR cents.
func (l Level) Beside(price, usual, high fare.Cents) Level {
	cheap := l == Great || l == Good
	if Near(price, usual) || cheap && price > usual || l == Expensive && price <= max(usual, high) {
		return Fair
	}
	return l
}

// Near reports whether a price differs from the usual one by less than 2 % or at most 1 EUR.
// Amounts are in EUR cents.
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
