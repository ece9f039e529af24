package departure

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"

	"verdetto/shared/fare"
)

// Edges of cells. For a value, place returns the number of edges that are not above the value.
var (
	curveEdges  = []int{3, 7, 14, 21, 30, 45, 60, 90, 120, 180} // lead times in days, for the lead-time curve
	leadEdges   = []int{3, 7, 14, 21, 30, 60, 90, 180}
	levelEdges  = []float64{.1, .25, .4, .6, .75, .9}
	lowEdges    = []float64{-.01, .01, .05, .1, .2, .4}
	changeEdges = []int{1, 2, 3, 5}
	besideEdges = []float64{0, .03, .08, .15, .3, .6}
)

const (
	curveSpans = 11
	groups     = 5 // groups of lead times: under 7, 7-20, 21-44, 45-89, 90 and more days
)

var groupOf = [curveSpans]int{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4}

func place[T int | float64](x T, edges []T) int {
	n := 0
	for _, e := range edges {
		if x >= e {
			n++
		}
	}
	return n
}

// The numbers of cells for lead time, percentile, price changes, height above the minimum, and
// height above the cheapest other departure on sale.
const (
	leadCells, levelCells, changeCells, lowCells, besideCells = 9, 8, 6, 8, 8

	levelFirst  = leadCells
	changeFirst = levelFirst + levelCells
	lowFirst    = changeFirst + changeCells
	besideFirst = lowFirst + lowCells
	cellCount   = besideFirst + besideCells

	levelUnknown  = levelCells - 1 // the last cell of the percentile means unknown
	besideUnknown = besideFirst    // the value of this cell stays 0
)

type Cells [5]uint8

// percentile and beside are NaN if unknown.
func cellsOf(past *Past, day fare.Day, q Quote, percentile, beside float64) Cells {
	level := levelUnknown
	if !math.IsNaN(percentile) {
		level = place(percentile, levelEdges)
	}
	changes, low, others := 0, 0, 0
	if moves, minimum, ok := past.movesAndLow(day, q.Price); ok {
		changes = 1 + place(moves, changeEdges)
		low = 1 + place(math.Log(float64(q.Price)/float64(minimum)), lowEdges)
	}
	if !math.IsNaN(beside) {
		others = 1 + place(beside, besideEdges)
	}
	return Cells{
		uint8(place(q.Lead, leadEdges)),
		uint8(levelFirst + level),
		uint8(changeFirst + changes),
		uint8(lowFirst + low),
		uint8(besideFirst + others),
	}
}

type table struct {
	intercept, information float64
	cells, informations    [cellCount]float64
}

func (t *table) logOdds(routeTerm float64, c Cells) float64 {
	sum := 0.
	for _, cell := range c {
		sum += t.cells[cell]
	}
	return t.intercept + routeTerm + sum
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

//go:embed rule.json
var ruleJSON []byte

var initial = mustRead(ruleJSON)

func mustRead(data []byte) (tables [horizons]table) {
	var all map[string]struct {
		Intercept                         float64
		Lead, Level, Changes, Low, Beside []float64
	}
	if err := json.Unmarshal(data, &all); err != nil {
		panic(fmt.Sprintf("read rule.json: %v", err))
	}
	for h := range horizons {
		c, ok := all[fmt.Sprintf("f%d", h.Days())]
		if !ok {
			panic(fmt.Sprintf("read rule.json: it lacks the tables of %d days", h.Days()))
		}
		t := &tables[h]
		t.intercept = c.Intercept
		for _, term := range []struct {
			cells, values []float64
		}{
			{t.cells[:levelFirst], c.Lead},
			{t.cells[levelFirst : levelFirst+levelUnknown], c.Level},
			{t.cells[changeFirst:lowFirst], c.Changes},
			{t.cells[lowFirst:besideFirst], c.Low},
			{t.cells[besideUnknown+1:], c.Beside},
		} {
			if copy(term.cells, term.values) != len(term.cells) || len(term.values) != len(term.cells) {
				panic(fmt.Sprintf("read rule.json: a table of %d values where %d are wanted", len(term.values),
					len(term.cells)))
			}
		}
	}
	return tables
}
