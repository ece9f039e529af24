package places

import (
	"math"
	"strconv"
)

const earthKm = 6371 // the mean radius

func Km(from, to string) (int, bool) {
	north1, east1, ok1 := coordinates(from)
	north2, east2, ok2 := coordinates(to)
	if !ok1 || !ok2 {
		return 0, false
	}
	half := func(a, b float64) float64 { return math.Pow(math.Sin((b-a)/2), 2) }
	h := half(north1, north2) + math.Cos(north1)*math.Cos(north2)*half(east1, east2)
	return int(math.Round(2 * earthKm * math.Asin(math.Sqrt(min(1, h))))), true
}

func coordinates(code string) (north, east float64, ok bool) {
	line, ok := codeLineOf(code)
	if !ok {
		return 0, 0, false
	}
	radians := func(hundredths string) float64 {
		n, err := strconv.Atoi(hundredths)
		ok = ok && err == nil
		return float64(n) / 100 * math.Pi / 180
	}
	north, east = radians(line[15:21]), radians(line[22:28])
	return north, east, ok
}
