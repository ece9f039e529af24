package chart_test

import (
	"encoding/xml"
	"fmt"
	"strings"
	"testing"
	"time"

	"verdetto/functions/analisi/page/chart"
	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

func TestPicture(t *testing.T) {
	week := func(first fare.Day, low fare.Cents) verdict.Week {
		return verdict.Week{First: first, Minimum: low, Median: low + 500, Days: 7}
	}
	today := fare.CycleOf(16861).First()
	p := chart.Picture{Title: `"A" <& B>`, Foot: []string{"first", "second"}, Style: ".x { fill: red }",
		History: chart.History{
			Today: today, Weeks: []verdict.Week{week(today-21, 3000), week(today-14, 2500), week(today-7, 4000)},
			Money: func(c fare.Cents) string { return fmt.Sprint(c) }, Month: time.Month.String, Label: "a label",
		}}
	for _, name := range []string{"weeks alone", "with today's fare"} {
		priced := name == "with today's fare"
		if priced {
			p.Price = 2600
		}
		svg := string(p.SVG())
		if err := xml.Unmarshal([]byte(svg), new(struct{})); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, part := range []string{`xmlns="http://www.w3.org/2000/svg"`, "&#34;A&#34; &lt;&amp; B&gt;", ">first<",
			">second<", ".x { fill: red }", `class="low"`} {
			if !strings.Contains(svg, part) {
				t.Errorf("%s: %s is not in %s", name, part, svg)
			}
		}
		for _, part := range []string{`class="now"`, `class="today`} {
			if strings.Contains(svg, part) != priced {
				t.Errorf("%s: %s is in it: %v", name, part, !priced)
			}
		}
		for _, elsewhere := range []string{"href", "url(", "<script", "@import", "NaN"} {
			if strings.Contains(svg, elsewhere) {
				t.Errorf("%s: %s is in it", name, elsewhere)
			}
		}
	}
}
