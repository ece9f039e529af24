package chart

import (
	"html/template"
	"math"

	"verdetto/shared/fare"
)

// Range is a box plot of a fare and of the fares with which the fare is compared.
type Range struct {
	Minimum, Q1, Median, Q3, Maximum fare.Cents
	Price                            fare.Cents
	Label                            string
}

// SVG draws the range on a logarithmic scale, so that the few high fares do not compress the rest.
func (r Range) SVG() template.HTML {
	c := newCanvas("range", r.Label)
	x := func(p fare.Cents) float64 { return 2 + r.place(p, 96) }
	c.line("whisker", 0, 50, 100, 50)
	c.rect("box", x(r.Q1), 20, max(1, x(r.Q3)-x(r.Q1)), 60)
	c.dot("today", x(r.Price), 50, .5)
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
