package chart

import (
	"fmt"
	"html"
)

type Picture struct {
	History
	Title string
	Foot  []string // each line must fit the width
	Style string
}

// Sizes in pixels.
const (
	pictureWidth, pictureHeight = 720, 400
	pictureMargin               = 20
	pictureTitle, pictureLine   = 52, 18
)

func (p Picture) SVG() []byte {
	c := &canvas{}
	fmt.Fprintf(&c.b, `<svg xmlns="http://www.w3.org/2000/svg" class="chart" width="%[1]d" height="%[2]d" `+
		`viewBox="0 0 %[1]d %[2]d" role="img" aria-label="%[3]s">`,
		pictureWidth, pictureHeight, html.EscapeString(p.Label))
	fmt.Fprintf(&c.b, `<title>%s</title><style>%s</style>`, html.EscapeString(p.Title), p.Style)
	c.rect("paper", 0, 0, pictureWidth, pictureHeight)
	c.text("title", "start", pictureMargin, 34, p.Title)
	fmt.Fprintf(&c.b, `<svg x="%d" y="%d" width="%d" height="%d">`, pictureMargin, pictureTitle,
		pictureWidth-2*pictureMargin, pictureHeight-pictureTitle-pictureLine*(len(p.Foot)+1))
	c.unit, c.size = "%", "em"
	p.draw(c)
	c.unit, c.size = "", ""
	c.b.WriteString("</svg>")
	for i, line := range p.Foot {
		c.text("foot", "start", pictureMargin, float64(pictureHeight-14-pictureLine*(len(p.Foot)-1-i)), line)
	}
	return []byte(c.html())
}
