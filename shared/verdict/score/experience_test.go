package score

import (
	"math"
	"testing"

	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
)

func steady(n int, make func(week int, c *Counts)) (*Sum, []Week) {
	sum := new(Sum)
	var weeks []Week
	for i := range n {
		monday := fare.Day(16800 + 7*i)
		c, w := new(Counts), new(Sum)
		make(i, c)
		w.Add(monday, "csv", c)
		sum.Add(monday, "csv", c)
		weeks = append(weeks, Week{monday, w})
	}
	return sum, weeks
}

// If percentiles are correct, a tenth of them are below 5, or 95 and more.
func TestDoubt(t *testing.T) {
	for _, c := range []struct {
		name    string
		weeks   int
		tails   int64
		doubted bool
	}{
		{"as it should be", 20, 10, false},
		{"overconfident", 20, 30, true},
		{"a little", 20, 15, false},
		{"too few weeks", 11, 30, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := Learn(steady(c.weeks, func(week int, n *Counts) {
				off := int64(week%5) - 2
				n.Places[1][0], n.Places[1][Places-1], n.Places[1][10] = c.tails/2+off, c.tails-c.tails/2, 100-c.tails
			}))
			if e.Doubted != [3]bool{false, c.doubted, false} {
				t.Errorf("%v", e.Doubted)
			}
		})
	}
}

func TestWaitingByTheScore(t *testing.T) {
	fill := func(week int, n *Counts) {
		n.Horizons[0].Bands[2] = Wait{N: 60, Stated: 700, Fell: 6, Rose: 12, Dearer: 15,
			Change: 60 * int64(100+10*(week%3))}
	}
	few := Learn(steady(8, fill))
	if got, want := few.Band(departure.Week, .12), departure.Recorded().Band(departure.Week, .12); got != want {
		t.Errorf("of too few: %+v", got)
	}
	e := Learn(steady(15, fill))
	got := e.Band(departure.Week, .12)
	if got.Cases != 900 || got.Rose != .2 || got.Dearer != .25 || math.Abs(got.Mean-.011) > 1e-9 ||
		!(got.Low < got.Mean && got.Mean < got.High) || got.High > .013 {
		t.Errorf("%+v", got)
	}
	if got, want := e.Band(departure.Week, .35), departure.Recorded().Band(departure.Week, .35); got != want {
		t.Errorf("of a band without cases: %+v", got)
	}
	if !e.Band(departure.Week, .12).Pays() == (got.High < 0) {
		t.Error("pays")
	}
}

func TestCurve(t *testing.T) {
	var h HorizonCounts
	none := h.Curve()
	for _, chance := range []float64{0, .01, .1, .33, .5, .97, 1} {
		if got := none.Apply(chance); math.Abs(got-chance) > 1e-12 {
			t.Errorf("without cases %v becomes %v", chance, got)
		}
	}
	for i := range h.Own {
		n := int64(100_000)
		h.Own[i] = Case{N: n, Stated: n * int64(10*i+5), Fell: n * int64(i) / 40}
	}
	h.Own[4].Fell = 0
	c := h.Curve()
	before := 0.
	for chance := 0.; chance <= 1; chance += .005 {
		got := c.Apply(chance)
		if got < before-1e-12 || got > 1 {
			t.Fatalf("%v becomes %v after %v", chance, got, before)
		}
		before = got
	}
	if got := c.Apply(.6); math.Abs(got-.3) > .03 {
		t.Errorf(".6 becomes %v", got)
	}
}

func TestBand(t *testing.T) {
	week := func(stated, cheap, dear int64) func(int, *Counts) {
		return func(_ int, c *Counts) {
			c.Horizons[0].Bands[2] = Wait{N: 200, Stated: 100 * stated, Fell: cheap + dear}
			c.Horizons[0].Levels[0][2], c.Horizons[0].Levels[3][2] = Cell{N: 100, Fell: cheap}, Cell{N: 100, Fell: dear}
		}
	}
	for _, c := range []struct {
		name                string
		stated, cheap, dear int64
		out                 bool
	}{
		{"as said", 24, 8, 16, false}, {"half was said", 12, 8, 16, true}, {"twice as much was said", 48, 8, 16, true},
		{"levels swapped", 24, 16, 8, true}, {"too few to tell", 3, 1, 2, false},
	} {
		_, weeks := steady(4, week(c.stated, c.cheap, c.dear))
		if got := weeksOut(weeks); (got == 4) != c.out || !c.out && got != 0 {
			t.Errorf("%s: %d weeks out", c.name, got)
		}
	}
}
