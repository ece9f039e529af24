package counted

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"verdetto/functions/analisi/page/chart"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
)

type card struct {
	words                                      chart.Card
	minimum, low, median, high, maximum, price float64
	weeks                                      []float64
}

var changes = map[string]func(c *card, l *i18n.Language){
	"level": func(c *card, l *i18n.Language) {
		level := map[bool]string{true: "caro", false: "ottimo"}[c.words.Level == "ottimo"]
		c.words.Verdict = wording.Sentence(l.Text("headline.market", "Level", l.Text("market."+level)))
	},
	"amount":  func(c *card, _ *i18n.Language) { c.words.Price = falsified("", c.words.Price, i18n.English()) },
	"minimum": func(c *card, _ *i18n.Language) { c.minimum *= .9 },
	"low":     func(c *card, _ *i18n.Language) { c.low *= .9 },
	"median":  func(c *card, _ *i18n.Language) { c.median *= 1.1 },
	"high":    func(c *card, _ *i18n.Language) { c.high *= 1.1 },
	"maximum": func(c *card, _ *i18n.Language) { c.maximum *= 1.1 },
	"price":   func(c *card, _ *i18n.Language) { c.price *= 1.1 },
	"week": func(c *card, _ *i18n.Language) {
		c.weeks = slices.Clone(c.weeks)
		c.weeks[len(c.weeks)/2] *= 1.1
	},
	"gap": func(c *card, _ *i18n.Language) { c.weeks = c.weeks[1:] },
}

func (w *world) checkCards(t *testing.T, r *route, l *i18n.Language, planted map[string]bool) {
	t.Helper()
	path, doc := "/card/"+r.from+"-"+r.to+"-"+l.Code, any(nil)
	if err := json.Unmarshal([]byte(w.ask("/v1/analisi?origine="+r.from+"&destinazione="+r.to)), &doc); err != nil {
		t.Fatal(err)
	}
	drawn, err := png.Decode(strings.NewReader(w.ask(path + ".png")))
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return
	}
	svg, want := w.ask(path+".svg"), w.card(r, l, fmt.Sprint(at(doc, "verdetto.affidabilita")))
	faults := want.faults(t, drawn, svg)
	if len(faults) > 0 {
		t.Errorf("%s: %v", path, faults)
		return
	}
	for what, change := range changes {
		if other := want; !planted["picture "+what] {
			change(&other, l)
			planted["picture "+what] = len(other.faults(t, drawn, svg)) > 0
		}
	}
}

func (w *world) card(r *route, l *i18n.Language, certainty string) (c card) {
	s := &reading{route: r, w: w, l: l}
	c.low, c.high = s.half()
	c.low, c.high, c.minimum, c.maximum = r.euro(c.low), r.euro(c.high), r.euro(r.minimum()), r.euro(r.maximum())
	c.median, c.price = r.euro(r.quantile(.5)), r.euro(float64(r.price))
	c.words = chart.Card{Level: r.level(), Verdict: wording.Sentence(l.Text("headline.market", "Level", l.Text("market."+r.level()))) + ".",
		Price:  l.Money(fare.Cents(math.Round(c.price))),
		Route:  l.Text("home.route", "From", places.Name(fare.City(r.from), l.Code), "To", places.Name(fare.City(r.to), l.Code)),
		Detail: l.Text("certainty."+certainty) + ".", Foot: l.Text("verdict.as_of", "Date", l.Date(fare.DayOf(w.now)))}
	if w.file == "" {
		c.words.Foot += " · " + l.Text("home.invented")
	}
	monday := fare.DayOf(w.now).Time()
	monday = monday.AddDate(0, 0, -(int(monday.Weekday())+6)%7)
	for i := range 26 {
		if prices := r.week(dayOf(monday.AddDate(0, 0, 7*(i-25)))); len(prices) > 0 {
			c.weeks = append(c.weeks, r.euro(float64(prices[0])))
		}
	}
	return c
}

func (c card) faults(t *testing.T, drawn image.Image, svg string) (faults []string) {
	data, err := c.words.PNG()
	if err != nil {
		t.Fatal(err)
	}
	words, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	got, want, top, end := drawn.(*image.RGBA), words.(*image.RGBA), scaleTop*4*chart.CardWidth, scaleEnd*4*chart.CardWidth
	if !bytes.Equal(got.Pix[:top], want.Pix[:top]) || !bytes.Equal(got.Pix[end:], want.Pix[end:]) {
		return []string{fmt.Sprintf("the words are not %+v", c.words)}
	}
	for _, y := range []int{scaleTop + 6, scaleTop + 16, scaleTop + 28} {
		row := c.row(drawn.At(5, 5), y) // the left edge has the colour of the level
		for x := range row {
			near := row[max(0, x-c.loose()):min(len(row), x+c.loose()+1)]
			if !slices.Contains(near, drawn.At(x, y)) {
				return []string{fmt.Sprintf("the scale differs at %d,%d from %+v", x, y, c)}
			}
		}
	}
	return c.weekFaults(svg)
}

const scaleTop, scaleEnd = 424, 480

var ink, middle, paper = color.RGBA{0x1d, 0x1b, 0x18, 0xff}, color.RGBA{0xc9, 0xbd, 0xa2, 0xff}, color.RGBA{0xfb, 0xf9, 0xf4, 0xff}

