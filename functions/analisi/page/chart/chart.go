// Package chart draws the charts of a verdict and of the score as SVG. Package chart also draws the
// picture of a verdict for social sites (a card) as PNG. The SVG has no style attributes, because the
// Content-Security-Policy of the pages forbids such attributes.
//
// For screen readers a chart is one labelled image, so pages must also show the numbers as text.
package chart

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strconv"
	"strings"

	"verdetto/shared/fare"
)

type canvas struct {
	b          strings.Builder
	unit, size string
}

// newCanvas returns a canvas with coordinates in percent and sizes in em, so that a drawing fits
// every screen and grows with the reader's letters.
func newCanvas(class, label string) *canvas {
	c := &canvas{unit: "%", size: "em"}
	fmt.Fprintf(&c.b, `<svg class="chart %s" role="img" aria-label="%s">`, class, html.EscapeString(label))
	return c
}

func newDrawing(class string, width, height int, label string) *canvas {
	c := &canvas{}
	fmt.Fprintf(&c.b, `<svg class="chart %s" viewBox="0 0 %d %d" role="img" aria-label="%s">`, class, width, height,
		html.EscapeString(label))
	return c
}

func (c *canvas) at(v float64) string { return num(v) + c.unit }

func (c *canvas) rect(class string, x, y, w, h float64) {
	c.b.WriteString(`<rect class="` + class + `" x="` + c.at(x) + `" y="` + c.at(y) + `" width="` + c.at(w) +
		`" height="` + c.at(h) + `"/>`)
}

func (c *canvas) line(class string, x1, y1, x2, y2 float64) {
	c.b.WriteString(`<line class="` + class + `" x1="` + c.at(x1) + `" y1="` + c.at(y1) + `" x2="` + c.at(x2) +
		`" y2="` + c.at(y2) + `"/>`)
}

func (c *canvas) path(class, d string) {
	c.b.WriteString(`<path class="` + class + `" d="` + d + `"/>`)
}

func (c *canvas) dot(class string, x, y, r float64) {
	c.b.WriteString(`<circle class="` + class + `" cx="` + c.at(x) + `" cy="` + c.at(y) + `" r="` + num(r) + c.size +
		`"/>`)
}

// The parameter anchor is start, middle or end. The text of an axis has no class.
func (c *canvas) text(class, anchor string, x, y float64, s string) {
	c.b.WriteString("<text")
	if class != "" {
		c.b.WriteString(` class="` + class + `"`)
	}
	if anchor != "start" {
		c.b.WriteString(` text-anchor="` + anchor + `"`)
	}
	c.b.WriteString(` x="` + c.at(x) + `" y="` + c.at(y) + `">` + html.EscapeString(s) + "</text>")
}

func (c *canvas) html() template.HTML { return template.HTML(c.b.String() + "</svg>") }

func num(v float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0")
}

func ticks(from, to fare.Cents, most int) []fare.Cents {
	span := float64(max(1, to-from))
	step := math.Pow(10, math.Floor(math.Log10(span)))
	for _, f := range []float64{0.1, 0.2, 0.25, 0.5, 1, 2, 5} {
		s := step * f
		if math.Mod(s, 100) == 0 && span/s <= float64(most) { // only steps of whole units of the currency
			step = s
			break
		}
	}
	var all []fare.Cents
	for v := math.Ceil(float64(from)/step) * step; v <= float64(to); v += step {
		all = append(all, fare.Cents(v))
	}
	return all
}
