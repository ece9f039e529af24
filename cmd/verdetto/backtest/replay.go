package backtest

import (
	"cmp"
	"context"
	"slices"

	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

// look is what the service says of a route on a day.
type look struct {
	day      fare.Day
	depart   fare.Day // of the cheapest fare
	verdict  verdict.Verdetto
	standing verdict.Standing
	window   *verdict.Anticipo
	quartile fare.Cents // a quarter of all fares observed until then are at or below it, to the euro
}

// judged tells whether the look holds a verdict.
func (l look) judged() bool { return l.verdict.Percentile != nil }

// sighting is the cheapest fare of a departure on a day.
type sighting struct {
	day   fare.Day
	price fare.Cents
}

// life is all sightings of a departure, by day.
type life struct {
	depart    fare.Day
	sightings []sighting
}

// story is a route, replayed.
type story struct {
	span  span
	looks []look // by day; days without a live fare are left out
	lows  []verdict.Low
	lives []life // by departure
}

// replay refreshes a route's sheet step by step as the service does, each time
// from what was observed by then and the lows of the sheet before, and judges.
func replay(ctx context.Context, observations []fare.Observation, s span) story {
	observations = slices.Clone(observations)
	slices.SortFunc(observations, fare.Observation.Compare)
	observations = slices.Compact(observations)
	known := func(day fare.Day) int {
		n, _ := slices.BinarySearchFunc(observations, day+1, func(o fare.Observation, d fare.Day) int { return int(o.FoundDay() - d) })
		return n
	}
	told := story{span: s}
	var pool histogram
	seen := 0
	var lows []verdict.Low
	for _, day := range s.steps() {
		n := known(day)
		if n == 0 || ctx.Err() != nil {
			continue
		}
		for ; seen < n; seen++ {
			pool.add(observations[seen].Price)
		}
		sheet := verdict.Build(observations[:n], lows, day)
		lows = sheet.Lows
		live, ok := sheet.Cheapest(day)
		if !ok {
			continue
		}
		analysis, _ := verdict.Judge(sheet, day)
		standing, _ := verdict.StandingOf(sheet, day)
		told.looks = append(told.looks, look{
			day: day, depart: live.Depart, verdict: analysis.Verdetto, standing: standing,
			window: analysis.AnticipoConsigliato, quartile: pool.quartile(),
		})
	}
	last := known(s.to)
	told.lows = verdict.Build(observations[:last], lows, s.to+1).Lows
	told.lives = livesOf(observations[:last], s)
	return told
}

// livesOf gathers the sightings of each departure on days of refreshes.
func livesOf(observations []fare.Observation, s span) []life {
	sorted := slices.Clone(observations)
	slices.SortFunc(sorted, func(a, b fare.Observation) int {
		return cmp.Or(cmp.Compare(a.Depart, b.Depart), cmp.Compare(a.Found, b.Found))
	})
	var lives []life
	for _, o := range sorted {
		day := o.FoundDay()
		if int(day-s.first)%s.cycle != 0 || day > o.Depart {
			continue
		}
		if n := len(lives); n == 0 || lives[n-1].depart != o.Depart {
			lives = append(lives, life{depart: o.Depart})
		}
		l := &lives[len(lives)-1]
		if n := len(l.sightings); n > 0 && l.sightings[n-1].day == day {
			l.sightings[n-1].price = min(l.sightings[n-1].price, o.Price)
			continue
		}
		l.sightings = append(l.sightings, sighting{day, o.Price})
	}
	return lives
}

// at finds the look of a day.
func (s story) at(day fare.Day) (look, bool) {
	i, ok := slices.BinarySearchFunc(s.looks, day, func(l look, d fare.Day) int { return int(l.day - d) })
	if !ok {
		return look{}, false
	}
	return s.looks[i], true
}

// life finds a departure.
func (s story) life(depart fare.Day) (life, bool) {
	i, ok := slices.BinarySearchFunc(s.lives, depart, func(l life, d fare.Day) int { return int(l.depart - d) })
	if !ok {
		return life{}, false
	}
	return s.lives[i], true
}

// histogram counts fares by the euro.
type histogram struct {
	counts []int
	total  int
}

func (h *histogram) add(price fare.Cents) {
	euro := int(price / 100)
	if euro >= len(h.counts) {
		h.counts = append(h.counts, make([]int, euro+1-len(h.counts))...)
	}
	h.counts[euro]++
	h.total++
}

// quartile is the first euro at which a quarter of the fares is reached.
func (h *histogram) quartile() fare.Cents {
	sum := 0
	for euro, n := range h.counts {
		if sum += n; 4*sum >= h.total {
			return fare.Cents(euro*100 + 99)
		}
	}
	return 0
}
