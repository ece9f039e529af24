package departures

import (
	"slices"

	"verdetto/cmd/verdetto/backtest/stats"
	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
)

// Waiting is what had become of fares when somebody had waited, by the chance of
// a fall that was stated. It is about departures further ahead than the wait is
// long, whose last fare within it is known.
type Waiting struct {
	From   float64      `json:"chanceFrom"`
	To     float64      `json:"chanceTo"`
	Count  int          `json:"count"`
	Fell   float64      `json:"fell"`          // share with a fare at least 5 % lower within the wait
	Rose   float64      `json:"rose"`          // and at least 5 % higher
	AtOnce float64      `json:"againstAtOnce"` // mean change against buying at once
	Once   *stats.Range `json:"againstAtOnceInterval,omitempty"`
	Median float64      `json:"median"`           // of that change
	Dearer float64      `json:"dearer"`           // share of waits that ended dearer
	Random float64      `json:"againstRandomDay"` // mean change against buying on a random day of the wait
	Any    *stats.Range `json:"againstRandomDayInterval,omitempty"`
}

// Followed is what followed the stated chances of a horizon.
type Followed struct {
	Days  int       `json:"days"`     // of the horizon
	Asked int       `json:"daysSpan"` // from the first to the last question whose outcome is known
	Bands []Waiting `json:"bands"`
}

// waitEdges are the bands of the first table, which has a last row of all chances.
var waitEdges = []float64{0, .1, .2, .3, .4, 1}

func (m *reporter) waiting() {
	m.report.Waiting = m.bands(departure.Week, waitEdges)
	if all, ok := m.waited(departure.Week, 0, 1); ok {
		m.report.Waiting = append(m.report.Waiting, all)
	}
	for h := range fallSpans {
		f := Followed{Days: int(fallSpans[h].Days()), Bands: m.bands(fallSpans[h], departure.RecordEdges)}
		var first, last fare.Day
		for i, q := range m.trips.rows {
			if m.became[i].known[h] && q.day >= m.from {
				if first == 0 {
					first = q.day
				}
				last = q.day
			}
		}
		f.Asked = int(last - first + 1)
		m.report.Followed = append(m.report.Followed, f)
	}
}

func (m *reporter) bands(h departure.Horizon, edges []float64) []Waiting {
	all := []Waiting{}
	for i, to := range edges[1:] {
		w, ok := m.waited(h, edges[i], to)
		if !ok {
			m.missing("waiting %d days at a chance of %.0f to %.0f %%: no row was given it", int(h.Days()), 100*edges[i], 100*to)
			continue
		}
		all = append(all, w)
	}
	return all
}

// waited measures the rows whose stated chance lies between two edges. It is not ok where there are none.
func (m *reporter) waited(h departure.Horizon, from, to float64) (Waiting, bool) {
	fell, rose, once, random, dearer := m.blocks.average(), m.blocks.average(), m.blocks.average(), m.blocks.average(), m.blocks.average()
	var changes []float64
	for i, q := range m.trips.rows {
		chance, became := m.said.chance[h][i], &m.became[i]
		if !became.known[h] || q.day < m.from || !m.answers(i) || int(q.lead) <= int(h.Days()) || chance < from || chance >= to && to < 1 {
			continue
		}
		after := float64(became.after[h])
		change := after/float64(m.prices[i]) - 1
		fell.add(i, share(became.fell[h]))
		rose.add(i, share(became.rose[h]))
		once.add(i, change)
		random.add(i, after/became.typical[h]-1)
		dearer.add(i, share(change > 0))
		changes = append(changes, change)
	}
	if once.count == 0 {
		return Waiting{}, false
	}
	slices.Sort(changes)
	return Waiting{
		From: from, To: to, Count: once.count, Fell: fell.value(), Rose: rose.value(),
		AtOnce: once.value(), Once: once.interval(), Median: changes[len(changes)/2], Dearer: dearer.value(),
		Random: random.value(), Any: random.interval(),
	}, true
}
