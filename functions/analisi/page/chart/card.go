package chart

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/text/unicode/norm"

	"verdetto/shared/fare"
)

// CardWidth and CardHeight are the size in pixels that social sites expect of a picture.
const (
	CardWidth  = 1200
	CardHeight = 630
)

type Card struct {
	Route   string
	Verdict string
	Price   string
	Detail  string
	Foot    string
	Level   string
	Scale   *Range
}

//go:embed serif.ttf
var serif []byte

var typeface = sync.OnceValue(func() *opentype.Font {
	f, err := opentype.Parse(serif)
	if err != nil {
		panic(err)
	}
	return f
})

var (
	paper = color.RGBA{0xfb, 0xf9, 0xf4, 0xff}
	ink   = color.RGBA{0x1d, 0x1b, 0x18, 0xff}
	faint = color.RGBA{0x6b, 0x66, 0x5e, 0xff}
	// levelColor and levelInk are the colours of the levels in the pages' style sheet, for areas
	// and for text.
	levelColor = map[string]color.RGBA{
		"ottimo": {0x0c, 0x6b, 0x45, 0xff}, "buono": {0x6f, 0xa5, 0x70, 0xff},
		"normale": {0xc9, 0xbd, 0xa2, 0xff}, "caro": {0xb5, 0x4a, 0x2e, 0xff},
	}
	levelInk = map[string]color.RGBA{
		"ottimo": {0x0c, 0x6b, 0x45, 0xff}, "buono": {0x3b, 0x74, 0x47, 0xff},
		"normale": {0x6a, 0x5c, 0x3b, 0xff}, "caro": {0xa3, 0x3b, 0x20, 0xff},
	}
)

func (c Card) PNG() ([]byte, error) {
	img := image.NewRGBA(image.Rect(0, 0, CardWidth, CardHeight))
	p := painter{img: img}
	p.fill(img.Bounds(), paper)
	main := ink
	if l, ok := levelInk[c.Level]; ok {
		main = l
	}
	p.fill(image.Rect(0, 0, 28, CardHeight), main)
	const left, width = 96, CardWidth - 96 - 80
	p.write(left, 104, 40, width, faint, c.Route)
	p.write(left, 182, 64, width, main, c.Verdict)
	p.write(left, 308, 120, width, ink, c.Price)
	p.write(left, 376, 36, width, ink, c.Detail)
	if s := c.Scale; s != nil {
		at := func(price fare.Cents) int { return left + int(s.place(price, width)) }
		p.fill(image.Rect(at(s.Minimum), 450, at(s.Maximum), 454), ink)
		p.fill(image.Rect(at(s.Q1), 436, max(at(s.Q1)+4, at(s.Q3)), 468), levelColor["normale"])
		p.fill(image.Rect(at(s.Median)-2, 436, at(s.Median)+2, 468), ink)
		p.fill(image.Rect(at(s.Price)-7, 424, at(s.Price)+7, 480), main)
	}
	p.write(left, 562, 32, width-190, faint, c.Foot)
	p.write(CardWidth-80-150, 562, 40, 150, ink, "Verdetto")
	if p.err != nil {
		return nil, fmt.Errorf("draw card: %w", p.err)
	}
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.DefaultCompression}).Encode(&b, img); err != nil {
		return nil, fmt.Errorf("draw card: %w", err)
	}
	return c.described(b.Bytes()), nil
}

func (c Card) described(picture []byte) []byte {
	const header = 33 // bytes: the PNG signature and the first chunk
	text := []byte("iTXtDescription\x00\x00\x00\x00\x00" + strings.Join([]string{c.Route, c.Verdict, c.Price, c.Detail, c.Foot}, "\n"))
	chunk := append(binary.BigEndian.AppendUint32(nil, uint32(len(text)-len("iTXt"))), text...)
	return slices.Concat(picture[:header], binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(text)), picture[header:])
}

type painter struct {
	img draw.Image
	err error
}

func (p *painter) fill(r image.Rectangle, c color.RGBA) {
	draw.Draw(p.img, r, image.NewUniform(c), image.Point{}, draw.Src)
}

const smallest = 22 // size of text in pixels

func (p *painter) write(x, y int, size, room float64, c color.RGBA, text string) {
	text = drawable(text)
	for p.err == nil {
		face, err := opentype.NewFace(typeface(), &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingNone})
		if err != nil {
			p.err = err
			return
		}
		d := font.Drawer{Dst: p.img, Src: image.NewUniform(c), Face: face, Dot: fixed.P(x, y)}
		wide := float64(d.MeasureString(text)) / 64
		if wide > room && size > smallest {
			size = max(smallest, size*min(0.97, room/wide))
			continue
		}
		if wide > room {
			runes := []rune(strings.TrimSuffix(text, "…"))
			text = string(runes[:min(len(runes)-1, int(float64(len(runes))*room/wide))]) + "…"
			continue
		}
		d.DrawString(text)
		p.err = face.Close()
		return
	}
}

// unmarked replaces characters that Unicode does not decompose.
var unmarked = map[rune]rune{'ł': 'l', 'Ł': 'L', 'đ': 'd', 'Đ': 'D', 'ħ': 'h', 'Ħ': 'H', 'ı': 'i', 'ə': 'e', '→': '–'}

func drawable(text string) string {
	var b sfnt.Buffer
	has := func(r rune) bool {
		i, err := typeface().GlyphIndex(&b, r)
		return err == nil && i != 0
	}
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Mn, r):
			return -1
		case has(r):
			return r
		case unicode.IsSpace(r):
			return ' '
		}
		if plain, ok := unmarked[r]; ok {
			return plain
		}
		if bare := []rune(norm.NFD.String(string(r))); has(bare[0]) {
			return bare[0]
		}
		return '?'
	}, norm.NFC.String(text))
}