func (c card) bounds() (low, high float64) {
	low, high = math.Log(min(c.minimum, c.price)), math.Log(max(c.maximum, c.price))
	if high-low < 1e-9 {
		return low - 1, high + 1
	}
	return low, high
}

// loose is a tolerance in pixels for the rounding of converted amounts.
func (c card) loose() int {
	low, high := c.bounds()
	return 1 + int(1024/(high-low)*2/min(c.minimum, c.price))
}

func (c card) row(level color.Color, y int) []color.Color {
	low, high := c.bounds()
	at := func(price float64) int { return 96 + int(1024*(math.Log(price)-low)/(high-low)) }
	row := slices.Repeat([]color.Color{paper}, chart.CardWidth)
	fill := func(from, to int, paint color.Color) {
		for x := max(0, from); x < min(to, len(row)); x++ {
			row[x] = paint
		}
	}
	fill(0, 28, level)
	if y >= scaleTop+26 && y < scaleTop+30 {
		fill(at(c.minimum), at(c.maximum), ink)
	}
	if y >= scaleTop+12 && y < scaleTop+44 {
		fill(at(c.low), max(at(c.low)+4, at(c.high)), middle)
		fill(at(c.median)-2, at(c.median)+2, ink)
	}
	fill(at(c.price)-7, at(c.price)+7, level)
	return row
}

var (
	gridLine = regexp.MustCompile(`<line class="grid"[^>]* y1="([0-9.]+)%"[^>]*/><text[^>]*>([^<]*)</text>`)
	nowLine  = regexp.MustCompile(`<line class="now"[^>]* y1="([0-9.]+)%"`)
	weekDots = regexp.MustCompile(`<path class="week" d="([^"]*)"`)
	weekDot  = regexp.MustCompile(`M[0-9.]+ ([0-9.]+)h0`)
)

func (c card) weekFaults(svg string) (faults []string) {
	lines, now, path := gridLine.FindAllStringSubmatch(svg, -1), nowLine.FindStringSubmatch(svg), weekDots.FindStringSubmatch(svg)
	if now == nil || path == nil {
		return []string{"the chart has no weeks, or no fare of today"}
	}
	dots := weekDot.FindAllStringSubmatch(path[1], -1)
	if len(dots) != len(c.weeks) {
		return []string{fmt.Sprintf("the chart has %d weeks, counted %d", len(dots), len(c.weeks))}
	}
	if len(lines) < 2 {
		return nil
	}
	height := func(text string) float64 { y, _ := strconv.ParseFloat(text, 64); return y }
	first, last := lines[0], lines[len(lines)-1]
	each := (number(plain(last[2])) - number(plain(first[2]))) / (height(last[1]) - height(first[1])) // cents per percent of the chart's height
	for i, dot := range append(dots, now) {
		price := append(slices.Clone(c.weeks), c.price)[i]
		if got := number(plain(first[2])) + each*(height(dot[1])-height(first[1])); math.Abs(got-price) > math.Abs(each)*.3+2 {
			faults = append(faults, fmt.Sprintf("fare %d of the chart is at %.0f, counted %.0f", i, got, price))
		}
	}
	return faults
}

func (w *world) checkBars(t *testing.T, r *route, picture []byte, planted map[string]bool) {
	t.Helper()
	lows := make([]int64, 26)
	for _, l := range r.lows {
		day, _ := fare.ParseDay(l.day)
		if back := int(fare.DayOf(w.now)-1-day) / 7; back < len(lows) && (lows[25-back] == 0 || l.price < lows[25-back]) {
			lows[25-back] = l.price
		}
	}
	lows = append(slices.DeleteFunc(lows, func(low int64) bool { return low == 0 }), r.price)
	img, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		t.Fatal(err)
	}
	drawn := img.(*image.Paletted)
	const past, line, ground, left = 1, 3, 304, 16 // past and line are indices in the palette, ground and left are in pixels
	height := func(x int, matches func(colour uint8) bool) int {
		for y := range ground {
			if matches(drawn.ColorIndexAt(x, y)) {
				return ground - y
			}
		}
		return 0
	}
	var bars []int
	for x, before := 0, 0; x < drawn.Bounds().Dx(); x++ {
		now := height(x, func(colour uint8) bool { return colour >= past && colour < line })
		if now > 0 && before == 0 {
			bars = append(bars, now)
		}
		before = now
	}
	wrong := func(lows []int64, median float64) bool {
		each := 253 / max(float64(slices.Max(lows)), median)
		for i, low := range lows {
			if math.Abs(float64(bars[i])-each*float64(low)) > 6 { // the line at the median may hide the top of a bar
				return true
			}
		}
		return math.Abs(float64(height(left, func(colour uint8) bool { return colour == line }))-each*median) > 6
	}
	if len(bars) != len(lows) || wrong(lows, r.quantile(.5)) {
		t.Errorf("%s-%s: the bars are %v high, counted %v, median %v", r.from, r.to, bars, lows, r.quantile(.5))
		return
	}
	other := slices.Clone(lows)
	other[0] += other[0] / 10
	planted["picture bar"] = planted["picture bar"] || wrong(other, r.quantile(.5))
	planted["picture median line"] = planted["picture median line"] || wrong(lows, 1.1*r.quantile(.5))
}
