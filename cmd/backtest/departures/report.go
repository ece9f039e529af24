package departures

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"verdetto/cmd/backtest/stats"
)

// Shares, chances of a fall and changes are fractions: 0.05 is 5 %. Missing gives the reasons why a
// result is absent.
type Report struct {
	Ask        string         `json:"ask"`
	First      string         `json:"first"`
	From       string         `json:"from"`
	To         string         `json:"to"`
	Cycle      int            `json:"cycleDays"`
	Dropped    map[string]int `json:"rowsDropped,omitempty"`
	Notes      []string       `json:"notes,omitempty"`
	Rows       int            `json:"rows"`
	Routes     int            `json:"routes"`
	Departures int            `json:"departures"`
	BlockDays  int            `json:"blockDays"`
	Questions  int            `json:"asked"`
	Fell       float64        `json:"fell"` // share of Questions whose fare fell at least 5 % within 7 days

	Methods       []Method     `json:"methods"`
	Fortnight     *Method      `json:"fortnight,omitempty"` // results of the rule's chance of a fall within 14 days
	Against       []Comparison `json:"against"`
	Levels        []Level      `json:"levels"`          // levels by the percentile alone
	Published     []Level      `json:"levelsPublished"` // levels that the service publishes
	WorstMiss     float64      `json:"worstMissOfPercentile"`
	MissByQuarter []stats.Miss `json:"missByQuarter"`
	MissByLead    []stats.Miss `json:"missByLead"`
	Followed      []Followed   `json:"followed"`
	References    []Reference  `json:"references"`
	Missing       []string     `json:"missing,omitempty"`
}

type Method struct {
	Name        string       `json:"name"`
	Answered    float64      `json:"answered"` // share of the rows with a known outcome that the method answers
	Count       int          `json:"count"`
	AUC         float64      `json:"auc"` // AUC of the chance of a fall
	Interval    *stats.Range `json:"aucInterval,omitempty"`
	ScoreAUC    float64      `json:"scoreAuc"` // AUC of the percentile alone
	BrierSkill  float64      `json:"brierSkill"`
	ECE         float64      `json:"ece"`
	Reliability []stats.Bin  `json:"reliability"`
	WorstMiss   *float64     `json:"worstMissOfPercentile,omitempty"` // set only for the rival rule
}

// Rule is the AUC of the rule's chance of a fall, and AUC the AUC of the rival's percentile.
type Comparison struct {
	Rival           string       `json:"rival"`
	Count           int          `json:"count"`
	Rule            float64      `json:"ruleAuc"`
	AUC             float64      `json:"rivalAuc"`
	Difference      float64      `json:"difference"`
	Interval        *stats.Range `json:"interval,omitempty"`
	RuleBrierSkill  float64      `json:"ruleBrierSkill"`
	RivalBrierSkill float64      `json:"rivalBrierSkill"`
	RuleECE         float64      `json:"ruleEce"`
	RivalECE        float64      `json:"rivalEce"`
}

// The level "all" covers the fares of every level.
type Level struct {
	Level  string       `json:"livello"`
	Count  int          `json:"count"`
	Stated float64      `json:"stated"`
	Fell   float64      `json:"fell"`
	Falls  *stats.Range `json:"fellInterval,omitempty"`
}

type Reference struct {
	Name     string    `json:"name"`
	Count    int       `json:"count"`
	AUC      float64   `json:"auc,omitempty"` // absent if all fares fell or none did
	ScoreAUC float64   `json:"scoreAuc,omitempty"`
	Falls    []float64 `json:"fellByLevel"` // shares of falls, from ottimo to caro
}

func (r Report) Print(out io.Writer) {
	t := stats.NewTables(out)
	t.Line("%s: %d fares of %d departures on %d routes, %s to %s, a refresh every %d days; judged from %s",
		r.Ask, r.Rows, r.Departures, r.Routes, r.First, r.To, r.Cycle, r.From)
	t.Line("asked %d times what is known: was the very departure at least 5 %% cheaper within 7 days? %s were", r.Questions, stats.Percent(r.Fell))
	t.LeftOut(r.Dropped, r.Notes)
	t.Line("[..] holds the number at 95 %%: routes and blocks of %d days drawn anew", r.BlockDays)
	r.printSkill(t)
	r.printCalibration(t)
	r.printWaiting(t)
	t.End(r.Missing)
}

