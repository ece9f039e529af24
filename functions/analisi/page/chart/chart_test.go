package chart_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"image/color"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"verdetto/functions/analisi/page/chart"
	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

var update = flag.Bool("update", false, "write the golden files anew")

func money(c fare.Cents) string { return fmt.Sprintf("%d €", c/100) }
func month(m time.Month) string { return m.String()[:3] }

func whole(c fare.Cents) string { return strconv.Itoa(int((c + 50) / 100)) }

func monday(weeks int) fare.Day { return fare.CycleOf(16861).First() + fare.Day(7*weeks) }

// charts returns charts of ordinary, few and odd data, by name.
func charts() map[string]string {
	history := chart.History{
		Weeks: []verdict.Week{
			{First: monday(-20), Minimum: 3000, Median: 3400, Days: 7},
			{First: monday(-19), Minimum: 2800, Median: 3600, Days: 5},
			{First: monday(-10), Minimum: 4100, Median: 4200, Days: 1}, // a single week
			{First: monday(-1), Minimum: 2500, Median: 3000, Days: 7},
			{First: monday(0), Minimum: 2600, Median: 2600, Days: 1},
		},
		Today: 16861, Price: 2599, Level: "buono", Money: money, Month: month,
		Label: `a "label" <with> marks`,
	}
	flat := history
	flat.Weeks, flat.Price, flat.Level = nil, 1999, "normale"
	above := history
	above.Price, above.Level = 99_000, "caro"
	fares := chart.Range{Minimum: 1200, Q1: 2800, Median: 3000, Q3: 4000, Maximum: 8500, Price: 2599, Level: "buono",
		Marks: chart.Marks{Price: "this fare 25 €", Usual: "usual 30 € (half: 28 € to 40 €)", Lowest: "lowest 12 €",
			Highest: "highest 85 €"}, Label: "range"}
	far, one := fares, fares
	far.Price, far.Level = 99_000, "caro"
	one.Minimum, one.Q1, one.Median, one.Q3, one.Maximum, one.Price, one.Level = 3000, 3000, 3000, 3000,
		3000, 3000, "normale"
	return map[string]string{
		"history":        string(history.SVG(680, 300)),
		"history-narrow": string(history.SVG(328, 260)),
		"history-flat":   string(flat.SVG(680, 300)),
		"history-above":  string(above.SVG(680, 300)),
		"range":          string(fares.SVG(680)),
		"range-far":      string(far.SVG(328)),
		"range-one":      string(one.SVG(328)),
		"months": string(chart.Months{
			Months: []verdict.Month{{Month: 11, Median: 2000, Sample: 9}, {Month: 2, Median: 3050, Sample: 8},
				{Month: 7, Median: 9999, Sample: 5}},
			Best: 1, Name: month, Whole: whole, Label: "months",
		}.SVG(680, 190)),
		"months-links": string(chart.Months{
			Months: []verdict.Month{{Month: 11, Median: 2000, Sample: 9}, {Month: 2, Median: 3050, Sample: 8}},
			Best:   1, Name: month, Whole: whole, Full: time.Month.String,
			To: func(m time.Month) string { return fmt.Sprintf("#m&%d", m) }, Label: "months",
		}.SVG(328, 170)),
		"moves": string(chart.Moves{
			Prices: []chart.DayPrice{{Day: 16861 - 90, Price: 4500}, {Day: 16861 - 60, Price: 3999},
				{Day: 16861 - 10, Price: 5200}, {Day: 16861, Price: 5200}},
			Today: 16861, Price: 5200, Level: "normale", Money: money, Month: month, Label: "moves",
		}.SVG(680, 220)),
		"moves-none": string(chart.Moves{Today: 16861, Price: 5200, Level: "caro", Money: money, Month: month,
			Label: "moves"}.SVG(328, 200)),
		"months-none": string(chart.Months{Name: month, Label: "months"}.SVG(328, 170)),
	}
}

