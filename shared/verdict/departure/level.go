package departure

import "math"

// Constants that the rule for one departure and the rule for a route share.
const (
	// MinCount is the number of past fares that a verdict about a departure needs. A verdict about
	// a route needs as many days with a fare.
	MinCount = 8
	// LiveDays is the maximum age, in days, of a fare shown as available. A summary, or a departure
	// state, is valid for the same number of days.
	LiveDays = 7
)

// Level is the level of a verdict. Each level is a range of percentiles.
type Level int

// The levels, from cheap to expensive: excellent, good, normal, expensive.
const (
	Ottimo Level = iota
	Buono
	Normale
	Caro
)

// levelLimits are the highest percentiles, in percent, of ottimo, buono and normale. A higher
// percentile is caro.
var levelLimits = [...]int{10, 35, 70}

// Percent converts a percentile from 0 to 1 to the published form: a whole number from 0 to 100,
// rounded down.
func Percent(percentile float64) int { return int(math.Floor(100*percentile + 1e-9)) }

// LevelOf returns the level of a percentile from 0 to 1.
func LevelOf(percentile float64) Level { return LevelAt(Percent(percentile)) }

// LevelAt returns the level of a percentile from 0 to 100.
func LevelAt(percent int) Level {
	for i, limit := range levelLimits {
		if percent <= limit {
			return Level(i)
		}
	}
	return Caro
}

func (l Level) String() string { return [...]string{"ottimo", "buono", "normale", "caro"}[l] }
