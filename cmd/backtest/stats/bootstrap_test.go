package stats

import (
	"testing"

	"verdetto/shared/fare"
)

func TestIntervals(t *testing.T) {
	const routes, blocks = 40, 40
	b := NewBlocks(1000, routes, 0, blocks*BlockDays-1, BlockDays)
	fill := func(value func(route, block int) float64) *Average {
		a := b.Average()
		for route := range routes {
			for block := range blocks {
				a.Add(b.Cell(route, fare.Day(block*BlockDays)), value(route, block))
			}
		}
		return a
	}
	sign := func(n int) float64 { return float64(n%2*2 - 1) }
	both := func(route, block int) float64 { return sign(route) + sign(block) }
	for _, c := range []struct {
		name     string
		value    func(route, block int) float64
		from, to float64 // bounds of the interval's half-width
	}{
		{"routes differ", func(route, _ int) float64 { return sign(route) }, 0.25, 0.37},
		{"days differ", func(_, block int) float64 { return sign(block) }, 0.25, 0.37},
		{"routes and days differ", both, 0.36, 0.52},
	} {
		i := fill(c.value).Interval()
		if half := (i.High - i.Low) / 2; half < c.from || half > c.to {
			t.Errorf("%s: %+v", c.name, i)
		}
	}
	for name, a := range map[string]*Average{"nothing": b.Average(),
		"the same everywhere": fill(func(int, int) float64 { return 3 })} {
		if i := a.Interval(); i != nil {
			t.Errorf("%s has an interval: %+v", name, i)
		}
	}
}
