package chart

import (
	"html/template"
	"slices"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

// Months is a chart of the median fare by month of departure, in calendar order.
type Months struct {
	Months []verdict.Month // cheapest first
	Best   int             // how many of the cheapest are highlighted
	Name   func(time.Month) string
	Whole  func(fare.Cents) string // of a median, in whole units of the currency
	Full   func(time.Month) string // label of a link, before its median
	To     func(time.Month) string // link of a month; nil: no links
	Label  string
}

func (m Months) SVG(width, height int) template.HTML {
	c := newCanvas("months", width, height, m.Label)
	if m.To != nil { // an image cannot hold links
		c = newGroup("months", width, height, m.Label)
	}
	const top, bottom = 20.0, 22.0
	floor := float64(height) - bottom
	step := float64(width) / 12
	highest := fare.Cents(1)
	for _, month := range m.Months {
		highest = max(highest, month.Median)
	}
	for n := 1; n <= 12; n++ {
		x := step * float64(n-1)
		c.text("", "middle", x+step/2, float64(height)-6, m.Name(time.Month(n)))
		rank := slices.IndexFunc(m.Months, func(month verdict.Month) bool { return month.Month == n })
		if rank < 0 {
			c.line("none", x+step*0.35, floor-1, x+step*0.65, floor-1)
			continue
		}
		median := m.Months[rank].Median
		value := m.Whole(median)
		if m.To != nil {
			c.link(m.To(time.Month(n)), m.Full(time.Month(n))+" "+value)
			c.rect("tap", x, 0, step, float64(height))
		}
		class := "bar"
		if rank < m.Best {
			class = "bar cheap"
		}
		h := max(2, (floor-top)*float64(median)/float64(highest))
		c.rect(class, x+step*0.14, floor-h, step*0.72, h)
		c.text("value", "middle", x+step/2, floor-h-5, value)
		if m.To != nil {
			c.endLink()
		}
	}
	c.line("axis", 0, floor, float64(width), floor)
	return c.html()
}
