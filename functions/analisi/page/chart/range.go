package chart

import (
	"html/template"
	"math"

	"verdetto/shared/fare"
)

// Range is a chart (box plot) of a departure's fare among the fares of comparable departures. The
// line goes from the lowest price to the highest. The box contains the middle half of the fares.
type Range struct {
	Minimum, Q1, Median, Q3, Maximum fare.Cents
	Price                            fare.Cents
	Level                            string
	Money                            func(fare.Cents) string // of the price
	About                            func(fare.Cents) string // of the usual prices, rounded
	Label                            string
}

// SVG draws the range on a logarithmic scale. So double and half the usual price are equally far
// from the usual price, and the few high fares do not compress the rest of the chart.
func (r Range) SVG(width int) template.HTML {
	const top, thick, height, edge = 30.0, 18.0, 84, 8.0
	c := newCanvas("range", width, height, r.Label)
	x := func(p fare.Cents) float64 { return edge + r.place(p, float64(width)-2*edge) }
	middle := top + thick/2
	c.line("whisker", x(r.Minimum), middle, x(r.Maximum), middle)
	c.line("whisker end", x(r.Minimum), middle-5, x(r.Minimum), middle+5)
	c.line("whisker end", x(r.Maximum), middle-5, x(r.Maximum), middle+5)
	c.rect("box", x(r.Q1), top, max(2, x(r.Q3)-x(r.Q1)), thick)
	c.line("middle", x(r.Median), top, x(r.Median), top+thick)
	c.dot("today "+r.Level, x(r.Price), middle, 7)
	r.write(c, "label", x(r.Price), top-10, float64(width), r.Money(r.Price))
	// The ends of the box get labels. The ends of the line get labels only if there is room.
	below := top + thick + 18
	q1, q3 := x(r.Q1), x(r.Q3)
	if q3-q1 < room {
		q1, q3 = (q1+q3)/2-room/2, (q1+q3)/2+room/2
	}
	q1, q3 = max(q1, room/2), min(q3, float64(width)-room/2)
	r.write(c, "value", q1, below, float64(width), r.About(r.Q1))
	r.write(c, "value", q3, below, float64(width), r.About(r.Q3))
	if q1-x(r.Minimum) > room {
		r.write(c, "", x(r.Minimum), below, float64(width), r.About(r.Minimum))
	}
	if x(r.Maximum)-q3 > room {
		r.write(c, "", x(r.Maximum), below, float64(width), r.About(r.Maximum))
	}
	return c.html()
}

// place returns the position of a price on a scale that is width pixels wide.
func (r Range) place(p fare.Cents, width float64) float64 {
	log := func(p fare.Cents) float64 { return math.Log(float64(max(p, 1))) }
	low, high := log(min(r.Minimum, r.Price)), log(max(r.Maximum, r.Price))
	if high-low < 1e-9 {
		low, high = low-1, high+1
	}
	return width * (log(p) - low) / (high - low)
}

const room = 58.0

func (Range) write(c *canvas, class string, x, y, width float64, amount string) {
	switch {
	case x < room/2:
		c.text(class, "start", 0, y, amount)
	case x > width-room/2:
		c.text(class, "end", width, y, amount)
	default:
		c.text(class, "middle", x, y, amount)
	}
}
