package departures

import (
	"slices"

	"verdetto/cmd/verdetto/backtest/stats"
	"verdetto/shared/verdict/departure"
)

// Waiting holds how fares changed while a traveller waited, for fares whose stated chance of a fall
// lies in one band. The departure must leave after the wait and must be seen again within the wait.
type Waiting struct {
	From   float64      `json:"chanceFrom"`
	To     float64      `json:"chanceTo"`
	Count  int          `json:"count"`
	Fell   float64      `json:"fell"`          // share with a fare at least 5 % lower within the wait
	Rose   float64      `json:"rose"`          // share with a fare at least 5 % higher within the wait
	AtOnce float64      `json:"againstAtOnce"` // mean change: last fare of the wait against buying at once
	Once   *stats.Range `json:"againstAtOnceInterval,omitempty"`
	Median float64      `json:"median"`           // median of the same change
	Dearer float64      `json:"dearer"`           // share of waits that ended dearer
	Random float64      `json:"againstRandomDay"` // mean change against buying on a random day of the wait
	Any    *stats.Range `json:"againstRandomDayInterval,omitempty"`
}

// Followed holds how fares changed during waits of one horizon (7 or 14 days), by the bands of
// chances in the record.
type Followed struct {
	Days  int       `json:"days"`     // of the horizon
	Span  int       `json:"daysSpan"` // days from the first to the last question with a known outcome
	Bands []Waiting `json:"bands"`
}

func (m *reporter) waiting() {
	for h := range fallSpans {
		f := Followed{Days: int(fallSpans[h].Days()), Bands: m.bands(fallSpans[h], departure.RecordEdges)}
		f.Span = 1
		if rows := m.known[h]; len(rows) > 0 {
			f.Span += int(m.panel.rows[rows[len(rows)-1]].day - m.panel.rows[rows[0]].day)
		}
		m.report.Followed = append(m.report.Followed, f)
	}
}

func (m *reporter) bands(h departure.Horizon, edges []float64) []Waiting {
	all := []Waiting{}
	for i, to := range edges[1:] {
		w, ok := m.measureWaits(h, edges[i], to)
		if !ok {
			m.reportMissing("waiting %d days at a chance of %.0f to %.0f %%: no row was given it", int(h.Days()),
				100*edges[i], 100*to)
			continue
		}
		all = append(all, w)
	}
	return all
}

// measureWaits measures the rows (each a fare on one day) whose stated chance of a fall lies in a
// band. It returns false if there are no such rows.
func (m *reporter) measureWaits(h departure.Horizon, from, to float64) (Waiting, bool) {
	var rows []int
	for _, row := range m.known[h] {
		chance := m.answers.chance[h][row]
		if m.rule[h].answers(row) && int(m.panel.rows[row].lead) > int(h.Days()) && chance >= from &&
			(chance < to || to >= 1) {
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		return Waiting{}, false
	}
	w := Waiting{From: from, To: to, Count: len(rows)}
	after := func(row int) float64 { return float64(m.outcomes[row].after[h]) }
	changes := make([]float64, len(rows))
	change := func(row int) float64 { return after(row)/float64(m.panel.rows[row].price) - 1 }
	for i, row := range rows {
		changes[i] = change(row)
		w.Fell += stats.Share(m.outcomes[row].fell[h])
		w.Rose += stats.Share(m.outcomes[row].rose[h])
		w.Dearer += stats.Share(changes[i] > 0)
	}
	n := float64(len(rows))
	w.Fell, w.Rose, w.Dearer = w.Fell/n, w.Rose/n, w.Dearer/n
	slices.Sort(changes)
	w.Median = changes[len(changes)/2]
	w.AtOnce, w.Once = m.over(rows, change)
	w.Random, w.Any = m.over(rows, func(row int) float64 { return after(row)/m.outcomes[row].typical[h] - 1 })
	return w, true
}