func (r Report) printSkill(t stats.Tables) {
	t.Title("Each method on the rows that it answers. AUC of the chance and of the percentile alone, skill of the chance")
	t.Row("method\tanswered\tAUC\t\tpercentile alone\tBrier skill\tECE")
	methods := slices.Clone(r.Methods)
	if r.Fortnight != nil {
		methods = append(methods, *r.Fortnight)
	}
	for _, m := range methods {
		t.Row("%s\t%s\t%.3f\t%s\t%.3f\t%.3f\t%.3f", m.Name, stats.Percent(m.Answered), m.AUC,
			m.Interval.Plain(), m.ScoreAUC, m.BrierSkill, m.ECE)
	}

	t.Title("The rule and each rival on the rows that both answer")
	t.Row("rival\trows\trule AUC\trival's\tdifference\t\tBrier skill\trival's\tECE\trival's")
	for _, c := range r.Against {
		t.Row("%s\t%d\t%.3f\t%.3f\t%+.3f\t%s\t%.3f\t%.3f\t%.3f\t%.3f", c.Rival, c.Count, c.Rule, c.AUC,
			c.Difference, c.Interval.Plain(), c.RuleBrierSkill, c.RivalBrierSkill, c.RuleECE, c.RivalECE)
	}

	t.Title("The rule on other prices: a walk of the same steps, where nothing can be known, and the route's prices shuffled, where all reverts")
	t.Row("prices\trows\tAUC\tpercentile alone\tfell after ottimo\tbuono\tnormale\tcaro")
	for _, f := range r.References {
		var falls []string
		for _, v := range f.Falls {
			falls = append(falls, stats.Percent(v))
		}
		t.Row("%s\t%d\t%.3f\t%.3f\t%s", f.Name, f.Count, f.AUC, f.ScoreAUC, strings.Join(falls, "\t"))
	}
}

func (r Report) printCalibration(t stats.Tables) {
	for i, levels := range [][]Level{r.Levels, r.Published} {
		t.Title("What follows a level within 7 days%s", [...]string{", by percentile alone", ", as published: normale about the usual price"}[i])
		t.Row("level\trows\tmean said\tfell 5 %%\t")
		for _, l := range levels {
			t.Row("%s\t%d\t%s\t%s\t%s", l.Level, l.Count, stats.Percent(l.Stated), stats.Percent(l.Fell), l.Falls.Percent())
		}
	}

	rival := ""
	for _, m := range r.Methods {
		if m.WorstMiss != nil {
			rival = fmt.Sprintf(" (%s: %.1f)", m.Name, *m.WorstMiss)
			continue
		}
		t.Title("What the stated chances came to")
		t.Row("said from\trows\tmean said\tfell")
		for _, b := range m.Reliability {
			t.Row("%s\t%d\t%s\t%s", stats.Percent(b.From), b.Count, stats.Percent(b.Stated), stats.Percent(b.Fell))
		}
	}
	t.Title("Share of answers with a percentile of p or less: the worst is off by %.1f points%s", r.WorstMiss, rival)
	t.Misses("The percentile by quarter of the question", r.WorstMiss, r.MissByQuarter)
	t.Misses("The percentile by days before departure", r.WorstMiss, r.MissByLead)
}

func (r Report) printWaiting(t stats.Tables) {
	for _, f := range r.Followed {
		t.Title("What waiting %d days did, more than %[1]d days ahead, by the chance that was stated", f.Days)
		t.Row("chance\trows\tfell 5 %%\trose 5 %%\tagainst at once\t\tmedian\tdearer\tagainst a random day\t")
		for _, b := range f.Bands {
			t.Row("%s to %s\t%d\t%s\t%s\t%+.1f %%\t%s\t%+.1f %%\t%s\t%+.1f %%\t%s", stats.Percent(b.From), stats.Percent(b.To),
				b.Count, stats.Percent(b.Fell), stats.Percent(b.Rose), 100*b.AtOnce, b.Once.Percent(), 100*b.Median,
				stats.Percent(b.Dearer), 100*b.Random, b.Any.Percent())
		}
	}
}
