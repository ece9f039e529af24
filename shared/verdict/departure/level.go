package departure

import "math"

// What the rule for a departure and the rule for a route have in common.
const (
	// MinCount is how many past fares, or days with a fare, a verdict needs.
	MinCount = 8
	// LiveDays is how old, in days, a fare may be and still be shown as one that
	// can be had, and for how long after its day a summary or a state shows any.
	LiveDays = 7
)

// Level is the name of a range of percentiles.
type Level int

// The levels, best first.
const (
	Ottimo Level = iota
	Buono
	Normale
	Caro
)

// levelLimits are the highest whole-number percentiles of ottimo, buono and normale.
var levelLimits = [...]int{10, 35, 70}

// Percent is a percentile as it is published: a whole number from 0 to 100, rounded down.
func Percent(percentile float64) int { return int(math.Floor(100*percentile + 1e-9)) }

// LevelOf is the level of a percentile, by its published whole number.
func LevelOf(percentile float64) Level { return LevelAt(Percent(percentile)) }

// LevelAt is the level of a whole-number percentile.
func LevelAt(percent int) Level {
	for i, limit := range levelLimits {
		if percent <= limit {
			return Level(i)
		}
	}
	return Caro
}

func (l Level) String() string { return [...]string{"ottimo", "buono", "normale", "caro"}[l] }
