package chart

import (
	"html/template"
	"math"
	"strconv"
)

// Reliability shows what came of stated chances: on the diagonal what was said came.
type Reliability struct {
	Points []ReliabilityPoint // in order of what was said
	Axes   [2]string          // what was said, what came
	Label  string
}

// ReliabilityPoint is cases of nearly the same stated chance. Shares are fractions.
type ReliabilityPoint struct {
	Said, Came float64
	Cases      int
}

// leastDrawn is how many cases a point has through which the line goes: of fewer a share is mostly chance.
const leastDrawn = 30

// SVG draws the diagram: each point's area goes with its cases.
func (r Reliability) SVG(width int) template.HTML {
	const left, right, top, bottom, most = 34.0, 12.0, 22.0, 40.0, .5
	height := width * 3 / 5
	c := newCanvas("reliability", width, height, r.Label)
	floor := float64(height) - bottom
	x := func(share float64) float64 { return left + (float64(width)-left-right)*min(share, most)/most }
	y := func(share float64) float64 { return floor - (floor-top)*min(share, most)/most }
	for tenth := range 6 {
		at := float64(tenth) / 10
		c.line("grid", left, y(at), float64(width)-right, y(at))
		c.text("tick", "end", left-6, y(at)+4, strconv.Itoa(10*tenth))
		c.text("tick", "middle", x(at), floor+16, strconv.Itoa(10*tenth))
	}
	c.line("now", x(0), y(0), x(most), y(most))
	all := 0
	for _, p := range r.Points {
		all += p.Cases
	}
	path, to := "", "M"
	for _, p := range r.Points {
		if p.Cases >= leastDrawn {
			path += to + num(x(p.Said)) + " " + num(y(p.Came))
			to = "L"
		}
	}
	if path != "" {
		c.path("low", path)
	}
	for _, p := range r.Points {
		c.dot("today", x(p.Said), y(p.Came), 3+14*math.Sqrt(float64(p.Cases)/float64(max(1, all))))
	}
	c.text("tick", "end", float64(width)-right, floor+34, r.Axes[0])
	c.text("tick", "start", 0, 12, r.Axes[1])
	return c.done()
}
