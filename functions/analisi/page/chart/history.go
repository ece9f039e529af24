package chart

import (
	"html/template"
	"math"
	"strings"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

type History struct {
	Weeks []verdict.Week // oldest first
	Today fare.Day
	Price fare.Cents // 0: none
	Level string
	Money func(fare.Cents) string
	Month func(time.Month) string
	Label string
}

func (h History) SVG(width, height int) template.HTML {
	c := newCanvas("history", width, height, h.Label)
	h.draw(c, width, height)
	return c.html()
}

// Without a judged fare draw draws only the weeks.
func (h History) draw(c *canvas, width, height int) {
	low, high := h.span()
	const top, bottom = 14.0, 24.0
	left, right := margin(h.Money(h.Price)), float64(width)
	plot := float64(height) - top - bottom
	y := func(p fare.Cents) float64 {
		return top + plot*(1-float64(min(max(p, low), high)-low)/float64(high-low))
	}
	from := fare.CycleOf(h.Today).First() - 25*7
	if len(h.Weeks) > 0 {
		from = min(from, h.Weeks[0].First)
	}
	x := func(d fare.Day) float64 { return left + (right-left-18)*float64(d-from)/float64(max(1, h.Today-from)) }

	for _, p := range ticks(low, high, 5) {
		c.line("grid", left, y(p), float64(width), y(p))
		if h.Price == 0 || math.Abs(y(p)-y(h.Price)) > 14 { // room for the label of today
			c.text("", "end", left-7, y(p)+4, h.Money(p))
		}
	}
	for d := from; d < h.Today; d++ {
		if t := d.Time(); t.Day() == 1 && x(d) < right-40 {
			c.line("grid", x(d), top+plot, x(d), top+plot+5)
			c.text("", "start", x(d), float64(height)-6, h.Month(t.Month()))
		}
	}
	h.line(c, x, y)
	if h.Price == 0 {
		return
	}
	c.line("now", left, y(h.Price), float64(width), y(h.Price))
	c.dot("today "+h.Level, x(h.Today), y(h.Price), 7)
	c.text("label", "end", left-7, y(h.Price)+4, h.Money(h.Price))
}

func (h History) span() (low, high fare.Cents) {
	low, high = h.Price, h.Price
	if low == 0 && len(h.Weeks) > 0 {
		low, high = h.Weeks[0].Minimum, h.Weeks[0].Minimum
	}
	for _, w := range h.Weeks {
		low, high = min(low, w.Minimum), max(high, w.Median)
	}
	room := max(100, (high-low)/12)
	return max(0, low-room), high + room
}

// line draws a line at the lowest fares, and a shaded area from there up to the medians. Both have
// a gap where a week is missing.
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
