package verdict

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"verdetto/shared/fare"
)

// In at least 90 % of the simulated cases, the 90 % interval must contain the percentile over all
// days since the first observed day.
func TestIntervalCovers(t *testing.T) {
	observed := map[string]func(day int) bool{
		"every day":            func(int) bool { return true },
		"one day in two":       func(day int) bool { return day%2 == 0 },
		"one day in seven":     func(day int) bool { return day%7 == 0 },
		"three weeks in eight": func(day int) bool { return day/7%8 < 3 },
	}
	for name, is := range observed {
		for _, alike := range []float64{0, .5, .8, .9} {
			rng := rand.New(rand.NewPCG(uint64(alike*100), 1))
			held, asked := 0, 0
			for range 400 {
				all, price := wandering(rng, 364, alike)
				part := all
				part.Lows = slices.DeleteFunc(slices.Clone(all.Lows), func(l Low) bool { return !is(int(day0 - 1 - l.Day)) })
				got, _ := PercentileAt(part, price)
				all.Lows = slices.DeleteFunc(all.Lows, func(l Low) bool { return l.Day < got.First })
				truth, _ := PercentileAt(all, price)
				asked++
				low, high := got.Interval()
				whole := intervalOf(low, high)
				if share := 100 * float64(truth.Below) / float64(truth.Size); float64(whole.From) <= share &&
					share <= float64(whole.To) {
					held++
				}
				if name == "every day" && low != high {
					t.Fatalf("every day was observed, and the interval is %v to %v", low, high)
				}
			}
			if share := 100 * float64(held) / float64(asked); share < 90 {
				t.Errorf("%s, correlation %v: the interval held in %.1f %% of cases", name, alike, share)
			}
		}
	}
}

func TestEffectiveSize_IndependentDays(t *testing.T) {
	const period, every = 80, 4
	s := RouteSummary{AsOf: day0}
	for i := range fare.Day(period / every) {
		s.Lows = append(s.Lows, Low{Day: day0 - period + every*i, Price: 4000 + 2000*fare.Cents(i%2)})
	}
	slices.SortFunc(s.Lows, Low.compare)
	got, _ := PercentileAt(s, 5000)
	if want := 1 / (longMemory * (float64(every)/period - 1./period)); math.Abs(got.EffectiveSize-want) > .01 {
		t.Errorf("%d days of %d count as %.2f, want %.2f", len(s.Lows), period, got.EffectiveSize, want)
	}
}

func wandering(rng *rand.Rand, days int, alike float64) (RouteSummary, fare.Cents) {
	x := rng.NormFloat64()
	next := func() fare.Cents {
		x = alike*x + math.Sqrt(1-alike*alike)*rng.NormFloat64()
		return fare.Cents(500 * math.Round(10*math.Exp(.4*x)))
	}
	s := RouteSummary{AsOf: day0}
	for i := range days {
		s.Lows = append(s.Lows, Low{Day: day0 - fare.Day(days-i), Price: next()})
	}
	slices.SortFunc(s.Lows, Low.compare)
	return s, next()
}

// Cheap departures are observed early and expensive ones late, so medians over all departures
// mislead.
func TestWindowOfPartlySeenDepartures(t *testing.T) {
	curve := func(lead int) float64 {
		switch {
		case lead < 15:
			return 2.2
		case lead < 46:
			return 1.3
		case lead < 91:
			return 1
		}
		return 1.2
	}
	for _, seed := range []uint64{1, 2, 3, 4, 5} {
		rng := rand.New(rand.NewPCG(8, seed))
		var all []fare.Observation
		for departure := range 150 {
			depart := day0 + fare.Day(departure)
			level := 3000.0
			from := 60 + rng.IntN(60)
			if departure > 75 {
				level, from = 12_000, rng.IntN(60)
			}
			for lead := from; lead < from+60; lead += 3 {
				price := level * curve(lead) * math.Exp(0.15*rng.NormFloat64())
				all = append(all, seen(depart-fare.Day(lead), depart, fare.Cents(price)))
			}
		}
		w := Build(all, RouteSummary{}, day0+150, Options{}).Window
		if w == nil || w.From != 46 || w.To != 90 {
			t.Errorf("seed %d: window %+v, want 46 to 90", seed, w)
		}
	}
}
