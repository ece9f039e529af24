// Package chart draws the charts of a verdict as SVG. It also draws the picture of a verdict for
// social sites (a card) as PNG. The SVG has no scripts and no style attributes, because the
// Content-Security-Policy of the pages forbids them.
//
// For screen readers a chart is one labelled image, or a group of labelled links. Callers also show
// the numbers as text.
package chart

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"verdetto/shared/fare"
)

type canvas struct{ b strings.Builder }

func newCanvas(class string, width, height int, label string) *canvas {
	return newDrawing("img", class, width, height, label)
}

// newGroup returns a canvas with links that a screen reader visits one by one.
func newGroup(class string, width, height int, label string) *canvas {
	return newDrawing("group", class, width, height, label)
}

func newDrawing(role, class string, width, height int, label string) *canvas {
	c := &canvas{}
	fmt.Fprintf(&c.b, `<svg class="chart %s" viewBox="0 0 %d %d" text-anchor="middle" role="%s" aria-label="%s">`, class,
		width, height, role, html.EscapeString(label))
	return c
}

func (c *canvas) link(to, label string) {
	fmt.Fprintf(&c.b, `<a href="%s" aria-label="%s">`, html.EscapeString(to), html.EscapeString(label))
}

func (c *canvas) endLink() { c.b.WriteString("</a>") }

func (c *canvas) rect(class string, x, y, w, h float64) {
	if w > 0 && h > 0 {
		c.b.WriteString(`<rect class="` + class + `" x="` + num(x) + `" y="` + num(y) + `" width="` + num(w) +
			`" height="` + num(h) + `"/>`)
	}
}

func (c *canvas) line(class string, x1, y1, x2, y2 float64) {
	c.path(class, "M"+num(x1)+" "+num(y1)+"L"+num(x2)+" "+num(y2))
}

func (c *canvas) path(class, d string) {
	c.b.WriteString(`<path class="` + class + `" d="` + d + `"/>`)
}

func (c *canvas) dot(class string, x, y, r float64) {
	c.b.WriteString(`<circle class="` + class + `" cx="` + num(x) + `" cy="` + num(y) + `" r="` + num(r) + `"/>`)
}

// text takes start, middle or end as its anchor. The text of an axis has no class.
func (c *canvas) text(class, anchor string, x, y float64, s string) {
	c.b.WriteString("<text")
	if class != "" {
		c.b.WriteString(` class="` + class + `"`)
	}
	if anchor != "middle" { // middle is set once, on the drawing
		c.b.WriteString(` text-anchor="` + anchor + `"`)
	}
	c.b.WriteString(` x="` + num(x) + `" y="` + num(y) + `">` + html.EscapeString(s) + "</text>")
}

// margin returns the width in pixels of a bold price label at the left of a chart, in any currency.
func margin(label string) float64 {
	return max(66, 10+8.6*float64(utf8.RuneCountInString(label)))
}

func (c *canvas) html() template.HTML { return template.HTML(c.b.String() + "</svg>") }

func num(v float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0")
}

// ticks returns at most `most` round prices between from and to.
func ticks(from, to fare.Cents, most int) []fare.Cents {
	span := float64(max(1, to-from))
	step := math.Pow(10, math.Floor(math.Log10(span)))
	for _, f := range []float64{0.1, 0.2, 0.25, 0.5, 1, 2, 5} {
		s := step * f
		if math.Mod(s, 100) == 0 && span/s <= float64(most) { // no steps of 2.50
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
