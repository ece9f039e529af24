package departures

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"verdetto/shared/verdict/departure"
)

// leastCases is the minimum number of cases of a band of chances in a panel (observed fares). A
// panel with fewer cases in a band does not count in that band of the record.
const leastCases = 500

// NamedReport is the report of a panel (observed fares), with the panel's name in the record.
type NamedReport struct {
	Name string
	Report
}

// Record combines the reports of several panels into the record that answers cite about waiting.
// The first panel must come from the service's kind of fare source. A panel (observed fares) counts
// in a band of chances only with leastCases cases and an interval. The questions of the panel must
// also span as many days as the horizon (7 or 14 days); otherwise a few similar days would count as
// a panel.
func Record(panels []NamedReport) (r departure.Record, err error) {
	for _, p := range panels {
		one := departure.RecordPanel{Name: p.Name, First: p.First, To: p.To, Routes: p.Routes}
		for _, f := range p.Followed {
			of := departure.RecordHorizon{Days: f.Days}
			for _, w := range f.Bands {
				of.Bands = append(of.Bands, w.band(f))
			}
			one.Horizons = append(one.Horizons, of)
		}
		r.Panels = append(r.Panels, one)
	}
	for h := range fallSpans {
		of := departure.RecordHorizon{Days: int(fallSpans[h].Days())}
		for i, to := range departure.RecordEdges[1:] {
			band, ok := heard(r.Panels, h, departure.RecordEdges[i], to)
			if !ok {
				return r, fmt.Errorf("record of %d days: the first panel has fewer than %d cases of chances from %v to %v, or no interval of them",
					of.Days, leastCases, departure.RecordEdges[i], to)
			}
			of.Bands = append(of.Bands, band)
		}
		r.Horizons = append(r.Horizons, of)
	}
	return r, nil
}

// Named returns the report of a panel file (observed fares), named after the file.
func Named(file string, r Report) NamedReport {
	name, _, _ := strings.Cut(filepath.Base(file), ".")
	return NamedReport{name, r}
}

// WriteRecord combines the reports of panels (observed fares) and writes the record to a file.
func WriteRecord(path string, panels []NamedReport) error {
	record, err := Record(panels)
	if err != nil {
		return err
	}
	data, err := json.Marshal(record)
	if err == nil {
		data = bytes.ReplaceAll(data, []byte(`{"from"`), []byte("\n{\"from\"")) // one band per line, for readable diffs
		err = os.WriteFile(path, append(data, '\n'), 0o644)
	}
	if err != nil {
		return fmt.Errorf("write record: %w", err)
	}
	return nil
}

// heard returns one band of chances, combined from all panels (observed fares). ok is false if the
// first panel has too few cases in that band.
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

// band converts the changes of fares during a wait to a band (range of chances) of the record.
// Values are rounded to four digits, which is more than their precision.
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
