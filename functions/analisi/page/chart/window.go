package chart

import (
	"html/template"
	"strconv"

	"verdetto/shared/verdict"
)

// Window is a chart of the recommended lead times: how many days before the departure to book.
type Window struct {
	Window verdict.Window
	Ends   [2]string // far ahead, departure
	Lead   *int      // days to the question's departure; nil: none
	Label  string
}

// SVG draws the chart. Every range of lead times (days before departure) has the same width. The
// departure is at the right.
func (w Window) SVG(width int) template.HTML {
	const top, thick, height = 20.0, 22.0, 62
	c := newCanvas("window", width, height, w.Label)
	starts := verdict.LeadStarts()
	step := float64(width) / float64(len(starts))
	for i, from := range starts {
		x := float64(width) - step*float64(i+1)
		class := "lead"
		if w.Window.From <= from && from <= w.Window.To {
			class = "lead cheap"
		}
		c.rect(class, x+1, top, step-2, thick)
		if i > 0 {
			c.text("tick", "middle", x+step, top+thick+15, strconv.Itoa(from))
		}
	}
	if w.Lead != nil {
		i := len(starts) - 1
		for i > 0 && starts[i] > *w.Lead {
			i--
		}
		c.dot("today", float64(width)-step*(float64(i)+.5), top+thick/2, 7)
	}
	c.text("tick", "start", 0, 12, w.Ends[0])
	c.text("tick", "end", float64(width), 12, w.Ends[1])
	return c.html()
}
