package departures

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"verdetto/shared/verdict/departure"
)

// TestReplay_AsTheReference: the replay of an invented panel has the same answers as a program in
// another language that implements the plain form of the rule. The panel covers eleven months, with
// few fares and with gaps. Its last columns hold that program's percentile and its chances of a fall
// within 7 and 14 days; an empty percentile is unknown, an empty chance was not computed.
func TestReplay_AsTheReference(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "panel.csv"))
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{}
	for _, l := range lines[1:] {
		want[fmt.Sprintf("%s-%s %s %s", l[0], l[1], l[2], l[3])] = l[6:]
	}
	panel := panelOf(t, string(data))
	got := replayRule(panel, outcomes(panel), departure.StartPlainForm(panel.first()))
	if len(want) != len(panel.Rows) {
		t.Fatalf("%d answers for %d rows", len(want), len(panel.Rows))
	}
	for i, q := range panel.Rows {
		key := fmt.Sprintf("%s %s %s", panel.Routes[q.Route], q.Day, q.departs())
		for column, answer := range []float64{got.Percentile[i], got.Chance[0][i], got.Chance[1][i]} {
			expected, err := strconv.ParseFloat(cmp.Or(want[key][column], "NaN"), 64)
			switch {
			case err != nil:
				t.Fatal(err)
			case math.IsNaN(expected) && (column > 0 || math.IsNaN(answer)):
			case !(math.Abs(answer-expected) <= 1e-9):
				t.Fatalf("%s, column %d: %v, the reference says %q", key, column, answer, want[key][column])
			}
		}
	}
}
