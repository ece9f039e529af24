package departure

import "math"

// Constants shared by the rule for a departure and the rule for a route.
const (
	// MinCount is the number of past fares, or days with a fare, that a verdict needs.
	MinCount = 8
	// LiveDays is the maximum age, in days, of a fare shown as available. A summary or a state is
	// valid for as many days.
	LiveDays = 7
)

// Level is the level of a verdict, a range of percentiles.
type Level int

// The levels, from cheap to expensive.
const (
	Ottimo Level = iota
	Buono
	Normale
	Caro
)

// levelLimits are the highest percentiles, as whole numbers, of ottimo, buono and normale. Higher
// percentiles are caro.
var levelLimits = [...]int{10, 35, 70}

// Percent returns the published percentile: a whole number from 0 to 100, rounded down.
func Percent(percentile float64) int { return int(math.Floor(100*percentile + 1e-9)) }

// LevelOf returns the level of a percentile, by its published whole number.
func LevelOf(percentile float64) Level { return LevelAt(Percent(percentile)) }

// LevelAt returns the level of a whole-number percentile.
func LevelAt(percent int) Level {
	for i, limit := range levelLimits {
		if percent <= limit {
			return Level(i)
		}
	}
	return Caro
}

func (l Level) String() string { return [...]string{"ottimo", "buono", "normale", "caro"}[l] }
