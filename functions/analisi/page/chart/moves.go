package chart

import (
	"html/template"
	"strings"
	"time"

	"verdetto/shared/fare"
)

// Moves is a chart of one departure's fare, day by day.
type Moves struct {
	Prices []DayPrice // oldest first
	Today  fare.Day
	Price  fare.Cents // the judged price
	Level  string
	Money  func(fare.Cents) string
	Month  func(time.Month) string
	Label  string
}

type DayPrice struct {
	Day   fare.Day
	Price fare.Cents
}

// SVG draws each found fare as a dot, and a staircase between the dots: a fare counts as valid
// until the next one is found.
func (m Moves) SVG(width, height int) template.HTML {
	c := newCanvas("moves", width, height, m.Label)
	const top, bottom, edge = 14.0, 24.0, 12.0
	left := margin(m.Money(m.Price))
	low, high, from := m.Price, m.Price, m.Today-28
	for _, s := range m.Prices {
		low, high, from = min(low, s.Price), max(high, s.Price), min(from, s.Day)
	}
	room := max(100, (high-low)/8)
	low, high = max(0, low-room), high+room
	plot := float64(height) - top - bottom
	y := func(p fare.Cents) float64 { return top + plot*(1-float64(p-low)/float64(high-low)) }
	x := func(d fare.Day) float64 {
		return left + (float64(width)-left-edge)*float64(d-from)/float64(m.Today-from)
	}
	for _, p := range ticks(low, high, 4) {
		c.line("grid", left, y(p), float64(width), y(p))
		if d := y(p) - y(m.Price); d > 14 || d < -14 { // leave room for the label of the price
			c.text("", "end", left-7, y(p)+4, m.Money(p))
		}
	}
	for d := from; d < m.Today; d++ {
		if t := d.Time(); t.Day() == 1 && x(d) < float64(width)-40 {
			c.line("grid", x(d), top+plot, x(d), top+plot+5)
			c.text("", "start", x(d), float64(height)-6, m.Month(t.Month()))
		}
	}
	var stair, dots strings.Builder
	for i, s := range m.Prices {
		if i == 0 {
			stair.WriteString("M" + num(x(s.Day)) + " " + num(y(s.Price)))
		} else {
			stair.WriteString("H" + num(x(s.Day)) + "V" + num(y(s.Price)))
		}
		dots.WriteString("M" + num(x(s.Day)) + " " + num(y(s.Price)) + "h0")
	}
	if len(m.Prices) > 0 {
		c.path("low", stair.String())
		c.path("week", dots.String())
	}
	c.line("now", left, y(m.Price), float64(width), y(m.Price))
	c.dot("today "+m.Level, x(m.Today), y(m.Price), 7)
	c.text("label", "end", left-7, y(m.Price)+4, m.Money(m.Price))
	return c.html()
}
