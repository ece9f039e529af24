package score

import "math"

// missAt are the percentiles at which Miss compares, the edges of places.
var missAt = [...]int{5, 10, 25, 50, 75, 90, 95}

// Miss returns the largest distance, in points, of one of the percentiles 5, 10, 25, 50, 75, 90
// and 95 from the share of places below it. n is the number of places.
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

// AllPlaces returns the percentiles of departures, of any reliability.
func (c *Counts) AllPlaces() (sum [Places]int64) {
	for _, places := range c.Places {
		AddPlaces(&sum, places)
	}
	return sum
}

// AddPlaces adds percentiles to a sum.
func AddPlaces(sum *[Places]int64, more [Places]int64) {
	for i, n := range more {
		sum[i] += n
	}
}
