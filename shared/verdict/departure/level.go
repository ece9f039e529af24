package departure

import (
	"math"
	"slices"
)

const (
	// MinCount is the number of past fares that a verdict about a departure needs, and the number
	// of days with a fare that a verdict about a route needs.
	MinCount = 8
	// LiveDays is the maximum age, in days, of a fare shown as available. A summary or departure
	// state is valid as long.
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

// Place returns the index of a level in Levels, or -1.
func (l Level) Place() int { return slices.Index(Levels[:], l) }

// levelLimits are the highest percentiles of Great, Good and Fair.
var levelLimits = [...]int{10, 35, 70}

// Percent converts a percentile from 0 to 1 to the published whole number from 0 to 100, rounding
// down.
func Percent(percentile float64) int { return int(math.Floor(100*percentile + 1e-9)) }

// LevelOf returns the level of a percentile from 0 to 1.
func LevelOf(percentile float64) Level { return LevelAt(Percent(percentile)) }

// LevelAt returns the level of a percentile from 0 to 100.
func LevelAt(percent int) Level {
	for i, limit := range levelLimits {
		if percent <= limit {
			return Levels[i]
		}
	}
	return Expensive
}
