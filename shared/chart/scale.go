package chart

import "html/template"

// Scale shows where today's fare stands among all days, and how sure that is.
type Scale struct {
	Percentile int
	Low, High  float64   // the interval of the percentile
	Names      [4]string // of the levels, best first
	Label      string
}

// The percentiles at which levels end.
var bounds = [5]float64{0, 10, 35, 70, 100}

// SVG draws the scale.
func (s Scale) SVG(width int) template.HTML {
	const top, thick, height = 26.0, 12.0, 66
	c := newCanvas("scale", width, height, s.Label)
	at := func(percent float64) float64 { return float64(width) * percent / 100 }
	for i, name := range levels {
		c.rect("zone "+name, at(bounds[i]), top, at(bounds[i+1])-at(bounds[i])-2, thick)
		if i == 0 { // it is too short for its name
			c.text("name", "start", at(0), top+thick+17, s.Names[i])
		} else {
			c.text("name", "middle", (at(bounds[i])+at(bounds[i+1]))/2, top+thick+17, s.Names[i])
		}
	}
	x := at(float64(s.Percentile))
	c.line("whisker", at(s.Low), 13, at(s.High), 13)
	c.line("whisker end", at(s.Low), 8, at(s.Low), 18)
	c.line("whisker end", at(s.High), 8, at(s.High), 18)
	c.line("needle", x, 13, x, top+thick+3)
	c.dot("today", x, 13, 7)
	return c.done()
}
