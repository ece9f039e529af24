package departures

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"verdetto/shared/verdict/departure"
)

// besideCells is the number of cells of the rule's fifth term: the cheapest other departure on
// sale. In the first cell, too few other departures are known.
const besideCells = 8

// besideFit holds the fifth term of the rule, fitted to a panel (observed fares). A cell is a range
// of prices relative to the cheapest other departure on sale. For each cell, besideFit holds its
// value in the term and its share of the fares.
type besideFit struct{ value, share [besideCells]float64 }

// TestEvidenceFit computes the first values of the rule's fifth term from recorded panels, and
// compares them with rule.json. The other four terms keep their values.
//
// On each panel, the fifth term is fitted to the falls that the other four terms do not predict.
// The values are the mean over the four sources of fares, halved so that they err towards no
// effect. Their mean over all rows (each a fare on one day) is subtracted, so that the term moves
// no average.
func TestEvidenceFit(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "shared", "verdict", "departure", "rule.json"))
	if err != nil {
		t.Fatal(err)
	}
	var rule map[string]struct{ Beside []float64 }
	if err := json.Unmarshal(data, &rule); err != nil {
		t.Fatal(err)
	}
	var fits [2]besideFit
	for _, p := range []struct {
		file   string
		cycle  int
		weight float64 // each source has the weight 1/4
	}{
		{"travelpayouts_daily_2025_2026", 1, 1. / 8}, {"travelpayouts_daily_2025_2026", 7, 1. / 8},
		{"eu_wizzair_2015_2016_full", 1, 1. / 8}, {"eu_wizzair_weekly", 1, 1. / 8},
		{"google2026", 1, 1. / 4}, {"williams.nodates", 1, 1. / 4},
	} {
		panel := recorded(t, p.file).thinned(Options{Cycle: p.cycle})
		for h, f := range panel.fitBeside() {
			for c := range besideCells {
				fits[h].value[c] += p.weight * f.value[c]
				fits[h].share[c] += p.weight * f.share[c]
			}
		}
	}
	for h, name := range []string{"f7", "f14"} {
		f, average := fits[h], 0.
		for c := 1; c < besideCells; c++ {
			average += f.value[c] / 2 * f.share[c]
		}
		for c, want := range rule[name].Beside {
			if got := f.value[c+1]/2 - average; math.Abs(got-want) > .01 {
				t.Errorf("%s: cell %d is %.3f, in rule.json %.2f", name, c+1, got, want)
			}
		}
		t.Logf("%s: %.3f, less %.3f; share of rows %.3f", name, f.value, average, f.share)
	}
}

// fitBeside fits the fifth term of the rule (the cheapest other departure on sale) to a panel
// (observed fares), for falls within 7 and within 14 days. It adds the term to the log odds of the
// rule's other terms: a logistic regression, with each value shrunk towards 0.
func (t *Trips) fitBeside() (fits [2]besideFit) {
	became, first := t.outcomes(), t.rows[0].day
	four, five := t.replayRule(became, departure.StartPlainForm(first)), t.replayRule(became, departure.Start(first))
	lowest := uint8(math.MaxUint8)
	for _, cells := range four.cells { // the plain form knows the fifth term nowhere
		lowest = min(lowest, cells[len(cells)-1])
	}
	for h := range fits {
		var cell []uint8
		var odds, fell []float64
		for i, o := range became {
			if o.known[h] && !math.IsNaN(four.percentile[i]) {
				cell = append(cell, five.cells[i][len(five.cells[i])-1]-lowest)
				odds = append(odds, math.Log(four.chance[h][i]/(1-four.chance[h][i])))
				fell = append(fell, map[bool]float64{true: 1}[o.fell[h]])
			}
		}
		fits[h] = logisticFit(cell, odds, fell)
	}
	return fits
}

// logisticFit fits a value for each cell, on top of the log odds, by Newton's method. The mean of all cells
// is free.
func logisticFit(cell []uint8, odds, fell []float64) (f besideFit) {
	const ridge, rounds, pace = 20, 40, .5
	intercept, known := 0., 0.
	for range rounds {
		var slope, information [besideCells]float64
		var slopes, informations float64
		for i, c := range cell {
			p := 1 / (1 + math.Exp(-odds[i]-intercept-f.value[c]))
			slope[c] += fell[i] - p
			information[c] += p * (1 - p)
			slopes += fell[i] - p
			informations += p * (1 - p)
		}
		intercept += pace * slopes / informations
		for c := range f.value {
			f.value[c] += pace * (slope[c] - ridge*f.value[c]) / (information[c] + ridge)
		}
	}
	for _, c := range cell {
		if c > 0 {
			f.share[c]++
			known++
		}
	}
	for c := range f.share {
		f.share[c] /= known
	}
	return f
}
