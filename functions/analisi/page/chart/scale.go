package chart

import (
	"html/template"
	"slices"
	"unicode/utf8"
)

// Scale shows the percentile of today's fare among all days, with its interval. Each level is as
// wide as its share of the days. The level of today's fare is at least as wide as the dot, so the
// picture always agrees with Level.
type Scale struct {
	Percentile int
	Low, High  float64    // the interval of the percentile
	Level      string     // of today's fare
	Ends       [3]float64 // the percent of days at which ottimo, buono and normale end
	Names      [4]string  // of the levels, best first
	Label      string
}

// leastRoom is the least width of today's level on either side of the fare, in percent: the size
// of the dot.
const leastRoom = 2.5

// bounds returns the percentages between the levels.
func (s Scale) bounds() [5]float64 {
	b := [5]float64{0, s.Ends[0], s.Ends[1], s.Ends[2], 100}
	makeRoom(&b, slices.Index(levels, s.Level), float64(s.Percentile), leastRoom)
	return b
}

// makeRoom widens a level so that it has the given room on both sides of at, and narrows its
// neighbours. The outer bounds do not move.
func makeRoom(bounds *[5]float64, level int, at, room float64) {
	if level < 0 {
		return
	}
	first, last := bounds[0], bounds[4]
	for i := 1; i < 4; i++ {
		if i <= level {
			bounds[i] = min(bounds[i], max(first, at-room))
		} else {
			bounds[i] = max(bounds[i], min(last, at+room))
		}
	}
}

// SVG draws the scale.
func (s Scale) SVG(width int) template.HTML {
	const top, thick, height = 26.0, 12.0, 66
	c := newCanvas("scale", width, height, s.Label)
	at := func(percent float64) float64 { return float64(width) * percent / 100 }
	bounds := s.bounds()
	for i, name := range levels {
		c.rect("zone "+name, at(bounds[i]), top, at(bounds[i+1])-at(bounds[i])-2, thick)
	}
	for i, x := range s.names(bounds, float64(width)) {
		if x >= 0 {
			c.text("name", "start", x, top+thick+17, s.Names[i])
		}
	}
	x := at(float64(s.Percentile))
	c.line("whisker", at(s.Low), 13, at(s.High), 13)
	c.line("whisker end", at(s.Low), 8, at(s.Low), 18)
	c.line("whisker end", at(s.High), 8, at(s.High), 18)
	c.line("needle", x, 13, x, top+thick+3)
	c.dot("today", x, 13, 7)
	return c.html()
}

// names returns where the levels' names begin, centred below their zones. Today's level is always
// named, others if they have room; -1: not named.
func (s Scale) names(bounds [5]float64, width float64) (from [4]float64) {
	const letter, gap = 6.6, 8 // approximately, in pixels
	today := slices.Index(levels, s.Level)
	order := []int{0, 1, 2, 3}
	if today >= 0 {
		order = append([]int{today}, slices.DeleteFunc(order, func(i int) bool { return i == today })...)
	}
	var taken [4]float64 // where they end
	for i := range from {
		from[i] = -1
	}
	for _, i := range order {
		wide := letter * float64(utf8.RuneCountInString(s.Names[i]))
		begin := min(max(0, (bounds[i]+bounds[i+1])/200*width-wide/2), width-wide)
		free := bounds[i+1] > bounds[i]
		for j := range from {
			free = free && (from[j] < 0 || begin+wide+gap <= from[j] || taken[j]+gap <= begin)
		}
		if free {
			from[i], taken[i] = begin, begin+wide
		}
	}
	return from
}
