package chart

import (
	"html/template"
	"math"
	"slices"
	"strings"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

// History shows today's fare with the weeks before it. At the right it shows all days of the
// sample.
type History struct {
	Weeks []verdict.Week // oldest first
	Scale verdict.Scale
	Today fare.Day
	Price fare.Cents // today's
	Level string
	Names [4]string // of the levels, best first
	Money func(fare.Cents) string
	Month func(time.Month) string
	Label string
}

// dotRoom is the least height of today's level above and below the fare: the size of the dot.
const dotRoom = 8

// SVG draws the history.
func (h History) SVG(width, height int) template.HTML {
	c := newCanvas("history", width, height, h.Label)
	h.draw(c, width, height)
	return c.html()
}

// draw draws the history in the given size. Without a price it draws only the weeks.
func (h History) draw(c *canvas, width, height int) {
	low, high := h.span()
	const top, bottom, left = 14.0, 24.0, 66.0
	right := float64(width) * 0.80 // the days begin here
	if h.Price == 0 {
		right = float64(width)
	}
	plot := float64(height) - top - bottom
	y := func(p fare.Cents) float64 {
		return top + plot*(1-float64(min(max(p, low), high)-low)/float64(high-low))
	}
	from := fare.CycleOf(h.Today).First() - 25*7
	if len(h.Weeks) > 0 {
		from = min(from, h.Weeks[0].First)
	}
	x := func(d fare.Day) float64 { return left + (right-left-18)*float64(d-from)/float64(max(1, h.Today-from)) }

	// A strip shows today's levels. Only the days have the levels' colours: past weeks were
	// judged by the data of their time.
	edges := [5]float64{}
	if h.Price != 0 {
		for i, p := range []fare.Cents{low, h.Scale.Ottimo, h.Scale.Buono, h.Scale.Normale, high} {
			edges[i] = -y(p)
		}
		makeRoom(&edges, slices.Index(levels, h.Level), -y(h.Price), dotRoom)
		for i, name := range levels {
			c.rect("band "+name, right-9, -edges[i+1], 6, edges[i+1]-edges[i])
		}
	}
	for _, p := range ticks(low, high, 5) {
		c.line("grid", left, y(p), float64(width), y(p))
		if h.Price == 0 || math.Abs(y(p)-y(h.Price)) > 14 { // room for the label of today
			c.text("tick", "end", left-7, y(p)+4, h.Money(p))
		}
	}
	for d := from; d < h.Today; d++ {
		if t := d.Time(); t.Day() == 1 && x(d) < right-40 {
			c.line("grid", x(d), top+plot, x(d), top+plot+5)
			c.text("tick", "start", x(d), float64(height)-6, h.Month(t.Month()))
		}
	}
	if h.Price == 0 {
		h.line(c, x, y)
		return
	}
	h.days(c, right, float64(width), y, low, high)
	for i, name := range h.Names {
		if tall := edges[i+1] - edges[i]; tall >= 16 { // a lower one has no room for its name
			c.text("name", "end", float64(width)-3, -edges[i+1]+13, name)
		}
	}
	h.line(c, x, y)

	c.line("now", left, y(h.Price), float64(width), y(h.Price))
	c.dot("today "+h.Level, x(h.Today), y(h.Price), 7)
	c.text("label", "end", left-7, y(h.Price)+4, h.Money(h.Price))
}

// span returns the price range of the picture: all weeks, and 97 % of the days, without the most
// expensive ones.
func (h History) span() (low, high fare.Cents) {
	low, high = h.Price, h.Price
	if low == 0 && len(h.Weeks) > 0 {
		low, high = h.Weeks[0].Minimum, h.Weeks[0].Minimum
	}
	if n := len(h.Scale.Prices); n > 0 {
		low, high = min(low, h.Scale.Prices[0]), max(high, h.Scale.Prices[(n-1)*97/100])
	}
	for _, w := range h.Weeks {
		low, high = min(low, w.Minimum), max(high, w.Median)
	}
	room := max(100, (high-low)/12)
	return max(0, low-room), high + room
}

// line draws the weeks: a line for their minimums, and a shade up to their medians. It breaks at
// missing weeks.
func (h History) line(c *canvas, x func(fare.Day) float64, y func(fare.Cents) float64) {
	middle := func(w verdict.Week) fare.Day { return min(w.First+3, h.Today) }
	var dots strings.Builder
	for begin := 0; begin < len(h.Weeks); {
		end := begin + 1
		for end < len(h.Weeks) && h.Weeks[end].First-h.Weeks[end-1].First == 7 {
			end++
		}
		run := h.Weeks[begin:end]
		var along, back strings.Builder
		for i, w := range run {
			command := "L"
			if i == 0 {
				command = "M"
			}
			along.WriteString(command + num(x(middle(w))) + " " + num(y(w.Minimum)))
			last := run[len(run)-1-i]
			back.WriteString("L" + num(x(middle(last))) + " " + num(y(last.Median)))
		}
		if len(run) > 1 {
			c.path("shade", along.String()+back.String()+"Z")
			c.path("low", along.String())
		}
		for _, w := range run {
			dots.WriteString("M" + num(x(middle(w))) + " " + num(y(w.Minimum)) + "h0")
		}
		begin = end
	}
	c.path("week", dots.String())
}

// days draws a horizontal histogram of the sample's prices, coloured by today's level of each
// price.
func (h History) days(c *canvas, left, right float64, y func(fare.Cents) float64, low, high fare.Cents) {
	const bins = 22
	thick := (y(low)-y(high))/bins - 1
	type bar struct{ bin, level int }
	counts, sums := map[bar]int64{}, map[bar]int64{}
	most := int64(0)
	for _, p := range h.Scale.Prices {
		b := bar{min(int(int64(min(p, high)-low)*bins/int64(high-low)), bins-1), h.levelOf(p)}
		counts[b]++
		sums[b] += int64(min(p, high))
		most = max(most, counts[b])
	}
	for bin := range bins {
		for level, name := range levels {
			b := bar{bin, level}
			if n := counts[b]; n > 0 { // a bar lies at the mean of its prices
				middle := max(y(fare.Cents(sums[b]/n)), y(high)+thick/2)
				c.rect("day "+name, left, middle-thick/2, max(2, (right-left-2)*float64(n)/float64(most)), thick)
			}
		}
	}
}

func (h History) levelOf(p fare.Cents) int {
	for i, upTo := range []fare.Cents{h.Scale.Ottimo, h.Scale.Buono, h.Scale.Normale} {
		if p <= upTo {
			return i
		}
	}
	return len(levels) - 1
}
