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
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/functions/analisi/page/chart"
	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

var update = flag.Bool("update", false, "write the golden files anew")

func money(c fare.Cents) string { return fmt.Sprintf("%d €", c/100) }
func month(m time.Month) string { return m.String()[:3] }

func monday(weeks int) fare.Day { return fare.CycleOf(16861).First() + fare.Day(7*weeks) }

func charts() map[string]string {
	history := chart.History{
		Weeks: []verdict.Week{
			{First: monday(-20), Minimum: 3000, Median: 3400, Days: 7},
			{First: monday(-19), Minimum: 2800, Median: 3600, Days: 5},
			{First: monday(-10), Minimum: 4100, Median: 4200, Days: 1},
			{First: monday(-1), Minimum: 2500, Median: 3000, Days: 7},
			{First: monday(0), Minimum: 2600, Median: 2600, Days: 1},
		},
		Today: 16861, Price: 2599, Money: money, Month: month,
		Label: `a "label" <with> marks`,
	}
	flat := history
	flat.Weeks, flat.Price = nil, 1999
	above := history
	above.Price = 99_000
	fares := chart.Range{Minimum: 1200, Q1: 2800, Median: 3000, Q3: 4000, Maximum: 8500, Price: 2599, Label: "range"}
	far, one := fares, fares
	far.Price = 99_000
	one.Minimum, one.Q1, one.Median, one.Q3, one.Maximum, one.Price = 3000, 3000, 3000, 3000, 3000, 3000
	return map[string]string{
		"history":       string(history.SVG()),
		"history-flat":  string(flat.SVG()),
		"history-above": string(above.SVG()),
		"range":         string(fares.SVG()),
		"range-far":     string(far.SVG()),
		"range-one":     string(one.SVG()),
		"days": string(chart.History{
			Days: []chart.DayPrice{{Day: 16861 - 90, Price: 4500}, {Day: 16861 - 60, Price: 3999},
				{Day: 16861 - 10, Price: 5200}, {Day: 16861, Price: 5200}},
			Today: 16861, Price: 5200, Money: money, Month: month, Label: "days",
		}.SVG()),
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
				if first := decoder.InputOffset() == int64(strings.Index(svg, ">")+1); first &&
					(attributes["role"] != "img" || attributes["aria-label"] == "") {
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
		side color.RGBA
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
