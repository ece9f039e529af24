package notify

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
)

// The picture is drawn at twice its displayed size, so that it is sharp on high-resolution screens.
const (
	pictureWidth  = 560 // displayed size in pixels
	pictureHeight = 160

	scale    = 2
	margin   = 8 * scale
	gap      = 5 * scale
	line     = 2 * scale
	headroom = 12 // percent
)

const (
	paper = iota
	pastBar
	todayBar
	ink
)

// The paper is transparent, because mail programs show the picture on their own background.
var palette = color.Palette{
	paper:    color.Transparent,
	pastBar:  color.RGBA{0xc9, 0xbd, 0xa2, 0xff},
	todayBar: color.RGBA{0x7a, 0x6f, 0x55, 0xff},
	ink:      color.RGBA{0x8a, 0x84, 0x78, 0xff},
}

// Bars start at 0, so their heights are proportional to prices.
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

const minBars = 8

func (n news) drawn() int {
	for i, low := range n.Lows {
		if low > 0 {
			return max(weeks-i, minBars)
		}
	}
	return minBars
}

func (n news) tooFew() bool {
	known := 0
	for _, low := range n.Lows {
		if low > 0 {
			known++
		}
	}
	return known < minWeeks
}

const minWeeks = 3
