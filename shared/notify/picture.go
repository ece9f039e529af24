package notify

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
)

// The picture is drawn twice as large as it is shown, so that it is sharp on
// every screen. It holds no text: what it shows stands beside it in the mail.
const (
	pictureWidth  = 560 // as shown
	pictureHeight = 160

	scale    = 2
	margin   = 8 * scale
	gap      = 5 * scale
	line     = 2 * scale
	headroom = 12 // percent of the height that stay free above the highest bar
)

// The colours, by their place in the palette.
const (
	white    = iota
	pastBar  // of the last weeks
	todayBar // of today's fare
	ink      // the ground line, and the line of the median
)

var palette = color.Palette{
	white:    color.RGBA{0xff, 0xff, 0xff, 0xff},
	pastBar:  color.RGBA{0xa9, 0xb8, 0xc9, 0xff},
	todayBar: color.RGBA{0x0b, 0x57, 0xa4, 0xff},
	ink:      color.RGBA{0x1c, 0x24, 0x30, 0xff},
}

// drawPicture draws the news as a PNG: a bar for the cheapest fare of each of the
// last weeks, today's fare at the right in a colour of its own and wider, and
// the median as a dashed line across. Bars begin at nought, so that their
// lengths are as the prices are.
func drawPicture(n news) ([]byte, error) {
	const width, height = pictureWidth * scale, pictureHeight * scale
	canvas := image.NewPaletted(image.Rect(0, 0, width, height), palette)
	fill := func(x0, y0, x1, y1 int, c uint8) {
		for y := max(0, y0); y < min(height, y1); y++ {
			row := canvas.Pix[y*canvas.Stride:]
			for x := max(0, x0); x < min(width, x1); x++ {
				row[x] = c
			}
		}
	}

	top := max(n.Price, n.Median, 1)
	for _, low := range n.Lows {
		top = max(top, low)
	}
	ground := height - margin
	reach := ground - margin
	tall := func(price int64) int { return int(int64(reach) * (100 - headroom) / 100 * price / int64(top)) }

	// Today takes the room of two weeks.
	first := weeks - n.drawn()
	step := (width - 2*margin) / (weeks - first + 2)
	left := width - margin - step*(weeks-first+2)
	for i, low := range n.Lows[first:] {
		if low > 0 {
			x := left + i*step
			fill(x, ground-tall(int64(low)), x+step-gap, ground, pastBar)
		}
	}
	x := left + (weeks-first)*step
	fill(x, ground-tall(int64(n.Price)), width-margin, ground, todayBar)
	fill(margin, ground, width-margin, ground+line, ink)
	if n.Median > 0 {
		y := ground - tall(int64(n.Median))
		const dash = 6 * scale
		for x := margin; x < width-margin; x += 2 * dash {
			fill(x, y-line/2, min(x+dash, width-margin), y-line/2+line, ink)
		}
	}

	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&b, canvas); err != nil {
		return nil, fmt.Errorf("draw the lows of %s: %w", n.Route, err)
	}
	return b.Bytes(), nil
}

// minBars is how many weeks have room at least, however short the history is.
const minBars = 8
