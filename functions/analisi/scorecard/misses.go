package scorecard

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"verdetto/shared/fare"
	"verdetto/shared/text/i18n"
	"verdetto/shared/verdict/score"
)

type Scarti struct {
	Partenze  Scarto            `json:"partenze" doc:"Percentiles of departures"`
	Trimestri []ScartoTrimestre `json:"trimestri" nullable:"false" doc:"By quarter of the calendar, the newest first; a week belongs to the quarter of its Monday"`
	Anticipi  []ScartoAnticipo  `json:"anticipi" nullable:"false" doc:"Percentiles of departures by days ahead, those with cases; counted since this field exists"`
}

type Scarto struct {
	Casi  int     `json:"casi"`
	Punti float64 `json:"punti" doc:"Largest distance, in points, of percentile 5, 10, 25, 50, 75, 90 or 95 from the share of cases below it; under 100 cases mostly chance"`
}

type ScartoTrimestre struct {
	Trimestre string `json:"trimestre" example:"2026-Q1"`
	Partenze  Scarto `json:"partenze"`
	quarter   fare.Quarter
}

type ScartoAnticipo struct {
	DaGiorni int  `json:"daGiorni"`
	AGiorni  *int `json:"aGiorni,omitempty" doc:"Absent of the last"`
	Scarto
}

func scartoOf(places [score.Places]int64) Scarto {
	n, points := score.Miss(places)
	return Scarto{int(n), math.Round(10*points) / 10}
}

func scartiOf(sum *score.Counts, weeks map[fare.Day]*score.Sum) Scarti {
	s := Scarti{Partenze: scartoOf(sum.AllPlaces()), Trimestri: []ScartoTrimestre{}, Anticipi: []ScartoAnticipo{}}
	quarters := map[fare.Quarter]*[score.Places]int64{}
	for monday, week := range weeks {
		places := quarters[monday.Quarter()]
		if places == nil {
			places = new([score.Places]int64)
			quarters[monday.Quarter()] = places
		}
		score.AddPlaces(places, week.AllPlaces())
	}
	for _, q := range slices.Backward(slices.Sorted(maps.Keys(quarters))) {
		s.Trimestri = append(s.Trimestri, ScartoTrimestre{q.String(), scartoOf(*quarters[q]), q})
	}
	for span, places := range sum.Leads {
		if one := scartoOf(places); one.Casi > 0 {
			from, to := daysAhead(span)
			s.Anticipi = append(s.Anticipi, ScartoAnticipo{from, to, one})
		}
	}
	return s
}

func daysAhead(span int) (from int, to *int) {
	if span > 0 {
		from = score.LeadEdges[span-1]
	}
	if span < score.Spans-1 {
		last := score.LeadEdges[span] - 1
		to = &last
	}
	return from, to
}

const leastCases = 100

func missesTable(s Scarti, l *i18n.Language) table {
	text := func(id string) string { return l.Text("pagella." + id) }
	off := func(s Scarto) string {
		if s.Casi < leastCases {
			return "–"
		}
		return l.Decimals(fmt.Sprintf("%.1f", s.Punti))
	}
	t := table{ID: "scarti", Title: text("misses"), Note: text("misses_note"),
		Heads: []string{text("part"), text("departures"), text("off")}}
	add := func(name string, s Scarto) { t.Rows = append(t.Rows, []string{name, l.Number(s.Casi), off(s)}) }
	add(text("whole"), s.Partenze)
	for _, q := range s.Trimestri {
		year, number := q.quarter.YearAndNumber()
		add(l.Text("pagella.quarter", "Quarter", number, "Year", fmt.Sprint(year)), q.Partenze)
	}
	for _, a := range s.Anticipi {
		name := l.Text("pagella.ahead_last", "From", a.DaGiorni)
		if a.AGiorni != nil {
			name = l.Text("pagella.ahead", "From", a.DaGiorni, "To", *a.AGiorni)
		}
		add(name, a.Scarto)
	}
	return t
}