func TestCharts(t *testing.T) {
	for name, svg := range charts() {
		t.Run(name, func(t *testing.T) {
			decoder := xml.NewDecoder(strings.NewReader(svg))
			for {
				token, err := decoder.Token()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatalf("not well formed: %v", err)
				}
				element, ok := token.(xml.StartElement)
				if !ok {
					continue
				}
				attributes := map[string]string{}
				for _, a := range element.Attr {
					attributes[a.Name.Local] = a.Value
					if a.Name.Local == "style" || strings.HasPrefix(a.Name.Local, "on") {
						t.Errorf("%s: the policy forbids it", a.Name.Local)
					}
					if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
						t.Errorf("%s=%q", a.Name.Local, a.Value)
					}
				}
				role := map[bool]string{true: "group", false: "img"}[strings.Contains(svg, "<a ")]
				if element.Name.Local == "a" && (attributes["href"] == "" || attributes["aria-label"] == "") {
					t.Errorf("a link without a name: %v", attributes)
				}
				if element.Name.Local == "svg" &&
					(attributes["role"] != role || attributes["aria-label"] == "" || attributes["viewBox"] == "") {
					t.Errorf("no image to a screen reader: %v", attributes)
				}
			}
			path := filepath.Join("testdata", name+".svg")
			if *update {
				if err := os.MkdirAll("testdata", 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(strings.ReplaceAll(svg, "><", ">\n<")+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err, "; go test ./functions/analisi/page/chart -update writes it")
			}
			if diff := cmp.Diff(string(want), strings.ReplaceAll(svg, "><", ">\n<")+"\n"); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCard(t *testing.T) {
	scale := chart.Range{Minimum: 1999, Q1: 2800, Median: 3300, Q3: 4200, Maximum: 9900, Price: 2999}
	for _, c := range []struct {
		name string
		card chart.Card
		side color.RGBA // colour of the left edge
	}{
		{"verdict", chart.Card{Route: "Da Milano a Bucarest", Verdict: "29,99 €: buono",
			Detail: "Circa 3 € meno del solito per questa rotta.", Foot: "al 1 marzo 2016", Level: "buono", Scale: &scale},
			color.RGBA{0x3b, 0x74, 0x47, 0xff}},
		{"nothing known", chart.Card{Route: "Da A a B", Verdict: "Il prezzo di oggi è buono?", Foot: "al 1 marzo 2016"},
			color.RGBA{0x1d, 0x1b, 0x18, 0xff}},
		{"long, and in letters that the typeface lacks",
			chart.Card{Route: "Łódź → Târgu Mureș 東京 " + strings.Repeat("very long ", 30),
				Verdict: strings.Repeat("wide ", 60), Level: "caro"}, color.RGBA{0xa3, 0x3b, 0x20, 0xff}},
	} {
		t.Run(c.name, func(t *testing.T) {
			data, err := c.card.PNG()
			if err != nil {
				t.Fatal(err)
			}
			img, err := png.Decode(bytes.NewReader(data))
			if err != nil || img.Bounds().Dx() != chart.CardWidth || img.Bounds().Dy() != chart.CardHeight {
				t.Fatal(err, img.Bounds())
			}
			if len(data) > 100_000 {
				t.Errorf("%d bytes", len(data))
			}
			if r, g, b, _ := img.At(5, 300).RGBA(); uint8(r>>8) != c.side.R || uint8(g>>8) != c.side.G ||
				uint8(b>>8) != c.side.B {
				t.Errorf("the edge is %x %x %x", r>>8, g>>8, b>>8)
			}
			for y := range chart.CardHeight {
				if img.At(chart.CardWidth-30, y) != img.At(chart.CardWidth-1, 1) {
					t.Fatalf("the margin is written over at %d", y)
				}
			}
			again, err := c.card.PNG()
			if err != nil || !bytes.Equal(data, again) {
				t.Error("drawn twice it is not the same", err)
			}
		})
	}
}

func TestMarks(t *testing.T) {
	marks := chart.Marks{Price: "this fare 25 €", Usual: "usual 30 €", Lowest: "lowest 12 €",
		Highest: "highest 85 €"}
	r := chart.Range{Minimum: 1200, Q1: 2800, Median: 3000, Q3: 4000, Maximum: 8500, Price: 2599, Marks: marks,
		Label: "range"}
	for _, width := range []int{328, 680} {
		svg := string(r.SVG(width))
		for _, text := range []string{marks.Price, marks.Usual, marks.Lowest, marks.Highest} {
			if strings.Count(svg, ">"+text+"</text>") != 1 {
				t.Errorf("%d pixels: lacks %q", width, text)
			}
		}
		if strings.Count(svg, "<text") != 4 {
			t.Errorf("%d pixels: other texts in %s", width, svg)
		}
	}
}

func TestMargin(t *testing.T) {
	for price, most := range map[string]float64{"52 €": 66, "78,19 USD": 90, "1.278,19 USD": 120} {
		svg := string(chart.Moves{Today: 16861, Price: 5200, Level: "buono", Month: month,
			Money: func(fare.Cents) string { return price }}.SVG(328, 200))
		_, label, _ := strings.Cut(svg, `<text class="label" text-anchor="end" x="`)
		label, _, _ = strings.Cut(label, `"`)
		x, err := strconv.ParseFloat(label, 64)
		if needs := 8.2 * float64(utf8.RuneCountInString(price)); err != nil || x < needs || x > most {
			t.Errorf("%s ends at %q, needs %.0f", price, label, needs)
		}
	}
}
