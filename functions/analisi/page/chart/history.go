package chart

import (
	"html/template"
	"strings"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

type History struct {
	Weeks []verdict.Week // oldest first
	Days  []DayPrice     // oldest first
	Today fare.Day
	Price fare.Cents
	Money func(fare.Cents) string
	Month func(time.Month) string
	Label string
}

type DayPrice struct {
	Day   fare.Day
	Price fare.Cents
}

func (h History) SVG() template.HTML {
	c := newCanvas("history", h.Label)
	h.draw(c)
	return c.html()
}

func (h History) draw(c *canvas) {
	low, high, from := h.span()
	const top, floor, right = 6.0, 88.0, 97.0
	y := func(p fare.Cents) float64 {
		return floor - (floor-top)*float64(min(max(p, low), high)-low)/float64(high-low)
	}
	x := func(d fare.Day) float64 { return right * float64(d-from) / float64(max(1, h.Today-from)) }
	for _, p := range ticks(low, high, 4) {
		c.line("grid", 0, y(p), 100, y(p))
		c.text("", "start", 0, y(p)-1.5, h.Money(p))
	}
	// Every other month is labelled, so that long names have room.
	for d, n := from, 0; d < h.Today; d++ {
		if t := d.Time(); t.Day() == 1 {
			if n++; n%2 == 1 && x(d) < 86 {
				c.text("", "start", x(d), 99, h.Month(t.Month()))
			}
		}
	}
	c.b.WriteString(`<svg viewBox="0 0 100 100" preserveAspectRatio="none">`)
	h.line(c, x, y)
	h.stairs(c, x, y)
	c.b.WriteString("</svg>")
	if h.Price != 0 {
		c.line("now", 0, y(h.Price), 100, y(h.Price))
		c.dot("today", x(h.Today), y(h.Price), .5)
	}
}

func (h History) span() (low, high fare.Cents, from fare.Day) {
	low, high, from = h.Price, h.Price, fare.CycleOf(h.Today).First()-25*7
	include := func(day fare.Day, least, most fare.Cents) {
		if low == 0 {
			low = least
		}
		low, high, from = min(low, least), max(high, most), min(from, day)
	}
	for _, w := range h.Weeks {
		include(w.First, w.Minimum, w.Minimum)
	}
	if len(h.Days) > 0 {
		from = h.Today - 28
	}
	for _, d := range h.Days {
		include(d.Day, d.Price, d.Price)
	}
	room := max(100, (high-low)/8)
	return max(0, low-room), high + room, from
}

// stairs draws a staircase, because a fare counts as valid until the next one is found.
func (h History) stairs(c *canvas, x func(fare.Day) float64, y func(fare.Cents) float64) {
	var stair, dots strings.Builder
	for i, s := range h.Days {
		at := num(x(s.Day)) + " " + num(y(s.Price))
		if i == 0 {
			stair.WriteString("M" + at)
		} else {
			stair.WriteString("H" + num(x(s.Day)) + "V" + num(y(s.Price)))
		}
		dots.WriteString("M" + at + "h0")
	}
	if len(h.Days) > 0 {
		c.path("stairs", stair.String())
		c.path("week", dots.String())
	}
}

func (h History) line(c *canvas, x func(fare.Day) float64, y func(fare.Cents) float64) {
	middle := func(w verdict.Week) fare.Day { return min(w.First+3, h.Today) }
	var dots strings.Builder
	for begin := 0; begin < len(h.Weeks); {
		end := begin + 1
		for end < len(h.Weeks) && h.Weeks[end].First-h.Weeks[end-1].First == 7 {
			end++
		}
		run := h.Weeks[begin:end]
		var along strings.Builder
		for i, w := range run {
			command := "L"
			if i == 0 {
				command = "M"
			}
			along.WriteString(command + num(x(middle(w))) + " " + num(y(w.Minimum)))
		}
		if len(run) > 1 {
			c.path("low", along.String())
		}
		for _, w := range run {
			dots.WriteString("M" + num(x(middle(w))) + " " + num(y(w.Minimum)) + "h0")
		}
		begin = end
	}
	if len(h.Weeks) > 0 {
		c.path("week", dots.String())
	}
}
