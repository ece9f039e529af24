package score

import "math"

// Miss measures the error at these percentiles. They must be multiples of the width of a cell in
// Counts.Places.
var missAt = [...]int{5, 10, 25, 50, 75, 90, 95}

func Miss(places [Places]int64) (n int64, points float64) {
	if n = total(places[:]); n == 0 {
		return 0, 0
	}
	for _, p := range missAt {
		below := total(places[:p*Places/100])
		points = max(points, math.Abs(100*float64(below)/float64(n)-float64(p)))
	}
	return n, points
}

func (c *Counts) AllPlaces() (sum [Places]int64) {
	for _, places := range c.Places {
		AddPlaces(&sum, places)
	}
	return sum
}

func AddPlaces(sum *[Places]int64, more [Places]int64) {
	for i, n := range more {
		sum[i] += n
	}
}
