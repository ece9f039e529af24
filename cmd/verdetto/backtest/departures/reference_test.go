package departures

import (
	"encoding/csv"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"verdetto/shared/verdict/departure"
)

// answered is the answer of the reference program in Python for a row (a fare on one day): the
// percentile, and the chances of a fall within 7 and 14 days. Unknown values are NaN.
type answered struct{ percentile, week, fortnight float64 }

type rowKey struct{ route, seen, depart, price string }

// readAnswers reads the reference program's answers. Rows with the same key are in the order of the
// file.
func readAnswers(t *testing.T, in io.Reader) map[rowKey][]answered {
	t.Helper()
	lines, err := csv.NewReader(in).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for i, name := range lines[0] {
		at[name] = i
	}
	number := func(line []string, column string) float64 {
		i, ok := at[column]
		if !ok || line[i] == "" {
			return math.NaN()
		}
		v, err := strconv.ParseFloat(line[i], 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	all := map[rowKey][]answered{}
	for _, l := range lines[1:] {
		key := rowKey{l[at["origin"]] + "-" + l[at["destination"]], l[at["observed_date"]],
			l[at["depart_date"]], priceKey(number(l, "price"))}
		all[key] = append(all[key], answered{number(l, "percentile"), number(l, "p7"), number(l, "p14")})
	}
	return all
}

func priceKey(price float64) string { return strconv.FormatFloat(price, 'f', 2, 64) }

// asReference reads and replays a panel (observed fares) as the reference program does: it does not
// remove repeated rows (each a fare on one day).
func asReference(t *testing.T, path, price string) (*Trips, ruleAnswers) {
	t.Helper()
	panel, err := OpenTrips(path, TripOptions{Price: price, asListed: true})
	if err != nil {
		t.Fatal(err)
	}
	return panel, panel.replayRule(panel.outcomes(), departure.StartPlainForm(panel.rows[0].day))
}

// compareAnswers checks that each answer differs from the reference program's answer by at most
// 1e-9.
func compareAnswers(t *testing.T, panel *Trips, got ruleAnswers, want map[rowKey][]answered) {
	t.Helper()
	worst, without, wrong := 0., 0, 0
	for i, q := range panel.rows {
		key := rowKey{panel.Routes[q.route], q.day.String(), q.departs().String(), priceKey(float64(q.price) / 100)}
		if len(want[key]) == 0 {
			t.Fatalf("the reference has no row %v", key)
		}
		w := want[key][0]
		want[key] = want[key][1:]
		off := func(got, want float64) {
			if d := math.Abs(got - want); d > 1e-9 || math.IsNaN(got) {
				if wrong++; wrong < 5 {
					t.Errorf("%v: %v, the reference says %v", key, got, want)
				}
			} else {
				worst = max(worst, d)
			}
		}
		if math.IsNaN(w.percentile) {
			if without++; !math.IsNaN(got.percentile[i]) {
				t.Errorf("%v: percentile %v, the reference has none", key, got.percentile[i])
			}
		} else {
			off(got.percentile[i], w.percentile)
		}
		off(got.chance[0][i], w.week)
		if !math.IsNaN(w.fortnight) {
			off(got.chance[1][i], w.fortnight)
		}
	}
	for key, rest := range want {
		if len(rest) > 0 {
			t.Fatalf("%v of the reference was not replayed", key)
		}
	}
	t.Logf("%d rows, %d of them without a percentile; the farthest is off by %.1g", len(panel.rows), without, worst)
	if wrong > 0 {
		t.Errorf("%d answers are off", wrong)
	}
}

// TestAsTheReference: the replay of an invented panel has the same answers as the reference
// program. The panel covers eleven months, with few fares and with gaps. Column p14 holds the
// program's chances within 14 days.
func TestAsTheReference(t *testing.T) {
	path := filepath.Join("testdata", "panel.csv")
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	panel, got := asReference(t, path, "")
	compareAnswers(t, panel, got, readAnswers(t, file))
}
