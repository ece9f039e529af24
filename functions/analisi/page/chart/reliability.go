package chart

import (
	"html/template"
	"math"
	"strconv"
)

// Reliability is a chart that compares stated chances with what happened. The points of correct
// chances lie on the diagonal.
type Reliability struct {
	Points []ReliabilityPoint // ascending by stated chance
	Axes   [2]string
	Label  string
}

// Stated and Observed are fractions from 0 to 1.
type ReliabilityPoint struct {
	Stated, Observed float64
	Cases            int
}

// The chart's line leaves out points with fewer than leastDrawn cases, whose observed share is
// mostly noise.
const leastDrawn = 30

func (r Reliability) SVG(width int) template.HTML {
	const left, right, top, bottom, most = 34.0, 12.0, 22.0, 40.0, .5
	height := width * 3 / 5
	c := newDrawing("reliability", width, height, r.Label)
	floor := float64(height) - bottom
	x := func(share float64) float64 { return left + (float64(width)-left-right)*min(share, most)/most }
	y := func(share float64) float64 { return floor - (floor-top)*min(share, most)/most }
	for tenth := range 6 {
		at := float64(tenth) / 10
		c.line("grid", left, y(at), float64(width)-right, y(at))
		c.text("", "end", left-6, y(at)+4, strconv.Itoa(10*tenth))
		c.text("", "middle", x(at), floor+16, strconv.Itoa(10*tenth))
	}
	c.line("now", x(0), y(0), x(most), y(most))
	all := 0
	for _, p := range r.Points {
		all += p.Cases
	}
	path, to := "", "M"
	for _, p := range r.Points {
		if p.Cases >= leastDrawn {
			path += to + num(x(p.Stated)) + " " + num(y(p.Observed))
			to = "L"
		}
	}
	if path != "" {
		c.path("low", path)
	}
	for _, p := range r.Points {
		c.dot("today", x(p.Stated), y(p.Observed), 3+14*math.Sqrt(float64(p.Cases)/float64(max(1, all))))
	}
	c.text("", "end", float64(width)-right, floor+34, r.Axes[0])
	c.text("", "start", 0, 12, r.Axes[1])
	return c.html()
}
