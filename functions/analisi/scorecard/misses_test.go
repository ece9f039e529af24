package scorecard_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"verdetto/functions/analisi/scorecard"
	"verdetto/shared/fare"
	"verdetto/shared/text/i18n"
	"verdetto/shared/verdict/score"
)

// In one quarter all percentiles are too low, in the next too high: in the sum the errors cancel
// out.
func TestMissesByQuarter(t *testing.T) {
	monday, err := fare.ParseDay("2025-12-29")
	if err != nil {
		t.Fatal(err)
	}
	sum, weeks := new(score.Sum), map[fare.Day]*score.Sum{}
	for i, from := range []int{0, score.Places / 2} {
		c := new(score.Counts)
		for place := range score.Places / 2 {
			c.Places[i][from+place], c.Leads[1+3*i][from+place] = 20, 20
		}
		week := new(score.Sum)
		week.Add(monday+fare.Day(7*i), "csv", c)
		sum.Add(monday+fare.Day(7*i), "csv", c)
		weeks[monday+fare.Day(7*i)] = week
	}
	p := scorecard.Publish(sum, weeks)
	twenty := 20
	want := scorecard.Scarti{
		Partenze: scorecard.Scarto{Casi: 400},
		Trimestri: []scorecard.ScartoTrimestre{
			{Trimestre: "2026-Q1", Partenze: scorecard.Scarto{Casi: 200, Punti: 50}},
			{Trimestre: "2025-Q4", Partenze: scorecard.Scarto{Casi: 200, Punti: 50}},
		},
		Anticipi: []scorecard.ScartoAnticipo{
			{DaGiorni: 7, AGiorni: &twenty, Scarto: scorecard.Scarto{Casi: 200, Punti: 50}},
			{DaGiorni: 90, Scarto: scorecard.Scarto{Casi: 200, Punti: 50}},
		},
	}
	if diff := cmp.Diff(want, p.Scarti, cmpopts.IgnoreUnexported(scorecard.ScartoTrimestre{})); diff != "" {
		t.Error(diff)
	}
	for _, row := range []string{"\n,,scarti,partenze,casi,400\n",
		"\n,,scarti,2025-Q4-partenze,punti,50\n", "\n,,scarti,90,casi,200\n"} {
		if !strings.Contains(string(p.CSV()), row) {
			t.Errorf("the CSV lacks %q", row)
		}
	}
	l, _ := i18n.Find("en")
	shown, err := scorecard.Page(p, l, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []string{
		`<th scope="row">Q4 2025</th><td>200</td><td>50.0</td>`,
		`<th scope="row">90 days ahead or more</th><td>200</td><td>50.0</td>`,
	} {
		if !strings.Contains(string(shown.Body), row) {
			t.Errorf("the page lacks %s", row)
		}
	}
}
