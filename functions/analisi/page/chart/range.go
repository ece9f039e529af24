package chart

import (
	"html/template"
	"math"
	"unicode/utf8"

	"verdetto/shared/fare"
)

// Range is a box plot of a departure's fare among those of comparable departures: the line goes
// from the lowest price to the highest, and the box contains the middle half.
type Range struct {
	Minimum, Q1, Median, Q3, Maximum fare.Cents
	Price                            fare.Cents
	Level                            string
	Marks                            Marks
	Label                            string
}

type Marks struct{ Price, Usual, Lowest, Highest string }

// SVG draws the range on a logarithmic scale, so that double and half the usual price are equally
// far from it, and the few high fares do not compress the rest.
func (r Range) SVG(width int) template.HTML {
	const top, thick, height, edge = 30.0, 18.0, 94, 8.0
	c, wide := newCanvas("range", width, height, r.Label), float64(width)
	x := func(p fare.Cents) float64 { return edge + r.place(p, wide-2*edge) }
	middle := top + thick/2
	c.line("whisker", x(r.Minimum), middle, x(r.Maximum), middle)
	c.line("whisker end", x(r.Minimum), middle-5, x(r.Minimum), middle+5)
	c.line("whisker end", x(r.Maximum), middle-5, x(r.Maximum), middle+5)
	c.rect("box", x(r.Q1), top, max(2, x(r.Q3)-x(r.Q1)), thick)
	c.line("middle", x(r.Median), top, x(r.Median), top+thick+5)
	c.dot("today "+r.Level, x(r.Price), middle, 7)
	write(c, "label", x(r.Price), top-10, wide, r.Marks.Price)
	write(c, "value", x(r.Median), top+thick+19, wide, r.Marks.Usual)
	low, high := x(r.Minimum), x(r.Maximum)
	if high-low < (widthOf(r.Marks.Lowest)+widthOf(r.Marks.Highest))/2+12 { // too close for both words
		low, high = 0, wide
	}
	write(c, "", low, height-6, wide, r.Marks.Lowest)
	write(c, "", high, height-6, wide, r.Marks.Highest)
	return c.html()
}

func (r Range) place(p fare.Cents, width float64) float64 {
	log := func(p fare.Cents) float64 { return math.Log(float64(max(p, 1))) }
	low, high := log(min(r.Minimum, r.Price)), log(max(r.Maximum, r.Price))
	if high-low < 1e-9 {
		low, high = low-1, high+1
	}
	return width * (log(p) - low) / (high - low)
}

func widthOf(text string) float64 { return 7 * float64(utf8.RuneCountInString(text)) }

// write centres a text at x, or moves it to an edge of the chart that it would pass.
func write(c *canvas, class string, x, y, width float64, text string) {
	half := widthOf(text) / 2
	switch {
	case x < half:
		c.text(class, "start", 0, y, text)
	case x > width-half:
		c.text(class, "end", width, y, text)
	default:
		c.text(class, "middle", x, y, text)
	}
}
