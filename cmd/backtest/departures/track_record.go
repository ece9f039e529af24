package departures

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"

	"verdetto/cmd/backtest/stats"
	"verdetto/shared/verdict/departure"
)

// Waiting covers fares of departures that leave after the wait and were seen again during the wait.
type Waiting struct {
	From   float64      `json:"chanceFrom"`
	To     float64      `json:"chanceTo"`
	Count  int          `json:"count"`
	Fell   float64      `json:"fell"`          // share of fares that fell by at least 5 % within the wait
	Rose   float64      `json:"rose"`          // share of fares that rose by at least 5 % within the wait
	AtOnce float64      `json:"againstAtOnce"` // mean change from buying at once to the last fare of the wait
	Once   *stats.Range `json:"againstAtOnceInterval,omitempty"`
	Median float64      `json:"median"`           // median change from buying at once to the last fare of the wait
	Dearer float64      `json:"dearer"`           // share of waits that ended dearer
	Random float64      `json:"againstRandomDay"` // mean change compared with buying on a random day of the wait
	Any    *stats.Range `json:"againstRandomDayInterval,omitempty"`
}

type Followed struct {
	Days  int       `json:"days"`     // length of the wait
	Span  int       `json:"daysSpan"` // days from the first to the last question with a known outcome
	Bands []Waiting `json:"bands"`
}

func (m *reporter) waiting() {
	for i, h := range horizons {
		f := Followed{Days: int(h.Days()), Span: 1, Bands: []Waiting{}}
		if rows := m.known[i]; len(rows) > 0 {
			f.Span += int(m.panel.Rows[rows[len(rows)-1]].Day - m.panel.Rows[rows[0]].Day)
		}
		for edge, to := range departure.RecordEdges[1:] {
			from := departure.RecordEdges[edge]
			if w, ok := m.measureWaits(h, from, to); ok {
				f.Bands = append(f.Bands, w)
			} else {
				m.reportMissing("waiting %d days at a chance of %.0f to %.0f %%: no row was given it", f.Days, 100*from, 100*to)
			}
		}
		m.report.Followed = append(m.report.Followed, f)
	}
}

func (m *reporter) measureWaits(h departure.Horizon, from, to float64) (Waiting, bool) {
	var rows []int
	for _, row := range m.known[h] {
		chance := m.answers.Chance[h][row]
		if m.rule[h].answers(row) && int(m.panel.Rows[row].Lead) > int(h.Days()) && chance >= from && (chance < to || to >= 1) {
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		return Waiting{}, false
	}
	w := Waiting{From: from, To: to, Count: len(rows)}
	after := func(row int) float64 { return float64(m.outcomes[row].after[h]) }
	changes := make([]float64, len(rows))
	change := func(row int) float64 { return after(row)/float64(m.panel.Rows[row].Price) - 1 }
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

// A panel with fewer cases than leastCases does not count in a band of the record.
const leastCases = 500

type NamedReport struct {
	Name string
	Report
}

// The first panel must be recorded from Travelpayouts, because the record's mean changes come from the
// first panel.
func Record(panels []NamedReport) (r departure.Record, err error) {
	for _, p := range panels {
		one := departure.RecordPanel{Name: p.Name, First: p.First, To: p.To, Routes: p.Routes}
		for _, f := range p.Followed {
			horizon := departure.RecordHorizon{Days: f.Days}
			for _, w := range f.Bands {
				horizon.Bands = append(horizon.Bands, w.band(f))
			}
			one.Horizons = append(one.Horizons, horizon)
		}
		r.Panels = append(r.Panels, one)
	}
	for h, horizon := range horizons {
		record := departure.RecordHorizon{Days: int(horizon.Days())}
		for i, to := range departure.RecordEdges[1:] {
			band, ok := heard(r.Panels, h, departure.RecordEdges[i], to)
			if !ok {
				return r, fmt.Errorf("record of %d days: the first panel has fewer than %d cases of chances from %v to %v, or no interval of them",
					record.Days, leastCases, departure.RecordEdges[i], to)
			}
			record.Bands = append(record.Bands, band)
		}
		r.Horizons = append(r.Horizons, record)
	}
	return r, nil
}

func WriteRecord(path string, panels []NamedReport) error {
	record, err := Record(panels)
	if err != nil {
		return err
	}
	data, err := json.Marshal(record)
	if err == nil {
		data = bytes.ReplaceAll(data, []byte(`{"From"`), []byte("\n{\"From\"")) // one band per line, for readable diffs
		err = os.WriteFile(path, append(data, '\n'), 0o644)
	}
	if err != nil {
		return fmt.Errorf("write record: %w", err)
	}
	return nil
}

// heard returns the first panel's band, with an interval widened to the intervals of the other panels
// that count.
func heard(panels []departure.RecordPanel, h int, from, to float64) (all departure.Band, ok bool) {
	for i, p := range panels {
		for _, b := range p.Horizons[h].Bands {
			switch {
			case b.From != from || b.To != to || b.Panels == 0:
			case i == 0:
				all, ok = b, true
			default:
				all.Low, all.High = min(all.Low, b.Low), max(all.High, b.High)
				all.Panels++
			}
		}
	}
	return all, ok
}

func (w Waiting) band(f Followed) departure.Band {
	digits := func(x float64) float64 { return math.Round(1e4*x) / 1e4 }
	b := departure.Band{
		From: w.From, To: w.To, Cases: w.Count, Fell: digits(w.Fell), Rose: digits(w.Rose), Mean: digits(w.AtOnce),
		Median: digits(w.Median), Dearer: digits(w.Dearer), Random: digits(w.Random),
	}
	b.Low, b.High = b.Mean, b.Mean
	if w.Once != nil {
		b.Low, b.High = digits(w.Once.Low), digits(w.Once.High)
		if w.Count >= leastCases && f.Span >= f.Days {
			b.Panels = 1
		}
	}
	return b
}
